"""``multicut segment``: from an image or a volume to its segments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multicut._words import count, image_size
from multicut.cli.arguments import Json, Seed, parse_options, time_limit_option
from multicut.cli.console import answer_block, print_json, say, working
from multicut.cli.failures import InterruptedCommandError
from multicut.cli.progress import progress_of
from multicut.cli.segment.blockwise import (
    BlockwiseOptions,
    check_unused,
    segment_blockwise,
)
from multicut.cli.segment.inputs import parse_costs, parse_offsets, parse_superpixels, read_pixels
from multicut.cli.segment.outputs import Outputs, print_comparison

if TYPE_CHECKING:
    from multicut.vision import RegionProblem, Segmentation

_INPUT = "Input"
_REGIONS = "Regions and costs"
_SOLVING = "Solving"
_OUTPUT = "Output"
_BLOCKWISE = "Volumes that do not fit into memory"


def segment(
    image: Annotated[
        str,
        typer.Argument(
            metavar="IMAGE",
            help="PNG, JPEG, WebP, BMP, TIFF, HDF5, zarr, N5 or numpy; FILE.h5:DATASET; "
            "sample:coffee.",
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="Write labels: .png, .tif, .h5, .zarr, .n5, .npy or .npz.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    overlay: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Draw boundaries of segments over the image.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    mean_colours: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Draw each segment in its mean colour.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    graph: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Draw the region graph, cut edges red.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    problem: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Write the multicut problem, as `multicut convert` does.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    slice_number: Annotated[
        int | None,
        typer.Option(
            "--slice",
            metavar="Z",
            help="The slice of a volume that pictures show; by default the middle one.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    dataset: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The array to read from IMAGE.", rich_help_panel=_INPUT),
    ] = None,
    volume: Annotated[
        bool | None,
        typer.Option(
            "--volume/--image",
            help="Whether three axes are a volume, or the last one holds colours.",
            rich_help_panel=_INPUT,
        ),
    ] = None,
    boundaries: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Probability that each pixel lies on a boundary, 0 … 1 or 8 bits.",
            rich_help_panel=_INPUT,
        ),
    ] = None,
    affinities: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Probabilities that two pixels belong together, one channel per offset.",
            rich_help_panel=_INPUT,
        ),
    ] = None,
    offsets: Annotated[
        str | None,
        typer.Option(
            metavar="JSON",
            help="Offsets of the affinities, such as [[0,1],[1,0],[0,9]], or a file of them.",
            rich_help_panel=_INPUT,
        ),
    ] = None,
    mask: Annotated[
        str | None,
        typer.Option(
            metavar="PATH", help="Segment only where this mask is not zero.", rich_help_panel=_INPUT
        ),
    ] = None,
    truth: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Score against true labels: an image, HDF5, numpy, or a Berkeley .mat file.",
            rich_help_panel=_INPUT,
        ),
    ] = None,
    ignore: Annotated[
        list[int] | None,
        typer.Option(
            metavar="LABEL",
            help="Pixels with this label in the truth do not count; repeatable.",
            rich_help_panel=_INPUT,
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="photo, boundaries, paper (the example of its appendix) or paper-squared.",
            rich_help_panel=_REGIONS,
        ),
    ] = None,
    superpixels: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="watershed, slic, felzenszwalb, boundary-watershed, or a file of labels.",
            rich_help_panel=_REGIONS,
        ),
    ] = None,
    num_regions: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Approximate number of superpixels.",
            rich_help_panel=_REGIONS,
        ),
    ] = None,
    superpixel_option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE",
            help="A parameter of the superpixels; repeatable.",
            rich_help_panel=_REGIONS,
        ),
    ] = None,
    cost_option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE",
            help="A parameter of the costs, such as sigma=0.2 or weighting=size; repeatable.",
            rich_help_panel=_REGIONS,
        ),
    ] = None,
    bias: Annotated[
        float,
        typer.Option(
            metavar="P",
            help="Prior probability of a cut; higher gives more segments.",
            rich_help_panel=_REGIONS,
        ),
    ] = 0.5,
    connectivity: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=3,
            help="Pixels that differ along at most this many axes are neighbours.",
            rich_help_panel=_REGIONS,
        ),
    ] = None,
    solver: Annotated[
        str,
        typer.Option(
            "--solver",
            "-s",
            metavar="NAME",
            help="One of `multicut solvers`.",
            rich_help_panel=_SOLVING,
        ),
    ] = "auto",
    compare: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Several solvers, as in gaec,learned,ilp: a table, and pictures side by side.",
            rich_help_panel=_SOLVING,
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        time_limit_option("Stop each solver after this many seconds.", panel=_SOLVING),
    ] = None,
    seed: Seed = 0,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            metavar="KEY=VALUE",
            help="An option of the solver; repeatable.",
            rich_help_panel=_SOLVING,
        ),
    ] = None,
    blockwise: Annotated[
        bool,
        typer.Option(
            "--blockwise",
            help="Segment IMAGE, a boundary map or affinities on disk, block by block.",
            rich_help_panel=_BLOCKWISE,
        ),
    ] = False,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Work on a running Dask cluster, as in tcp://10.0.0.1:8786.",
            rich_help_panel=_BLOCKWISE,
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Processes on this machine; by default one for each processor.",
            rich_help_panel=_BLOCKWISE,
        ),
    ] = None,
    block_shape: Annotated[
        str | None,
        typer.Option(
            metavar="N[,N,N]",
            help="Voxels of a block along each axis; by default about 256.",
            rich_help_panel=_BLOCKWISE,
        ),
    ] = None,
    halo: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Voxels around a block that its watershed sees; by default 24.",
            rich_help_panel=_BLOCKWISE,
        ),
    ] = None,
    pyramid: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Coarser levels to write, as an OME-Zarr image.",
            rich_help_panel=_BLOCKWISE,
        ),
    ] = None,
    axes: Annotated[
        str | None,
        typer.Option(
            metavar="LETTERS",
            help="What the axes of IMAGE are, as in czyx; by default from its metadata.",
            rich_help_panel=_BLOCKWISE,
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Only estimate time, memory and bytes, from a sample of IMAGE.",
            rich_help_panel=_BLOCKWISE,
        ),
    ] = False,
    shape: Annotated[
        str | None,
        typer.Option(
            metavar="N,N,N",
            help="With --dry-run: as if the volume had this shape.",
            rich_help_panel=_BLOCKWISE,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Segment IMAGE by a multicut of its region graph.

    The image is divided into superpixels; neighbouring ones attract or repel each other by their
    colours, or by the boundaries or affinities given; the solver finds the cheapest cut.
    """
    from multicut import vision
    from multicut.solvers import get_solver
    from multicut.vision.costs import check_bias
    from multicut.vision.presets import get_preset

    settings = BlockwiseOptions(
        cluster, workers, block_shape, halo, pyramid, axes, dry_run or None, shape
    )
    if blockwise:
        check_unused(
            {
                "--overlay": overlay,
                "--mean-colours": mean_colours,
                "--graph": graph,
                "--problem": problem,
                "--slice": slice_number,
                "--volume/--image": volume,
                "--boundaries (IMAGE is the boundary map)": boundaries,
                "--affinities (IMAGE holds them, beside --offsets)": affinities,
                "--truth": truth,
                "--ignore": ignore,
                "--preset": preset,
                "--num-regions": num_regions,
                "--compare": compare,
            }
        )
        segment_blockwise(
            image if dataset is None else f"{image}:{dataset}",
            output,
            settings,
            superpixels=superpixels,
            superpixel_options=superpixel_option or [],
            cost_options=cost_option or [],
            offsets=offsets,
            mask=mask,
            bias=bias,
            connectivity=connectivity,
            solver=solver,
            time_limit=time_limit,
            seed=seed,
            options=parse_options(option or []),
            as_json=as_json,
        )
        return
    settings.check_absent()

    # Mistakes in the arguments come to light before a large file is read.
    solvers = [solver] if compare is None else _parse_solvers(compare, solver)
    options = parse_options(option or [])
    for name in solvers:
        get_solver(name).parse_options(options)
    outputs = Outputs(output, overlay, mean_colours, graph, problem, slice_number)
    outputs.check()
    outputs.check_against([image, boundaries, affinities, offsets, mask, truth, superpixels])
    steps = parse_offsets(offsets)
    if (affinities is None) != (steps is None):
        raise ValueError("--affinities and --offsets belong together; give both or neither")
    if ignore is not None and truth is None:
        raise ValueError("--ignore names labels of --truth; add --truth")
    if connectivity is not None and affinities is not None:
        raise ValueError(
            "--connectivity has no effect with --affinities; --offsets defines the neighbours"
        )
    check_bias(bias)
    if preset is not None:
        get_preset(preset)
    has_evidence = boundaries is not None or affinities is not None
    costs = parse_costs(cost_option or [], has_evidence=has_evidence, preset=preset)

    with working(f"reading {image}"):
        pixels = read_pixels(image, dataset)
        truths = None if truth is None else vision.read_ground_truth(truth)
        evidence: dict[str, Any] = {
            "boundaries": None if boundaries is None else vision.read_image(boundaries),
            "affinities": None if affinities is None else vision.read_image(affinities),
            "mask": None if mask is None else vision.read_image(mask),
        }
        regions = parse_superpixels(
            superpixels,
            num_regions,
            superpixel_option or [],
            preset or ("boundaries" if has_evidence else None),
        )
    say(f"Read {image}, {pixels.dtype}.", quiet=as_json)
    with working("dividing the image into regions"):
        parts = vision.region_problem(
            pixels,
            regions,
            **evidence,
            offsets=steps,
            costs=costs,
            bias=bias,
            connectivity=connectivity,
            volume=volume,
            preset=preset,
        )
    outputs.check_shape(parts.superpixels.shape)
    say(
        f"Divided {image_size(parts.superpixels.shape)} into "
        f"{count(parts.graph.num_regions, 'region')}, "
        f"{count(parts.graph.num_edges, 'edge')}.",
        quiet=as_json,
    )
    found = _solve_all(parts, solvers, time_limit, seed, options, quiet=as_json)
    scores = [
        None if truths is None else vision.evaluate(one.labels, truths, ignore=ignore or ())
        for one in found
    ]
    best = min(found, key=lambda one: one.result.objective)
    if as_json:
        print_json(_document(image, parts, found, scores))
    elif compare is not None:
        print_comparison(found, scores)
    else:
        # One block, so that all values stand below each other.
        answer_block(best.rows() | ({} if scores[0] is None else scores[0].rows()))
    outputs.write(found, best, quiet=as_json)
    if any(one.result.stopped_by == "interrupt" for one in found):
        raise InterruptedCommandError("these are the best segments so far")


