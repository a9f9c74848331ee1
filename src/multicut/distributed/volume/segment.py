"""Segmentation of a volume block by block, from files to files."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from multicut._checks import check_integer, check_number, check_seed
from multicut._extras import needed
from multicut._target import locked_folder, write_whole
from multicut.distributed.cluster import connected
from multicut.distributed.hierarchy import Hierarchical, solve_hierarchically
from multicut.distributed.node_blocks import NodeBlocks
from multicut.distributed.stages import Report, Summary, run_stage, save_array
from multicut.distributed.volume import edge_costs, fragments, region_tables, writing
from multicut.distributed.volume.blocks import BlockGrid
from multicut.distributed.volume.fragments import name_of
from multicut.distributed.volume.job import Job, open_labels
from multicut.distributed.volume.report import BlockwiseReport, StageReport, summarise
from multicut.distributed.volume.shapes import (
    DEFAULT_HALO,
    check_block_shape,
    choose_block_shape,
)
from multicut.distributed.volume.source import VolumeSource, open_source
from multicut.distributed.volume.target import (
    Output,
    Target,
    check_free,
    create,
    find_target,
    publish,
)
from multicut.solvers import get_solver
from multicut.vision.costs import BoundaryCosts, check_bias
from multicut.vision.files import find_place
from multicut.vision.region_graph import as_offsets
from multicut.vision.superpixels import BoundaryWatershed

if TYPE_CHECKING:
    from distributed import Client
    from numpy.typing import ArrayLike

_SOLVE = "solve"
_PUBLISHING = "publishing.json"


def segment_blockwise(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    superpixels: str | os.PathLike[str] | BoundaryWatershed | None = None,
    offsets: ArrayLike | None = None,
    mask: str | os.PathLike[str] | None = None,
    axes: str | None = None,
    costs: BoundaryCosts | None = None,
    bias: float = 0.5,
    connectivity: int = 1,
    block_shape: SupportsIndex | Sequence[int] | None = None,
    halo: int | None = None,
    histogram: bool = False,
    pyramid: int = 0,
    solver: str = "klj",
    time_limit: float | None = None,
    seed: SupportsIndex = 0,
    cluster: str | None = None,
    num_workers: int | None = 1,
    report: Report | None = None,
    **options: Any,
) -> BlockwiseReport:
    """Segment a volume that need not fit into memory, block by block, from files to files.

    Each block is divided into fragments by a watershed that sees a halo around it. The region graph
    of all fragments, with the evidence along its edges, is that of the whole volume. It is solved
    block by block: what is joined in a block is contracted, neighbouring blocks are put together,
    and so on until one problem is left.

    If a run is stopped, even killed, the same call continues it. Files of stages that are done are
    in a folder ``<target>.partial`` until the labels are in their place. The labels do not depend
    on the number of workers or on interruptions, unless a time limit ends a solver.

    Parameters
    ----------
    source
        A boundary map or affinities in Zarr, N5 or HDF5; a dataset may follow after a colon:
        ``"volume.zarr:boundaries"``. Of an image of OME-Zarr, the finest resolution is read.
    target
        Where labels go: .zarr, .n5 or .h5. They are 1 … k, unsigned integers of 64 bits, and 0
        outside of the mask. Chunks and metadata are those of the source. The table of the region
        graph and the report are written beside it.
    superpixels
        An array of labels on disk, or a record with parameters of the watershed.
    offsets
        Offsets of affinities, one per channel; without them `source` is a boundary map.
    mask
        An array on disk that is not zero where to segment.
    axes
        One letter of t, c, z, y, x for each axis of `source`; by default those in its metadata, or
        channels first and then space.
    costs
        How costs follow from the evidence; by default ``multicut.vision.BoundaryCosts()``.
    bias
        Prior probability of a cut, between 0 and 1.
    connectivity
        Which voxels are neighbours: those that differ by 1 along at most so many axes. Affinities
        define neighbours by their offsets.
    block_shape
        Voxels of a block along each axis, in whole chunks of the target. By default as many chunks
        as make about 256 × 256 × 256 voxels.
    halo
        How many voxels around its block a watershed sees, 24 by default.
    histogram
        Whether to collect histograms of the evidence, which add quantiles to the table.
    pyramid
        How many coarser levels to write, each at half the resolution, as an image of OME-Zarr.
    solver, time_limit, seed, **options
        As in :func:`multicut.solve`, for each block.
    cluster
        The address of a running Dask scheduler, such as ``tcp://10.0.0.1:8786``. Its workers need
        this package, and the files under the same paths.
    num_workers
        Without `cluster`, the number of processes on this machine; None for as many as it has
        processors. More than one need Dask and, in a script, ``if __name__ == "__main__":``.
    report
        Called as ``report(stage, done, total)`` whenever a task is done.
    """
    plan = plan_job(
        source,
        target,
        superpixels=superpixels,
        offsets=offsets,
        mask=mask,
        axes=axes,
        costs=costs,
        bias=bias,
        connectivity=connectivity,
        block_shape=block_shape,
        halo=halo,
        histogram=histogram,
        pyramid=pyramid,
        solver=solver,
        time_limit=time_limit,
        seed=seed,
        options=options,
    )
    finished = plan.finished()
    if finished is not None:
        return finished
    plan.check_place()
    with connected(cluster, num_workers=None if cluster is not None else num_workers) as client:
        return plan.run(client, report)


@dataclass(frozen=True, eq=False)
class Planned:
    """A job with its source and target."""

    job: Job
    source: VolumeSource
    target: Target

    def finished(self) -> BlockwiseReport | None:
        """Return the report of an earlier run of the same job, if its labels are there."""
        try:
            values = json.loads(self.target.report.read_bytes())
            found = BlockwiseReport.of_dict(values)
        except (OSError, ValueError, TypeError, KeyError):
            return None
        is_same = found.job == self.job.to_dict() and found.target == str(self.target)
        if not (is_same and self.target.place.exists()):
            return None
        shutil.rmtree(self.target.workspace, ignore_errors=True)
        return found

    def check_place(self) -> None:
        """Raise an error if something else is in the place of what will be written."""
        if (self.target.workspace / _PUBLISHING).exists():
            return  # a run was killed while it put results in their places
        check_free(self.target)
        if self.target.table.exists():
            raise FileExistsError(
                f"{self.target.table}: exists already; choose another name or remove it"
            )

    def run(self, client: Client | None, report: Report | None) -> BlockwiseReport:
        """Do what is left to do."""
        folder = self.target.workspace.resolve()
        folder.mkdir(exist_ok=True)
        with locked_folder(folder):
            self.job.save(folder)
            done = Run(self, folder, client, report).all_stages()
            write_whole(folder / _PUBLISHING, "{}")
            publish(self.target, folder, self.job.grid)
            parts = folder / writing.LIST_REGIONS / "parts"
            if parts.exists():
                parts.rename(self.target.table)
            write_whole(self.target.report, json.dumps(done.to_dict(), indent=1))
        shutil.rmtree(folder, ignore_errors=True)
        return done


@dataclass(frozen=True, eq=False)
class Run:
    """The stages of a job in its folder."""

    planned: Planned
    folder: Path
    client: Client | None
    report: Report | None
    taken: dict[str, StageReport] = field(default_factory=dict)

    def all_stages(self) -> BlockwiseReport:
        """Do everything up to labels and table in the workspace."""
        job, target = self.planned.job, self.planned.target
        levels = [job.grid]
        for _ in range(job.pyramid):
            levels.append(levels[-1].coarser())
        if not (self.folder / _PUBLISHING).exists():
            create(target, self.planned.source, self.folder, levels)
        offsets = self.divide()
        num_edges = self.build_graph()
        found = self.solve(offsets)
        values = str(found.labels.folder)
        array = str(Output.of(target, self.folder).folder)
        each = range(len(job.grid))
        self.run(
            writing.WRITE,
            writing.write_labels,
            [(name_of(b), (b, values, target.driver, array)) for b in each],
        )
        for level, grid in enumerate(levels[1:], start=1):
            self.coarsen(level, grid)
        self.run(
            writing.LIST_REGIONS,
            writing.list_regions,
            [(name_of(b), (b, values)) for b in each],
        )
        top = found.levels[-1][0]
        return BlockwiseReport(
            target=str(target),
            table=str(target.table),
            shape=job.shape,
            block_shape=job.block_shape,
            num_blocks=len(job.grid),
            num_regions=int(offsets[-1]),
            num_edges=num_edges,
            num_segments=found.num_clusters,
            objective=found.objective,
            top_nodes=top["num_nodes"],
            top_edges=top["num_inner"],
            stages=self.taken,
            job=job.to_dict(),
        )

    def run(self, stage: str, function: Any, tasks: Any) -> list[Summary]:
        """Do what is left of a stage, and note what all of it took."""
        summaries = run_stage(
            self.folder, stage, function, tasks, client=self.client, report=self.report
        )
        self.taken[stage] = summarise(summaries)
        return summaries

    def divide(self) -> Any:
        """Make fragments; return the first node of each block."""
        job = self.planned.job
        tasks = [(name_of(b), (b,)) for b in range(len(job.grid))]
        divide = fragments.divide if job.superpixels is None else fragments.list_labels
        ranges = fragments.plan_owners(self.folder, self.run(fragments.DIVIDE, divide, tasks))
        owners = self.run(fragments.FIND_OWNERS, fragments.find_owners, ranges)
        offsets = fragments.count_owned(self.folder, job, owners)
        files = [
            [summary["file"], *limits] for summary, (_, limits) in zip(owners, ranges, strict=True)
        ]
        self.run(
            fragments.NUMBER,
            fragments.number,
            [(name_of(b), (b, files)) for b in range(len(job.grid))],
        )
        save_array(self.folder / "offsets.npy", offsets)
        return offsets

    def build_graph(self) -> int:
        """Build the region graph and its costs; return the number of edges."""
        number = len(self.planned.job.grid)
        found = self.run(
            region_tables.FIND_CONTACTS,
            region_tables.find_contacts,
            [(name_of(b), (b,)) for b in range(number)],
        )
        merged = self.run(
            region_tables.MERGE, region_tables.merge, region_tables.plan_merge(found, number)
        )
        num_edges = int(sum(summary["edges"] for summary in merged))
        num_samples = sum(summary["samples"] for summary in merged)
        mean_samples = num_samples / max(num_edges, 1)
        self.run(
            edge_costs.WEIGH,
            edge_costs.weigh,
            [(name_of(b), (b, mean_samples)) for b in range(number)],
        )
        return num_edges

    def solve(self, offsets: Any) -> Hierarchical:
        """Find the segment of each node."""
        job = self.planned.job
        found = solve_hierarchically(
            edge_costs.edge_table(self.folder, job),
            NodeBlocks.of_grid(offsets, job.grid.counts),
            solver=job.solver,
            workspace=self.folder / _SOLVE,
            client=self.client,
            time_limit=job.time_limit,
            seed=job.seed,
            options=job.options,
            report=self.report,
        )
        for level, summaries in enumerate(found.levels):
            self.taken[f"solve level {level}"] = summarise(list(summaries))
        return found

    def coarsen(self, level: int, grid: BlockGrid) -> None:
        """Write a coarser resolution."""
        target = self.planned.target
        finer, coarser = (
            str(Output.of(target, self.folder, number).folder) for number in (level - 1, level)
        )
        self.run(
            writing.COARSEN.format(level),
            writing.coarsen,
            [(name_of(b), (b, level, target.driver, finer, coarser)) for b in range(len(grid))],
        )


def plan_job(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    superpixels: str | os.PathLike[str] | BoundaryWatershed | None,
    offsets: ArrayLike | None,
    mask: str | os.PathLike[str] | None,
    axes: str | None,
    costs: BoundaryCosts | None,
    bias: float,
    connectivity: int,
    block_shape: SupportsIndex | Sequence[int] | None,
    halo: int | None,
    histogram: bool,
    pyramid: int,
    solver: str,
    time_limit: float | None,
    seed: SupportsIndex,
    options: Mapping[str, Any],
) -> Planned:
    """Check all arguments, before any work is done."""
    get_solver(solver).parse_options(options)
    check_bias(bias)
    steps = None if offsets is None else _check_offsets(offsets)
    opened = open_source(os.fspath(source), axes=axes, num_channels=len(steps or ()))
    if steps is not None:
        as_offsets(steps, len(steps), len(opened.shape))
    if np.dtype(opened.dtype).kind not in "ufb":
        raise ValueError(
            f"source {source}: must hold probabilities, uint8 or uint16, got {opened.dtype}"
        )
    if min(opened.shape) == 0:
        raise ValueError(f"source {source}: is empty, of shape {opened.shape}")
    placed = find_target(os.fspath(target), opened, pyramid=check_integer(0, pyramid=pyramid))
    width = DEFAULT_HALO if halo is None else check_integer(0, halo=halo)
    given, division = _check_superpixels(superpixels, steps, width)
    shape = opened.shape
    for name, other in (("superpixels", given), ("mask", mask)):
        if other is not None and open_labels(_absolute(other), name).shape != shape:
            found = open_labels(_absolute(other), name).shape
            raise ValueError(f"{name} {other}: must have the source's shape {shape}, got {found}")
    chunks = placed.chunks
    weigh = costs or BoundaryCosts()
    if not isinstance(weigh, BoundaryCosts):
        raise TypeError(
            f"costs must be a multicut.vision.BoundaryCosts, got {type(weigh).__name__}"
        )
    job = Job(
        source=_absolute(source),
        shape=shape,
        block_shape=(
            choose_block_shape(shape, chunks)
            if block_shape is None
            else check_block_shape(block_shape, shape, chunks)
        ),
        halo=width,
        superpixels=None if given is None else _absolute(given),
        mask=None if mask is None else _absolute(mask),
        axes=axes,
        offsets=steps,
        watershed={} if division is None else asdict(division),
        costs=asdict(weigh),
        bias=float(bias),
        connectivity=check_integer(1, connectivity=connectivity),
        histogram=bool(histogram) or weigh.needs_histogram,
        solver=solver,
        time_limit=None if time_limit is None else check_number(0, time_limit=time_limit),
        seed=check_seed(seed),
        options=dict(options),
        pyramid=pyramid,
    )
    if job.connectivity > len(shape):
        raise ValueError(f"connectivity must be between 1 and {len(shape)}, got {connectivity}")
    if steps is not None and connectivity != 1:
        raise ValueError(
            "connectivity has no effect on affinities, whose offsets define neighbours"
        )
    return Planned(job, opened, placed)


def _check_offsets(offsets: ArrayLike) -> tuple[tuple[int, ...], ...]:
    try:
        steps = np.asarray(offsets)
    except ValueError:
        steps = np.zeros(0)
    if steps.ndim != 2 or steps.dtype.kind not in "iu" or len(steps) == 0:
        raise ValueError(
            f"offsets must be integers, one row per channel such as [[1, 0, 0], [0, 1, 0]], "
            f"got {offsets!r}"
        )
    return tuple(tuple(int(entry) for entry in row) for row in steps)


def _check_superpixels(
    superpixels: str | os.PathLike[str] | BoundaryWatershed | None,
    offsets: tuple[tuple[int, ...], ...] | None,
    halo: int,
) -> tuple[str | os.PathLike[str] | None, BoundaryWatershed | None]:
    """Return superpixels on disk, or how to make them."""
    if isinstance(superpixels, str | os.PathLike):
        return superpixels, None
    division = superpixels
    if division is None:
        division = BoundaryWatershed(engine="bioimage-cpp")
    if not isinstance(division, BoundaryWatershed):
        raise TypeError(
            f"superpixels must be the path of an array of labels or a "
            f"multicut.vision.BoundaryWatershed, got {type(superpixels).__name__}"
        )
    if offsets is not None and not any(sum(map(abs, offset)) == 1 for offset in offsets):
        raise ValueError(
            "none of the offsets leads to a neighbouring voxel, so there are no boundaries to make "
            "superpixels from; give superpixels"
        )
    if division.engine == "bioimage-cpp":
        needed("bioimage_cpp", by="a watershed of blocks", extra="zarr")
    else:
        needed("skimage", by="a watershed of blocks")
    if division.reach == 0:
        # The farthest that a block knows: distances then do not depend on where blocks end.
        division = replace(division, reach=max(halo / 2, 1.0))
    return None, division


def _absolute(path: str | os.PathLike[str]) -> str:
    """Return where an array is, whatever folder a worker runs in."""
    place = find_place(path)
    return str(place._replace(path=place.path.resolve()))
