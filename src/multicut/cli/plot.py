"""``multicut plot``: figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multicut.cli.arguments import check_writable
from multicut.cli.console import say, working

_SUFFIXES = (".png", ".pdf", ".svg", ".jpg")

app = typer.Typer(help="Draw figures.")


@app.callback()
def _plot() -> None:
    """Draw figures."""


@app.command("dataset")
def plot_dataset_command(
    dataset: Annotated[
        str,
        typer.Argument(metavar="DATASET", help="A shipped set, a dataset, a folder or a file."),
    ],
    picture: Annotated[
        Path, typer.Option("--output", "-o", metavar="PATH", help="The picture to write.")
    ],
    split: Annotated[
        str | None, typer.Option("--split", metavar="NAME", help="Which part of a shipped set.")
    ] = None,
    start: Annotated[
        int, typer.Option("--start", metavar="I", min=0, help="The first graph to draw.")
    ] = 0,
    num: Annotated[
        int, typer.Option("--num", metavar="N", min=1, max=8, help="How many graphs to draw.")
    ] = 3,
    solver: Annotated[
        str,
        typer.Option("--solver", "-s", metavar="NAME", help="Solves graphs that have no labels."),
    ] = "ilp",
) -> None:
    """Draw problems, negative edges red, above their solutions, cut edges grey."""
    check_writable(picture, "--output", _SUFFIXES)
    from multicut.datasets import open_dataset
    from multicut.plotting import plot_dataset

    with working(f"reading {dataset}"):
        whole = open_dataset(dataset, split)
    if start >= len(whole):
        raise ValueError(f"--start {start}: there are {len(whole)} graphs in {dataset}")
    chosen = whole[start : start + num]
    if chosen.arrays().cut is None or not chosen.labelled.all():
        with working(f"solving with {solver}"):
            chosen = chosen.label(solver, num_workers=1)
    with working("drawing"):
        plot_dataset(chosen).savefig(picture, dpi=150)
    say(f"Drawn {len(chosen)} graphs of {whole.name} to {picture}.")
