"""Fragments: what each voxel belongs to, as nodes that are numbered block by block.

Fragments of a watershed, as well as superpixels that are given, have names and may lie in several
blocks. They are nodes of the first of these: block ``b`` has the nodes ``offsets[b] … offsets[b +
1] - 1``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut import _core
from multicut._arrays import IntArray
from multicut.distributed.stages import Summary, load_arrays, map_array, save_array, save_arrays
from multicut.distributed.volume.blocks import Box
from multicut.distributed.volume.job import Job
from multicut.distributed.volume.task import of_job
from multicut.distributed.volume.watershed import boundary_map, divide_block
from multicut.vision.region_graph import label_volume

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIVIDE = "fragments"
FIND_OWNERS = "owners"
NUMBER = "numbers"
OUTSIDE = -1
_LABELS_PER_TASK = 1 << 22
_SAMPLES_PER_TASK = 64


def name_of(block: int) -> str:
    """Return the name of a block's files."""
    return f"{block:05d}"


@of_job
def divide(folder: Path, job: Job, block: int) -> Summary:
    """Divide a block into fragments by a watershed of it and its halo."""
    grid, source = job.grid, job.open()
    core = grid.box(block)
    halo = (job.halo,) * len(job.shape)
    outer = grid.grown(core, halo, halo)
    offsets = None if job.offsets is None else job.steps
    boundaries = boundary_map(source.read(outer, with_channels=True), offsets)
    local, names, beyond = divide_block(
        boundaries, outer, core, job.shape, job.make_watershed(), _read_mask(job, core)
    )
    save_array(folder / DIVIDE / f"{name_of(block)}.voxels.npy", local)
    save_array(folder / DIVIDE / f"{name_of(block)}.npy", names)
    save_arrays(folder / DIVIDE / f"{name_of(block)}.beyond.npz", **beyond)
    return {
        "regions": len(names),
        "voxels": core.size,
        "voxels_read": outer.size,
        "bytes_read": outer.size * source.bytes_per_voxel,
        "bytes_written": local.nbytes + names.nbytes,
    }


def _read_mask(job: Job, box: Box) -> NDArray[np.bool_] | None:
    mask = job.open_mask()
    return None if mask is None else mask.read(box) != 0


@of_job
def list_labels(folder: Path, job: Job, block: int) -> Summary:
    """List the superpixels of a block that are given."""
    labels, source = _read_labels(job, job.grid.box(block)), job.open_superpixels()
    assert source is not None
    found = np.unique(labels)
    found = found[found != _unused(labels.dtype)].astype(np.uint64)
    save_array(folder / DIVIDE / f"{name_of(block)}.npy", found)
    return {
        "regions": len(found),
        "voxels": labels.size,
        "voxels_read": labels.size,
        "bytes_read": labels.size * source.bytes_per_voxel,
        "bytes_written": found.nbytes,
    }


def _unused(dtype: np.dtype[Any]) -> int:
    """Return the label of voxels that belong to no superpixel, -1 where there are negative ones."""
    return int(np.iinfo(dtype).max)


def _read_labels(job: Job, box: Box) -> NDArray[Any]:
    """Return superpixels as unsigned integers, the largest of which stands for the outside."""
    source = job.open_superpixels()
    assert source is not None
    values = source.read(box)
    values = values.astype(np.uint8) if values.dtype.kind == "b" else values
    if values.dtype.kind == "i" and values.min(initial=OUTSIDE) < OUTSIDE:
        raise ValueError(
            f"superpixels {source.name}: labels must be at least 0, or -1 for voxels to leave "
            f"out, got {values.min()}"
        )
    # Wide enough that the largest integer is no label of 8 or 16 bits.
    kind = f"{values.dtype.kind}{max(values.dtype.itemsize, 4)}"
    labels = values.astype(kind, copy=False).view(kind.replace("i", "u"))
    mask = _read_mask(job, box)
    if mask is not None:
        labels = np.where(mask, labels, labels.dtype.type(_unused(labels.dtype)))
    return labels


