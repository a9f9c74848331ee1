"""``multicut segment``: from an image or a volume to its segments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from multicut._words import count, image_size
from multicut.cli.arguments import Json, Seed, parse_options
from multicut.cli.console import answer_block, print_json, say, working
from multicut.cli.failures import InterruptedCommandError
from multicut.cli.progress import progress_of
from multicut.cli.segment import options as opt
from multicut.cli.segment.blockwise import (
    BlockwiseOptions,
    check_unused,
    segment_blockwise,
)
from multicut.cli.segment.inputs import parse_costs, parse_offsets, parse_superpixels, read_pixels
from multicut.cli.segment.outputs import Outputs, print_comparison

if TYPE_CHECKING:
    from multicut.vision import RegionProblem, Segmentation


def segment(
    image: opt.Image,
    output: opt.Output = None,
    overlay: opt.Overlay = None,
    mean_colours: opt.MeanColours = None,
    graph: opt.Graph = None,
    problem: opt.Problem = None,
    slice_number: opt.SliceNumber = None,
    dataset: opt.Dataset = None,
    volume: opt.Volume = None,
    boundaries: opt.Boundaries = None,
    affinities: opt.Affinities = None,
    offsets: opt.Offsets = None,
    lifted: opt.Lifted = False,
    mask: opt.Mask = None,
    truth: opt.Truth = None,
    ignore: opt.Ignore = None,
    preset: opt.Preset = None,
    superpixels: opt.Superpixels = None,
    num_regions: opt.NumRegions = None,
    superpixel_option: opt.SuperpixelOption = None,
    cost_option: opt.CostOption = None,
    bias: opt.Bias = 0.5,
    connectivity: opt.Connectivity = None,
    solver: opt.Solver = "auto",
    compare: opt.Compare = None,
    time_limit: opt.TimeLimit = None,
    seed: Seed = 0,
    option: opt.Option = None,
    blockwise: opt.Blockwise = False,
    cluster: opt.Cluster = None,
    workers: opt.Workers = None,
    block_shape: opt.BlockShape = None,
    halo: opt.Halo = None,
    pyramid: opt.Pyramid = None,
    axes: opt.Axes = None,
    dry_run: opt.DryRun = False,
    shape: opt.Shape = None,
    as_json: Json = False,
) -> None:
    """Segment IMAGE by a multicut of its region graph.

    The image is divided into superpixels; neighbouring ones attract or repel each other by their
    colours, or by the boundaries or affinities given; the solver finds the cheapest cut.
    """
    from multicut import vision
    from multicut.solvers import check_takes_lifted, get_solver
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
            lifted=lifted,
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
        check_takes_lifted(get_solver(name), is_lifted=lifted)
    outputs = Outputs(output, overlay, mean_colours, graph, problem, slice_number)
    outputs.check()
    outputs.check_against([image, boundaries, affinities, offsets, mask, truth, superpixels])
    steps = parse_offsets(offsets)
    if (affinities is None) != (steps is None):
        raise ValueError("--affinities and --offsets belong together; give both or neither")
    if lifted and affinities is None:
        raise ValueError("--lifted is for long-range affinities; add --affinities and --offsets")
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
            lifted=lifted,
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