def _parse_solvers(compare: str, solver: str) -> list[str]:
    if solver != "auto":
        raise ValueError("give --solver or --compare, not both")
    names = [name.strip() for name in compare.split(",") if name.strip()]
    if not names:
        raise ValueError(f"--compare must name solvers, as in gaec,learned,ilp, got {compare!r}")
    return names


def _solve_all(
    parts: RegionProblem,
    solvers: list[str],
    time_limit: float | None,
    seed: int,
    options: dict[str, Any],
    *,
    quiet: bool,
) -> list[Segmentation]:
    from multicut import vision

    found: list[Segmentation] = []
    for name in solvers:
        limit = "" if time_limit is None else f", at most {time_limit:g} s"
        say(f"Solving with {name}, seed {seed}{limit}.", quiet=quiet)
        with progress_of(name, shown=not quiet) as callback:
            found.append(vision.solve_regions(parts, name, time_limit, seed, callback, **options))
        if found[-1].result.stopped_by == "interrupt":
            break
    return found


def _document(
    image: str, parts: RegionProblem, found: list[Segmentation], scores: list[Any]
) -> dict[str, Any]:
    return {
        "image": image,
        "shape": list(parts.superpixels.shape),
        "num_regions": parts.graph.num_regions,
        "num_edges": parts.graph.num_edges,
        "results": [
            {
                **one.result.to_dict(),
                "num_segments": one.num_segments,
                "scores": None if score is None else score.to_dict(),
            }
            for one, score in zip(found, scores, strict=True)
        ],
    }