def plan_owners(folder: Path, summaries: list[Summary]) -> list[tuple[str, tuple[Any, ...]]]:
    """Divide the labels of all blocks into ranges, one for each task of :func:`find_owners`."""
    total = sum(summary["regions"] for summary in summaries)
    number = max(1, -(-total // _LABELS_PER_TASK))
    step = max(1, total // (number * _SAMPLES_PER_TASK))
    samples = np.sort(
        np.concatenate(
            [
                np.asarray(map_array(folder / DIVIDE / f"{name_of(block)}.npy")[::step])
                for block in range(len(summaries))
            ]
        )
    )
    limits = [0, *(int(samples[len(samples) * i // number]) for i in range(1, number)), 1 << 64]
    return [(name_of(i), (limits[i], limits[i + 1])) for i in range(number)]


@of_job
def find_owners(folder: Path, job: Job, low: int, high: int) -> Summary:
    """Find the first block of each label of a range, and the label's rank among those of it."""
    labels, blocks = [], []
    for block in range(len(job.grid)):
        found = _in_range(map_array(folder / DIVIDE / f"{name_of(block)}.npy"), low, high)[1]
        labels.append(found)
        blocks.append(np.full(len(found), block))
    merged, first = np.unique(np.concatenate(labels), return_index=True)
    owners = np.concatenate(blocks)[first]
    order = np.argsort(owners, kind="stable")
    present, starts, counts = np.unique(owners[order], return_index=True, return_counts=True)
    ranks = np.empty(len(owners), dtype=np.int64)
    ranks[order] = np.arange(len(owners)) - np.repeat(starts, counts)
    name = f"{low:020d}.npz"
    save_arrays(folder / FIND_OWNERS / name, labels=merged, owners=owners, ranks=ranks)
    return {"file": name, "blocks": present.tolist(), "counts": counts.tolist()}


def _in_range(labels: NDArray[Any], low: int, high: int) -> tuple[slice, NDArray[np.uint64]]:
    begin = int(np.searchsorted(labels, np.uint64(low)))
    end = (
        len(labels)
        if high > _unused(np.dtype(np.uint64))
        else int(np.searchsorted(labels, np.uint64(high)))
    )
    return slice(begin, end), np.asarray(labels[begin:end])


def count_owned(folder: Path, job: Job, summaries: list[Summary]) -> IntArray:
    """Return the first node of each block, and the number of nodes."""
    counts = np.zeros((len(summaries), len(job.grid)), dtype=np.int64)
    for row, summary in zip(counts, summaries, strict=True):
        row[summary["blocks"]] = summary["counts"]
    offsets = np.concatenate([[0], np.cumsum(counts.sum(axis=0))])
    firsts = offsets[:-1] + np.cumsum(counts, axis=0) - counts
    save_array(folder / FIND_OWNERS / "firsts.npy", firsts)
    return offsets


@of_job
def number(folder: Path, job: Job, block: int, ranges: list[list[Any]]) -> Summary:  # noqa: ARG001
    """Write the node of each superpixel of a block."""
    labels = map_array(folder / DIVIDE / f"{name_of(block)}.npy")
    nodes = np.empty(len(labels), dtype=np.int64)
    firsts = map_array(folder / FIND_OWNERS / "firsts.npy")
    for row, (name, low, high) in enumerate(ranges):
        places, wanted = _in_range(labels, low, high)
        if len(wanted) == 0:  # of most ranges, where there are many
            continue
        arrays = load_arrays(folder / FIND_OWNERS / name)
        found = np.searchsorted(arrays["labels"], wanted)
        nodes[places] = firsts[row][arrays["owners"][found]] + arrays["ranks"][found]
    save_array(folder / NUMBER / f"{name_of(block)}.npy", nodes)
    return {}


@dataclass(frozen=True)
class Fragments:
    """The node of each voxel, read box by box.

    Attributes
    ----------
    folder, job
        Where the files are, and what they are about.
    """

    folder: Path
    job: Job

    @property
    def offsets(self) -> IntArray:
        """The first node of each block, and the number of nodes."""
        return np.asarray(map_array(self.folder / "offsets.npy"))

    def read(self, box: Box) -> IntArray:
        """Return the nodes of a box, -1 for voxels that belong to none."""
        nodes = np.empty(box.shape, dtype=np.int64)
        for block in self.job.grid.overlapping(box):
            part = box.common(self.job.grid.box(block))
            known = np.concatenate([[OUTSIDE], self.nodes_of(block)])
            nodes[part.within(box).slices] = known[self.read_local(block, part)]
        return nodes

    def nodes_of(self, block: int) -> IntArray:
        """Return the nodes that have voxels in a block, in the order of their names."""
        return map_array(self.folder / NUMBER / f"{name_of(block)}.npy")

    def read_local(self, block: int, box: Box) -> NDArray[np.integer]:
        """Return for voxels of a block 1 + the position in :meth:`nodes_of`, 0 for no node."""
        if self.job.superpixels is None:
            voxels = map_array(self.folder / DIVIDE / f"{name_of(block)}.voxels.npy")
            return np.asarray(voxels[box.within(self.job.grid.box(block)).slices])
        values = _read_labels(self.job, box)
        known = np.asarray(map_array(self.folder / DIVIDE / f"{name_of(block)}.npy"))
        volume = label_volume(values, _unused(values.dtype))
        places = _core.number_voxels(volume.labels, volume.shape, volume.ignored, known)
        return places.reshape(box.shape) + 1

    def read_beyond(self, block: int, face: str) -> IntArray:
        """Return how a block's watershed goes on in the layer of voxels beyond one of its faces."""
        layers = load_arrays(self.folder / DIVIDE / f"{name_of(block)}.beyond.npz")
        nodes: IntArray = np.concatenate([[OUTSIDE], self.nodes_of(block)])[layers[face]]
        return nodes

    def labels_of(self, nodes: IntArray) -> NDArray[np.uint64]:
        """Return the names of nodes: labels of superpixels that are given, or places of seeds."""
        found = np.empty(len(nodes), dtype=np.uint64)
        blocks = np.searchsorted(self.offsets, nodes, side="right") - 1
        for block in np.unique(blocks).tolist():
            own = np.asarray(map_array(self.folder / NUMBER / f"{name_of(block)}.npy"))
            known = map_array(self.folder / DIVIDE / f"{name_of(block)}.npy")
            order = np.argsort(own)
            chosen = blocks == block
            found[chosen] = known[order[np.searchsorted(own, nodes[chosen], sorter=order)]]
        return found
