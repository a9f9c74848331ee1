"""``multicut plot frontier``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from multicut._words import count
from multicut.cli.console import say, working
from multicut.cli.plot.arguments import Picture, check_picture, new_figure, save_figure


def plot_frontier_command(
    results: Annotated[
        Path,
        typer.Argument(
            metavar="RESULTS.json", help="The file that `multicut bench frontier` wrote."
        ),
    ],
    picture: Picture,
    family: Annotated[
        str | None,
        typer.Option("--family", metavar="NAME", help="Which graphs, if there are several kinds."),
    ] = None,
) -> None:
    """Draw quality against time of all solvers, and the Pareto front."""
    check_picture(picture, results)
    from multicut.plotting import plot_frontier

    name, rows = _read(results, family)
    with working("drawing"):
        figure, ax = new_figure(7.6, 4.6)
        plot_frontier(rows, ax)
        if name:
            ax.set_title(name, loc="left", fontsize=11)
        save_figure(figure, picture)
    say(f"Drawn {count(len(rows), 'point')} to {picture}.")


def _read(path: Path, family: str | None) -> tuple[str, list[Any]]:
    """Read the points of one family, or rows ``[name, seconds, ratio, group]`` alone."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, UnicodeDecodeError):
        raise ValueError(f"{path}: not a JSON file") from None
    name = ""
    try:
        points = document
        if isinstance(document, dict):
            families = {one["family"]: one["points"] for one in document["families"]}
            if family is None and len(families) == 1:
                family = next(iter(families))
            if family not in families:
                problem = "choose one with --family" if family is None else f"--family {family}"
                raise ValueError(f"{path}: {problem}; it holds {', '.join(families) or 'none'}")
            name, points = str(family), families[family]
        elif family is not None:
            raise ValueError(f"--family {family}: {path} holds points of one kind only")
        return name, [_as_row(point) for point in points]
    except (KeyError, TypeError, IndexError):
        raise ValueError(
            f"{path}: not what multicut bench frontier writes, nor rows [name, seconds, ratio]"
        ) from None


def _as_row(point: Any) -> tuple[Any, ...]:
    if isinstance(point, dict):
        return (point["name"], point["seconds"], point["ratio"], point.get("group"))
    if not isinstance(point, list) or len(point) not in (3, 4):
        raise TypeError
    return tuple(point)
