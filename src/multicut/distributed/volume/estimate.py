"""What a segmentation would take: a cost model whose rates are measured on a sample of the data."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._words import block, count, image_size
from multicut.distributed.volume.blocks import BlockGrid, Box, Shape
from multicut.distributed.volume.job import Job
from multicut.distributed.volume.source import VolumeSource
from multicut.distributed.volume.watershed import boundary_map, divide_block
from multicut.vision.region_graph import region_graph_part

if TYPE_CHECKING:
    from numpy.typing import NDArray

_GIBIBYTE = 2**30
# Seconds of a processor. The watershed and the region graph of a block are measured on the sample;
# these are from benchmarks/blockwise.py.
_PER_TASK = 0.003
_GRAPH_STAGES = 12
_PER_EDGE = 5e-6
_PER_EDGE_AND_LEVEL = 2e-6
_PER_EDGE_AND_LEVEL_OF_BOUND = 1.2e-6
_PER_VOXEL_OF_CONTACTS = 1.5e-8
_PER_LABEL_WRITTEN = 3e-8
# Seconds for each worker, which loads modules.
_PER_PROCESS = 0.5
# Bytes that a watershed holds for each voxel of a block and its halo, a solver for each edge, and a
# process without any.
_BYTES_PER_VOXEL = 34
_BYTES_PER_EDGE = 300
_BYTES_OF_A_PROCESS = 200 << 20
# Of the regions that the last faces between blocks cut, as a multiple: what is left for the last
# problem.
_LEFT_AT_FACES = 6.0
# Of the fragments that reach across a face, seen from both blocks: the share that has another name
# on the other side.
_NAMED_TWICE = 0.6


@dataclass(frozen=True)
class StageEstimate:
    """What a stage would take: seconds of a processor, and bytes before compression."""

    seconds: float
    bytes_read: float
    bytes_written: float


@dataclass(frozen=True)
class Estimate:
    """What a segmentation would take.

    Attributes
    ----------
    shape, block_shape, num_blocks
        Of the volume and its blocks.
    num_workers
        Processes that work at the same time.
    num_regions, num_edges
        Of the region graph, from the density in the sample.
    top_nodes, top_memory
        About how many nodes are left for the last problem, which one process solves, and the bytes
        that it needs.
    peak_memory
        Bytes of a worker while it divides a block.
    disk
        Bytes of files between stages, before they are removed.
    processor_seconds, seconds
        The work of all processors, and the time that passes if none of them waits.
    stages
        What each stage takes.
    """

    shape: Shape
    block_shape: Shape
    num_blocks: int
    num_workers: int
    num_regions: int
    num_edges: int
    top_nodes: int
    top_memory: int
    peak_memory: int
    disk: int
    processor_seconds: float
    seconds: float
    stages: Mapping[str, StageEstimate] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)

    def rows(self) -> dict[str, str]:
        """Return the lines of :meth:`summary` as a mapping of names to values."""
        read = sum(stage.bytes_read for stage in self.stages.values())
        return {
            "volume": image_size(self.shape),
            "blocks": f"{self.num_blocks:,} of {image_size(self.block_shape)}",
            "regions": f"about {self.num_regions:,}, {count(self.num_edges, 'edge')}",
            "last problem": (
                f"about {count(self.top_nodes, 'node')}, {self.top_memory / _GIBIBYTE:,.2f} GiB"
            ),
            "memory": f"{self.peak_memory / _GIBIBYTE:.2f} GiB for each worker",
            "disk": f"{self.disk / _GIBIBYTE:,.2f} GiB between stages",
            "read": f"{read / _GIBIBYTE:,.2f} GiB",
            "work": f"about {_duration(self.processor_seconds)} of a processor",
            "time": f"about {_duration(self.seconds)} on {count(self.num_workers, 'worker')}",
        }

    def summary(self) -> str:
        """Return a description of a few lines."""
        return block(self.rows())

    def stage_rows(self) -> list[tuple[str, str, str, str]]:
        """Return for each stage its name, the work of processors, and GiB read and written."""
        return [
            (
                name,
                _duration(stage.seconds),
                f"{stage.bytes_read / _GIBIBYTE:,.2f}",
                f"{stage.bytes_written / _GIBIBYTE:,.2f}",
            )
            for name, stage in self.stages.items()
        ]


def _duration(seconds: float) -> str:
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.1f} {unit}"
    return f"{seconds:.1f} seconds"


@dataclass(frozen=True)
class Sample:
    """Rates that were measured on a part of the volume.

    Attributes
    ----------
    watershed, contacts
        Seconds of a processor for each voxel, in the former those of the halo included.
    regions, edges
        For each voxel.
    crossing
        Fragments of a block that begin in its halo, for each voxel of its faces.
    """

    watershed: float
    contacts: float
    regions: float
    edges: float
    crossing: float


def measure(job: Job, source: VolumeSource) -> Sample:
    """Segment a block in the middle of the volume, as stages do, and take the time."""
    lengths = tuple(map(min, job.shape, job.block_shape))
    begin = tuple((n - m) // 2 for n, m in zip(job.shape, lengths, strict=True))
    core = Box(begin, tuple(b + m for b, m in zip(begin, lengths, strict=True)))
    grid = BlockGrid(job.shape, job.block_shape)
    outer = grid.grown(core, (job.halo,) * len(job.shape), (job.halo,) * len(job.shape))
    start = time.process_time()
    evidence = source.read(outer, with_channels=True)
    given = job.open_superpixels()
    if given is None:
        boundaries = boundary_map(evidence, None if job.offsets is None else job.steps)
        division = divide_block(boundaries, outer, core, job.shape, job.make_watershed(), None)
        local, regions = division.local.astype(np.int64), _count_seeds(division.names, core, job)
        crossing = (len(division.names) - regions) / max(_sum_sizes(division.beyond), 1)
        watershed = (time.process_time() - start) / outer.size
    else:
        local = given.read(core).astype(np.int64)
        regions = _count_within(local)
        crossing = 0.0
        watershed = (time.process_time() - start) / core.size
    start = time.process_time()
    inside = core.within(outer).slices
    found = region_graph_part(
        local,
        (0,) * local.ndim,
        local.shape,
        evidence[0][inside] if job.offsets is None else None,
        affinities=None if job.offsets is None else evidence[(slice(None), *inside)],
        offsets=None if job.offsets is None else job.steps,
        connectivity=job.connectivity,
        histogram=job.histogram,
    )
    contacts = (time.process_time() - start) / core.size
    return Sample(
        watershed,
        _PER_VOXEL_OF_CONTACTS + contacts,
        regions / core.size,
        len(found["pairs"]) / core.size,
        crossing,
    )


def _sum_sizes(layers: Mapping[str, NDArray[np.uint32]]) -> int:
    return sum(layer.size for layer in layers.values())


def _count_seeds(names: NDArray[np.uint64], core: Box, job: Job) -> int:
    """Return how many seeds lie in a box; what others flood there belongs to other boxes."""
    seeds = names[names < math.prod(job.shape)].astype(np.int64)
    inside = np.ones(len(seeds), dtype=bool)
    places = np.unravel_index(seeds, job.shape)
    for place, begin, end in zip(places, core.begin, core.end, strict=True):
        inside &= (begin <= place) & (place < end)
    return max(int(inside.sum()), 1)


def _count_within(labels: NDArray[np.int64]) -> int:
    """Return how many regions of a box do not reach its first voxels along any axis."""
    found = set(np.unique(labels).tolist())
    for axis in range(labels.ndim):
        found -= set(np.unique(labels.take(0, axis=axis)).tolist())
    return max(len(found), 1)


def estimate(
    job: Job,
    source: VolumeSource,
    num_workers: int,
    shape: Shape | None = None,
    block_shape: Shape | None = None,
    sample: Sample | None = None,
) -> Estimate:
    """Return what a job would take.

    Parameters
    ----------
    job, source
        What to segment, and how.
    num_workers
        Processes that work at the same time.
    shape, block_shape
        The shape of the volume and of its blocks, if these are to be others than those of the job.
    sample
        Rates; by default measured now, on the source.
    """
    rates = measure(job, source) if sample is None else sample
    full = replace(job, shape=shape or job.shape, block_shape=block_shape or job.block_shape)
    grid, voxels = full.grid, math.prod(full.shape)
    number = len(grid)
    halo = [2 * job.halo] * len(full.shape)
    outer = math.prod(
        min(b + h, n) for b, h, n in zip(full.block_shape, halo, full.shape, strict=True)
    )
    # Blocks at the border of the volume have less of a halo; of few blocks that is most of them.
    with_halo = math.prod(
        n + job.halo * 2 * (c - 1) for n, c in zip(full.shape, grid.counts, strict=True)
    )
    # Voxels at one side of faces between blocks.
    faces = sum(voxels // n * (c - 1) for n, c in zip(full.shape, grid.counts, strict=True))
    regions = rates.regions * voxels + _NAMED_TWICE * 2 * rates.crossing * faces
    edges = rates.edges * voxels
    size, row = source.bytes_per_voxel, 96 + 128 * job.histogram
    levels = math.ceil(math.log2(max(grid.counts))) + 1
    seen = with_halo if job.superpixels is None else voxels
    stages = {
        "fragments": StageEstimate(rates.watershed * seen, size * seen, 4 * voxels),
        "contacts": StageEstimate(rates.contacts * voxels, (size + 4) * voxels, row * edges),
        "region graph, costs, table": StageEstimate(
            _PER_EDGE * edges + _PER_TASK * _GRAPH_STAGES * number, 2 * row * edges, 2 * row * edges
        ),
        "solve": StageEstimate(
            _PER_EDGE_AND_LEVEL * edges * levels, 24 * edges * levels, 24 * edges * levels
        ),
        "bound": StageEstimate(
            _PER_EDGE_AND_LEVEL_OF_BOUND * edges * levels, 24 * edges * levels, 24 * edges * levels
        ),
        "labels": StageEstimate(_PER_LABEL_WRITTEN * voxels, 4 * voxels, 8 * voxels),
    }
    busy = min(num_workers, number)
    work = sum(stage.seconds for stage in stages.values()) + _PER_PROCESS * busy
    top = _top_nodes(regions, full.shape, levels)
    top_edges = top * edges / max(regions, 1)
    alone = (_PER_EDGE_AND_LEVEL + _PER_EDGE_AND_LEVEL_OF_BOUND) * top_edges
    return Estimate(
        shape=full.shape,
        block_shape=full.block_shape,
        num_blocks=number,
        num_workers=num_workers,
        num_regions=round(regions),
        num_edges=round(edges),
        top_nodes=round(top),
        top_memory=round(_BYTES_OF_A_PROCESS + _BYTES_PER_EDGE * top_edges),
        peak_memory=round(
            _BYTES_OF_A_PROCESS
            + outer * (_BYTES_PER_VOXEL + size if job.superpixels is None else 24)
        ),
        disk=round((4 if job.superpixels is None else 0) * voxels + 8 * voxels + 4 * row * edges),
        processor_seconds=work,
        seconds=work / busy + alone,
        stages=stages,
    )


def _top_nodes(regions: float, shape: Shape, levels: int) -> float:
    """Return about how many nodes the last problem has: regions near the last faces."""
    if levels == 1:
        return regions
    per_length = (regions / math.prod(shape)) ** (1 / len(shape))
    across = sum(
        math.prod(n * per_length for j, n in enumerate(shape) if j != axis)
        for axis in range(len(shape))
    )
    return float(min(regions, _LEFT_AT_FACES * across))
