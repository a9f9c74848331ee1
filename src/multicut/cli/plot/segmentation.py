"""``multicut plot segmentation``."""

from __future__ import annotations

from typing import Annotated

import typer

from multicut._words import count
from multicut.cli.arguments import Seed
from multicut.cli.console import say, working
from multicut.cli.plot.arguments import Picture, check_picture, save_figure


def plot_segmentation_command(
    image: Annotated[
        str,
        typer.Argument(metavar="IMAGE", help="A picture: PNG, JPEG, WebP, …; or sample:coffee."),
    ],
    picture: Picture,
    solver: Annotated[
        str, typer.Option("--solver", "-s", metavar="NAME", help="One of `multicut solvers`.")
    ] = "auto",
    preset: Annotated[
        str,
        typer.Option("--preset", metavar="NAME", help="The way regions and costs are computed."),
    ] = "paper",
    bias: Annotated[
        float,
        typer.Option(
            "--bias", metavar="P", help="Prior probability of a cut; higher gives more segments."
        ),
    ] = 0.5,
    seed: Seed = 0,
) -> None:
    """Draw how IMAGE is segmented: superpixels, region graph, its cut, segments.

    `multicut segment` has all parameters and writes labels.
    """
    check_picture(picture, image)
    from multicut.cli.segment.inputs import read_pixels
    from multicut.plotting import plot_segmentation
    from multicut.solvers import get_solver
    from multicut.vision import segment

    get_solver(solver)
    with working(f"reading {image}"):
        pixels = read_pixels(image)
    with working(f"segmenting with {solver}"):
        found = segment(pixels, volume=False, preset=preset, bias=bias, solver=solver, seed=seed)
    with working("drawing"):
        save_figure(plot_segmentation(found), picture)
    say(
        f"Drawn {count(found.num_segments, 'segment')} of "
        f"{count(found.graph.num_regions, 'superpixel')} "
        f"to {picture}."
    )
