"""Common parts of the commands that draw."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multicut._target import ending_of
from multicut.cli.arguments import check_not_read, check_writable, input_of, name_of
from multicut.cli.console import count_parts, say, working

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    import multicut as mc
    from multicut._arrays import FloatArray

_SUFFIXES = (".png", ".pdf", ".svg", ".jpg")
_DPI = 150

Picture = Annotated[
    Path,
    typer.Option(
        "--output", "-o", metavar="PATH", help="The picture to write: .png, .pdf, .svg or .jpg."
    ),
]
Positions = Annotated[
    Path | None,
    typer.Option(
        "--positions",
        metavar="FILE",
        help="Positions of nodes: a .npy file of shape (nodes, 2); by default a layout.",
    ),
]


def check_picture(path: Path, *inputs: Path | str | None) -> None:
    """Raise an error if a picture cannot be written or would replace an input."""
    check_writable(path, "--output", _SUFFIXES)
    check_not_read(path, "--output", *inputs)


def new_figure(width: float, height: float, columns: int = 1) -> tuple[Figure, Any]:
    """Return a figure that needs no display, and its axes in one row."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    return figure, figure.subplots(1, columns)


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure; text stays text in vector files."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from multicut.plotting import saving

    if not isinstance(figure.canvas, FigureCanvasAgg):
        FigureCanvasAgg(figure)
    with rc_context({"svg.fonttype": "none", "pdf.fonttype": 42}):
        saving.save_figure(figure, path, dpi=_DPI)


def read_problem(file: Path, format_name: str | None, instance: str | None) -> mc.Problem:
    """Read the problem of a command, and print its size."""
    from multicut.io import read

    with working(f"reading {name_of(file)}"):
        problem = read(input_of(file), format=format_name, instance=instance)
    say(f"Read {name_of(file)}: {count_parts(problem)}.")
    return problem


def find_positions(problem: mc.Problem, positions: Path | None, seed: int) -> FloatArray:
    """Read positions of nodes, or compute a layout."""
    from multicut.plotting.canvas import as_positions
    from multicut.plotting.layout import MOST_NODES, spread_out

    if positions is not None:
        points = load_array(positions, "--positions")
        try:
            return as_positions(points, problem.num_nodes)
        except ValueError as error:
            raise ValueError(f"--positions {positions}: {error}") from None
    known: FloatArray | None = getattr(problem, "positions", None)  # of a dataset
    if known is not None:
        return known
    if problem.num_nodes > MOST_NODES:
        say(
            f"No layout is computed for more than {MOST_NODES:,} nodes: they are put on a spiral; "
            f"give --positions."
        )
    with working("finding a layout"):
        return spread_out(problem, seed)


def load_array(path: Path, option: str) -> Any:
    """Load an array of numbers that an option names."""
    from multicut.io.numpy_files import read_npy

    if ending_of(path) != ".npy":
        raise ValueError(f"{option} must be a .npy file, got {str(path)!r}")
    try:
        array = read_npy(path)
    except FileNotFoundError:
        raise ValueError(f"{option} {path}: no such file") from None
    except (ValueError, OSError):
        raise ValueError(f"{option}: {str(path)!r} is not an array of numbers") from None
    if array.dtype.kind not in "iufb":
        raise ValueError(f"{option}: {str(path)!r} is not an array of numbers")
    return array
