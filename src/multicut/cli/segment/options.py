"""Arguments and options of ``multicut segment``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multicut.cli.arguments import time_limit_option

_INPUT = "Input"
_REGIONS = "Regions and costs"
_SOLVING = "Solving"
_OUTPUT = "Output"
_BLOCKWISE = "Volumes that do not fit into memory"

Image = Annotated[
    str,
    typer.Argument(
        metavar="IMAGE",
        help="PNG, JPEG, WebP, BMP, TIFF, HDF5, zarr, N5 or numpy; FILE.h5:DATASET; sample:coffee.",
    ),
]
Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="PATH",
        help="Write labels: .png, .tif, .h5, .zarr, .n5, .npy or .npz.",
        rich_help_panel=_OUTPUT,
    ),
]
Overlay = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        help="Draw boundaries of segments over the image.",
        rich_help_panel=_OUTPUT,
    ),
]
MeanColours = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        help="Draw each segment in its mean colour.",
        rich_help_panel=_OUTPUT,
    ),
]
Graph = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        help="Draw the region graph, cut edges red.",
        rich_help_panel=_OUTPUT,
    ),
]
Problem = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        help="Write the multicut problem, as `multicut convert` does.",
        rich_help_panel=_OUTPUT,
    ),
]
SliceNumber = Annotated[
    int | None,
    typer.Option(
        "--slice",
        metavar="Z",
        help="The slice of a volume that pictures show; by default the middle one.",
        rich_help_panel=_OUTPUT,
    ),
]
Dataset = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The array to read from IMAGE.", rich_help_panel=_INPUT),
]
Volume = Annotated[
    bool | None,
    typer.Option(
        "--volume/--image",
        help="Whether three axes are a volume, or the last one holds colours.",
        rich_help_panel=_INPUT,
    ),
]
Boundaries = Annotated[
    str | None,
    typer.Option(
        metavar="PATH",
        help="Probability that each pixel lies on a boundary, 0 … 1 or 8 bits.",
        rich_help_panel=_INPUT,
    ),
]
Affinities = Annotated[
    str | None,
    typer.Option(
        metavar="PATH",
        help="Probabilities that two pixels belong together, one channel per offset.",
        rich_help_panel=_INPUT,
    ),
]
Offsets = Annotated[
    str | None,
    typer.Option(
        metavar="JSON",
        help="Offsets of the affinities, such as [[0,1],[1,0],[0,9]], or a file of them.",
        rich_help_panel=_INPUT,
    ),
]
Lifted = Annotated[
    bool,
    typer.Option(
        "--lifted",
        help="Affinities with offsets longer than 1 become lifted edges, which connect nothing.",
        rich_help_panel=_INPUT,
    ),
]
Mask = Annotated[
    str | None,
    typer.Option(
        metavar="PATH", help="Segment only where this mask is not zero.", rich_help_panel=_INPUT
    ),
]
Truth = Annotated[
    str | None,
    typer.Option(
        metavar="PATH",
        help="Score against true labels: an image, HDF5, numpy, or a Berkeley .mat file.",
        rich_help_panel=_INPUT,
    ),
]
Ignore = Annotated[
    list[int] | None,
    typer.Option(
        metavar="LABEL",
        help="Pixels with this label in the truth do not count; repeatable.",
        rich_help_panel=_INPUT,
    ),
]
Preset = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="photo, boundaries, paper (the example of its appendix) or paper-squared.",
        rich_help_panel=_REGIONS,
    ),
]
Superpixels = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="watershed, slic, felzenszwalb, boundary-watershed, or a file of labels.",
        rich_help_panel=_REGIONS,
    ),
]
NumRegions = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Approximate number of superpixels.",
        rich_help_panel=_REGIONS,
    ),
]
SuperpixelOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KEY=VALUE",
        help="A parameter of the superpixels; repeatable.",
        rich_help_panel=_REGIONS,
    ),
]
CostOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KEY=VALUE",
        help="A parameter of the costs, such as sigma=0.2 or weighting=size; repeatable.",
        rich_help_panel=_REGIONS,
    ),
]
Bias = Annotated[
    float,
    typer.Option(
        metavar="P",
        help="Prior probability of a cut; higher gives more segments.",
        rich_help_panel=_REGIONS,
    ),
]
Connectivity = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        max=3,
        help="Pixels that differ along at most this many axes are neighbours.",
        rich_help_panel=_REGIONS,
    ),
]
Solver = Annotated[
    str,
    typer.Option(
        "--solver",
        "-s",
        metavar="NAME",
        help="One of `multicut solvers`.",
        rich_help_panel=_SOLVING,
    ),
]
Compare = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        help="Several solvers, as in gaec,learned,ilp: a table, and pictures side by side.",
        rich_help_panel=_SOLVING,
    ),
]
TimeLimit = Annotated[
    float | None,
    time_limit_option("Stop each solver after this many seconds.", panel=_SOLVING),
]
Option = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        metavar="KEY=VALUE",
        help="An option of the solver; repeatable.",
        rich_help_panel=_SOLVING,
    ),
]
Blockwise = Annotated[
    bool,
    typer.Option(
        "--blockwise",
        help="Segment IMAGE, a boundary map or affinities on disk, block by block.",
        rich_help_panel=_BLOCKWISE,
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Work on a running Dask cluster, as in tcp://10.0.0.1:8786.",
        rich_help_panel=_BLOCKWISE,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Processes on this machine; by default one for each processor.",
        rich_help_panel=_BLOCKWISE,
    ),
]
BlockShape = Annotated[
    str | None,
    typer.Option(
        metavar="N[,N,N]",
        help="Voxels of a block along each axis; by default about 256.",
        rich_help_panel=_BLOCKWISE,
    ),
]
Halo = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        help="Voxels around a block that its watershed sees; by default 24.",
        rich_help_panel=_BLOCKWISE,
    ),
]
Pyramid = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        help="Coarser levels to write, as an OME-Zarr image.",
        rich_help_panel=_BLOCKWISE,
    ),
]
Axes = Annotated[
    str | None,
    typer.Option(
        metavar="LETTERS",
        help="What the axes of IMAGE are, as in czyx; by default from its metadata.",
        rich_help_panel=_BLOCKWISE,
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Only estimate time, memory and bytes, from a sample of IMAGE.",
        rich_help_panel=_BLOCKWISE,
    ),
]
Shape = Annotated[
    str | None,
    typer.Option(
        metavar="N,N,N",
        help="With --dry-run: as if the volume had this shape.",
        rich_help_panel=_BLOCKWISE,
    ),
]
