"""``multicut segment --blockwise``: volumes that do not fit into memory."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from multicut._words import count, image_size
from multicut.cli.console import answer_block, output, print_json, say, table
from multicut.cli.failures import InterruptedCommandError
from multicut.cli.segment.inputs import SAMPLE, parse_costs, parse_offsets
from multicut.cli.stage_progress import stage_progress

if TYPE_CHECKING:
    from multicut.distributed.volume.planned import Planned
    from multicut.distributed.volume.report import BlockwiseReport
    from multicut.vision import BoundaryWatershed

# Solvers whose result does not depend on the time that they get; auto is none of them.
_DEFAULT_SOLVER = "klj"


@dataclass(frozen=True)
class BlockwiseOptions:
    """Options that only block-wise segmentation has; None for those that are not given."""

    cluster: str | None
    workers: int | None
    block_shape: str | None
    halo: int | None
    pyramid: int | None
    axes: str | None
    dry_run: bool | None
    shape: str | None

    def check_absent(self) -> None:
        """Raise an error if one is given without ``--blockwise``."""
        for field in fields(self):
            if getattr(self, field.name):
                option = field.name.replace("_", "-")
                raise ValueError(f"--{option} is for --blockwise; add that or leave it out")


def check_unused(given: dict[str, Any]) -> None:
    """Raise an error for options that block-wise segmentation does not have."""
    for option, value in given.items():
        if value is not None:
            raise ValueError(f"{option} does not go with --blockwise; leave it out")


def segment_blockwise(
    source: str,
    target: str | None,
    settings: BlockwiseOptions,
    *,
    superpixels: str | None,
    superpixel_options: list[str],
    cost_options: list[str],
    offsets: str | None,
    lifted: bool,
    mask: str | None,
    bias: float,
    connectivity: int | None,
    solver: str,
    time_limit: float | None,
    seed: int,
    options: dict[str, Any],
    as_json: bool,
) -> None:
    """Segment a volume on disk, or say what that would take."""
    from multicut.distributed.cluster import connected, describe_workers
    from multicut.distributed.volume.planning import plan_job

    if source.startswith(SAMPLE):
        raise ValueError(f"{source}: block by block only .zarr, .n5 and .h5 can be read")
    if settings.cluster is not None and settings.workers is not None and not settings.dry_run:
        raise ValueError("--workers is for this machine; leave it or --cluster out")
    if target is None:
        raise ValueError("--blockwise writes labels; give --output LABELS.zarr")
    plan = plan_job(
        source,
        target,
        superpixels=_parse_division(superpixels, superpixel_options),
        offsets=parse_offsets(offsets),
        lifted=lifted,
        mask=mask,
        axes=settings.axes,
        costs=parse_costs(cost_options, has_evidence=True, preset=None),  # type: ignore[arg-type]
        bias=bias,
        connectivity=1 if connectivity is None else connectivity,
        block_shape=_parse_shape(settings.block_shape),
        halo=settings.halo,
        histogram=False,
        pyramid=settings.pyramid or 0,
        solver=_DEFAULT_SOLVER if solver == "auto" else solver,
        time_limit=time_limit,
        seed=seed,
        options=options,
    )
    if settings.dry_run:
        _print_estimate(plan, settings, as_json=as_json)
        return
    if settings.shape is not None:
        raise ValueError("--shape is for --dry-run; add that or leave it out")
    found = plan.finished()
    if found is None:
        plan.check_place()
        job = plan.job
        say(
            f"Segmenting {image_size(job.shape)} in {count(len(job.grid), 'block')} of "
            f"{image_size(job.block_shape)}.",
            quiet=as_json,
        )
        with connected(settings.cluster, num_workers=settings.workers, keeps_memory=True) as client:
            say(f"Working {describe_workers(client)}.", quiet=as_json)
            try:
                with stage_progress(shown=not as_json) as report:
                    found = plan.run(client, report)
            except KeyboardInterrupt:
                raise InterruptedCommandError(
                    "blocks that are done are kept; the same command continues"
                ) from None
    else:
        say("It was done before.", quiet=as_json)
    if as_json:
        print_json(found.to_dict())
        return
    _print_stages(found)
    answer_block(found.rows())


def _print_stages(found: BlockwiseReport) -> None:
    columns = ("stage", "seconds", "of processors", "million voxels / s", "GiB of memory")
    shown = table(None, *columns, left=("stage",))
    for row in found.stage_rows():
        shown.add_row(*row)
    output().print(shown)


def _print_estimate(plan: Planned, settings: BlockwiseOptions, *, as_json: bool) -> None:
    from multicut._threads import check_threads
    from multicut.distributed.volume.estimate import estimate
    from multicut.distributed.volume.shapes import choose_block_shape

    shape = _parse_lengths("--shape", settings.shape)
    if shape is not None and len(shape) != len(plan.job.shape):
        raise ValueError(
            f"--shape must have {len(plan.job.shape)} lengths, as the volume, got {settings.shape}"
        )
    blocks = None
    if shape is not None and settings.block_shape is None:
        blocks = choose_block_shape(shape, plan.target.chunks)
    workers = settings.workers or check_threads(None, "num_workers")
    found = estimate(plan.job, plan.source, workers, shape, blocks)
    if as_json:
        print_json(found.to_dict())
        return
    columns = ("stage", "work of processors", "GiB read", "GiB written")
    shown = table(None, *columns, left=("stage",))
    for row in found.stage_rows():
        shown.add_row(*row)
    output().print(shown)
    answer_block(found.rows())


def _parse_shape(text: str | None) -> int | tuple[int, ...] | None:
    lengths = _parse_lengths("--block-shape", text)
    return lengths[0] if lengths is not None and len(lengths) == 1 else lengths


def _parse_lengths(option: str, text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    try:
        lengths = tuple(int(part) for part in text.split(","))
    except ValueError:
        lengths = ()
    if not lengths or min(lengths) < 1:
        raise ValueError(f"{option} must be lengths such as 128,256,256, got {text!r}")
    return lengths


def _parse_division(text: str | None, options: list[str]) -> str | BoundaryWatershed | None:
    """Return the place of superpixels, or the watershed with its parameters."""
    from multicut.cli.segment.inputs import parse_superpixels
    from multicut.vision import BoundaryWatershed

    name = BoundaryWatershed.name
    if text is not None and text != name:
        if "." not in text:
            raise ValueError(
                f"--superpixels {text}: block by block there are {name} and labels in files"
            )
        if options:
            raise ValueError(f"--superpixels {text}: labels from a file take no parameters")
        return text
    engine = ["engine=bioimage-cpp"] if not any("engine=" in each for each in options) else []
    found = parse_superpixels(name, None, [*engine, *options], None)
    assert isinstance(found, BoundaryWatershed)
    return found
