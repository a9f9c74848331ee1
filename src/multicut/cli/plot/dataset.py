"""``multicut plot dataset``."""

from __future__ import annotations

from typing import Annotated

import typer

from multicut._words import count
from multicut.cli.console import say, working
from multicut.cli.plot.arguments import Picture, check_picture, save_figure


def plot_dataset_command(
    dataset: Annotated[
        str,
        typer.Argument(metavar="DATASET", help="A shipped set, a dataset, a folder or a file."),
    ],
    picture: Picture,
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
    """Draw problems with repulsive edges red, and below them solutions with cut edges grey."""
    check_picture(picture, dataset)
    from multicut.datasets import open_dataset
    from multicut.plotting import plot_dataset

    with working(f"reading {dataset}"):
        whole = open_dataset(dataset, split)
    if start >= len(whole):
        raise ValueError(f"--start {start}: {dataset} has {count(len(whole), 'graph')}")
    chosen = whole[start : start + num]
    if chosen.arrays().cut is None or not chosen.labelled.all():
        with working(f"solving with {solver}"):
            chosen = chosen.label(solver, num_workers=1)
    with working("drawing"):
        save_figure(plot_dataset(chosen), picture)
    say(f"Drawn {count(len(chosen), 'graph')} of {whole.name} to {picture}.")
