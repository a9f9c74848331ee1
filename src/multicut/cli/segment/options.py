"""Arguments and options of ``multicut segment``."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from multicut.cli.arguments import time_limit_option

_SOLVING = "Solving"
# Options by panel of the help.
_of_input = partial(typer.Option, rich_help_panel="Input")
_of_regions = partial(typer.Option, rich_help_panel="Regions and costs")
_of_solving = partial(typer.Option, rich_help_panel=_SOLVING)
_of_output = partial(typer.Option, rich_help_panel="Output")
_of_blockwise = partial(typer.Option, rich_help_panel="Volumes that do not fit into memory")

Image = Annotated[
    str,
    typer.Argument(
        metavar="IMAGE",
        help="PNG, JPEG, WebP, BMP, TIFF, HDF5, zarr, N5 or numpy; FILE.h5:DATASET; sample:coffee.",
    ),
]
Output = Annotated[
    str | None,
    _of_output(
        "--output",
        "-o",
        metavar="PATH",
        help="Write labels: .png, .tif, .h5, .zarr, .n5, .npy or .npz.",
    ),
]
Overlay = Annotated[
    Path | None, _of_output(metavar="PATH", help="Draw boundaries of segments over the image.")
]
MeanColours = Annotated[
    Path | None, _of_output(metavar="PATH", help="Draw each segment in its mean colour.")
]
Graph = Annotated[
    Path | None, _of_output(metavar="PATH", help="Draw the region graph, cut edges red.")
]
Problem = Annotated[
    Path | None,
    _of_output(metavar="PATH", help="Write the multicut problem, as `multicut convert` does."),
]
SliceNumber = Annotated[
    int | None,
    _of_output(
        "--slice",
        metavar="Z",
        help="The slice of a volume that pictures show; by default the middle one.",
    ),
]
Dataset = Annotated[str | None, _of_input(metavar="NAME", help="The array to read from IMAGE.")]
Volume = Annotated[
    bool | None,
    _of_input(
        "--volume/--image", help="Whether three axes are a volume, or the last one holds colours."
    ),
]
Boundaries = Annotated[
    str | None,
    _of_input(
        metavar="PATH", help="Probability that each pixel lies on a boundary, 0 … 1 or 8 bits."
    ),
]
Affinities = Annotated[
    str | None,
    _of_input(
        metavar="PATH",
        help="Probabilities that two pixels belong together, one channel per offset.",
    ),
]
Offsets = Annotated[
    str | None,
    _of_input(
        metavar="JSON",
        help="Offsets of the affinities, such as [[0,1],[1,0],[0,9]], or a file of them.",
    ),
]
Lifted = Annotated[
    bool,
    _of_input(
        "--lifted",
        help="Affinities with offsets longer than 1 become lifted edges, which connect nothing.",
    ),
]
Mask = Annotated[
    str | None, _of_input(metavar="PATH", help="Segment only where this mask is not zero.")
]
Truth = Annotated[
    str | None,
    _of_input(
        metavar="PATH",
        help="Score against true labels: an image, HDF5, numpy, or a Berkeley .mat file.",
    ),
]
Ignore = Annotated[
    list[int] | None,
    _of_input(
        metavar="LABEL", help="Pixels with this label in the truth do not count; repeatable."
    ),
]
Preset = Annotated[
    str | None,
    _of_regions(
        metavar="NAME",
        help="photo, boundaries, paper (the example of its appendix) or paper-squared.",
    ),
]
Superpixels = Annotated[
    str | None,
    _of_regions(
        metavar="NAME",
        help="watershed, slic, felzenszwalb, boundary-watershed, or a file of labels.",
    ),
]
NumRegions = Annotated[
    int | None, _of_regions(metavar="N", min=1, help="Approximate number of superpixels.")
]
SuperpixelOption = Annotated[
    list[str] | None,
    _of_regions(metavar="KEY=VALUE", help="A parameter of the superpixels; repeatable."),
]
CostOption = Annotated[
    list[str] | None,
    _of_regions(
        metavar="KEY=VALUE",
        help="A parameter of the costs, such as sigma=0.2 or weighting=size; repeatable.",
    ),
]
Bias = Annotated[
    float, _of_regions(metavar="P", help="Prior probability of a cut; higher gives more segments.")
]
Connectivity = Annotated[
    int | None,
    _of_regions(
        metavar="N",
        min=1,
        max=3,
        help="Pixels that differ along at most this many axes are neighbours.",
    ),
]
Solver = Annotated[
    str, _of_solving("--solver", "-s", metavar="NAME", help="One of `multicut solvers`.")
]
Compare = Annotated[
    str | None,
    _of_solving(
        metavar="NAMES",
        help="Several solvers, as in gaec,learned,ilp: a table, and pictures side by side.",
    ),
]
TimeLimit = Annotated[
    float | None, time_limit_option("Stop each solver after this many seconds.", panel=_SOLVING)
]
Option = Annotated[
    list[str] | None,
    _of_solving("--option", metavar="KEY=VALUE", help="An option of the solver; repeatable."),
]
Blockwise = Annotated[
    bool,
    _of_blockwise(
        "--blockwise", help="Segment IMAGE, a boundary map or affinities on disk, block by block."
    ),
]
Cluster = Annotated[
    str | None,
    _of_blockwise(
        metavar="ADDRESS", help="Work on a running Dask cluster, as in tcp://10.0.0.1:8786."
    ),
]
Workers = Annotated[
    int | None,
    _of_blockwise(
        metavar="N", min=1, help="Processes on this machine; by default one for each processor."
    ),
]
BlockShape = Annotated[
    str | None,
    _of_blockwise(
        metavar="N[,N,N]", help="Voxels of a block along each axis; by default about 256."
    ),
]
Halo = Annotated[
    int | None,
    _of_blockwise(
        metavar="N", min=0, help="Voxels around a block that its watershed sees; by default 24."
    ),
]
Pyramid = Annotated[
    int | None,
    _of_blockwise(metavar="N", min=0, help="Coarser levels to write, as an OME-Zarr image."),
]
Axes = Annotated[
    str | None,
    _of_blockwise(
        metavar="LETTERS",
        help="What the axes of IMAGE are, as in czyx; by default from its metadata.",
    ),
]
DryRun = Annotated[
    bool,
    _of_blockwise(
        "--dry-run", help="Only estimate time, memory and bytes, from a sample of IMAGE."
    ),
]
Shape = Annotated[
    str | None,
    _of_blockwise(metavar="N,N,N", help="With --dry-run: as if the volume had this shape."),
]
