"""Region graphs of blocks, and how they are merged to that of the whole volume.

Each block lists the pairs of nodes that meet in it, with exact sums of the evidence. An edge of the
whole graph belongs to the block of its first node, which adds up what blocks have found about it.
Sums are exact, so the result does not depend on the blocks.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut import _core
from multicut._arrays import IntArray, distinct
from multicut.distributed.stages import Summary, map_array, save_array
from multicut.distributed.volume.fragments import OUTSIDE, Fragments, name_of
from multicut.distributed.volume.job import ORDINARY, Job
from multicut.distributed.volume.stitching import mark_basins
from multicut.distributed.volume.task import of_job
from multicut.vision.region_graph import RegionGraph, moments, region_graph_part

if TYPE_CHECKING:
    from numpy.typing import NDArray

FIND_CONTACTS = "contacts"
MERGE = "region graph"
_FIELDS = [
    ("u", np.int64),
    ("v", np.int64),
    ("touching", np.int64),
    ("samples", np.int64),
    ("sum", np.uint64, 2),
    ("sum_of_squares", np.uint64, 2),
    ("minimum", np.float64),
    ("maximum", np.float64),
    # Not of the evidence: voxels at a face that the watersheds of both blocks agree about, where u
    # and v are parts of one basin (stitching.py).
    ("overlap", np.int64),
]
_HISTOGRAM = ("histogram", np.uint32, _core.EVIDENCE_BINS)
_HALF = np.uint64(32)


@of_job
def find_contacts(folder: Path, job: Job, block: int) -> Summary:
    """List the nodes that meet in a block, with the evidence there, and count voxels of nodes."""
    grid, source, steps = job.grid, job.open(), job.steps
    core = grid.box(block)
    before, after = np.maximum(-steps.min(axis=0), 0), np.maximum(steps.max(axis=0), 0)
    outer = grid.grown(core, before.tolist(), after.tolist())
    fragments = Fragments(folder, job)
    nodes = fragments.read(outer)
    evidence = source.read(outer, with_channels=True)
    inside = core.within(outer)
    tables: dict[str, NDArray[Any]] = {}
    for kind, channels in job.kinds.items():
        given = (
            {"boundaries": evidence[0], "connectivity": job.connectivity}
            if job.offsets is None
            else {
                "affinities": evidence[channels] if job.lifted else evidence,
                "offsets": steps[channels],
            }
        )
        found = region_graph_part(
            nodes, inside.begin, inside.end, ignore=OUTSIDE, histogram=job.histogram, **given
        )
        tables[kind] = _table(found, has_histogram=job.histogram)
    if job.superpixels is None and job.halo > 0:
        mark_basins(tables[ORDINARY], fragments, block)
    for kind, table in tables.items():
        save_array(_file(folder / FIND_CONTACTS, block, kind), table)
    counts = np.stack([found["regions"].astype(np.int64), found["counts"]], axis=1)
    save_array(folder / FIND_CONTACTS / f"{name_of(block)}.counts.npy", counts)
    offsets = fragments.offsets
    both = distinct(np.concatenate([table["u"] for table in tables.values()]))
    size = sum(table.nbytes for table in tables.values())
    return {
        "contacts": sum(map(len, tables.values())),
        "edge_blocks": _blocks_of(both, offsets),
        "node_blocks": _blocks_of(counts[:, 0], offsets),
        "voxels": core.size,
        "voxels_read": outer.size,
        "bytes_read": outer.size * (source.bytes_per_voxel + 4),
        "bytes_written": size + counts.nbytes,
    }


def _file(folder: Path, block: int, kind: str) -> Path:
    """Return the file of the edges of a kind."""
    return folder / f"{name_of(block)}{kind}.npy"


def _table(found: dict[str, NDArray[Any]], *, has_histogram: bool) -> NDArray[Any]:
    table = np.zeros(len(found["pairs"]), dtype=[*_FIELDS, *([_HISTOGRAM] * has_histogram)])
    table["u"], table["v"] = found["pairs"].astype(np.int64).T
    for name in table.dtype.names or ():
        if name in found:
            table[name] = found[name]
    return table


def _blocks_of(nodes: IntArray, offsets: IntArray) -> list[int]:
    """Return the blocks that ascending nodes belong to."""
    found: list[int] = np.unique(np.searchsorted(offsets, nodes, side="right") - 1).tolist()
    return found


def plan_merge(summaries: list[Summary], num_blocks: int) -> list[tuple[str, tuple[Any, ...]]]:
    """Return one task of :func:`merge` for each block, with the blocks that it reads from."""
    edges: list[list[int]] = [[] for _ in range(num_blocks)]
    nodes: list[list[int]] = [[] for _ in range(num_blocks)]
    for block, summary in enumerate(summaries):
        for owner in summary["edge_blocks"]:
            edges[owner].append(block)
        for owner in summary["node_blocks"]:
            nodes[owner].append(block)
    return [(name_of(i), (i, edges[i], nodes[i])) for i in range(num_blocks)]


@of_job
def merge(
    folder: Path, job: Job, block: int, edge_blocks: list[int], node_blocks: list[int]
) -> Summary:
    """Add up what blocks know about the edges whose first node belongs to a block."""
    first, last = Fragments(folder, job).offsets[block : block + 2].tolist()
    edges, samples, bytes_read, bytes_written = {}, {}, 0, 0
    for kind in job.kinds:
        parts = []
        for other in edge_blocks:
            table = map_array(_file(folder / FIND_CONTACTS, other, kind))
            begin, end = np.searchsorted(table["u"], [first, last])
            parts.append(table[begin:end])
        merged = merge_tables(parts, has_histogram=job.histogram)
        save_array(_file(folder / MERGE, block, kind), merged)
        edges[kind], samples[kind] = len(merged), int(merged["samples"].sum())
        bytes_read += sum(part.nbytes for part in parts)
        bytes_written += merged.nbytes
    sizes = np.zeros(last - first, dtype=np.int64)
    for other in node_blocks:
        counts = map_array(folder / FIND_CONTACTS / f"{name_of(other)}.counts.npy")
        begin, end = np.searchsorted(counts[:, 0], [first, last])
        sizes[counts[begin:end, 0] - first] += counts[begin:end, 1]
    save_array(folder / MERGE / f"{name_of(block)}.sizes.npy", sizes)
    return {
        "nodes": last - first,
        "edges": edges,
        "samples": samples,
        "bytes_read": bytes_read,
        "bytes_written": bytes_written + sizes.nbytes,
    }


def merge_tables(parts: list[NDArray[Any]], *, has_histogram: bool) -> NDArray[Any]:
    """Return one table with the sums of all entries about the same two nodes, ascending."""
    if not parts:
        return np.empty(0, dtype=[*_FIELDS, *([_HISTOGRAM] * has_histogram)])
    table = np.concatenate(parts)
    order = np.lexsort((table["v"], table["u"]))
    u, v = table["u"][order], table["v"][order]
    is_first = np.ones(len(table), dtype=bool)
    is_first[1:] = (u[1:] != u[:-1]) | (v[1:] != v[:-1])
    starts = np.flatnonzero(is_first)
    table = table[order]
    if len(starts) == len(table):
        return table
    merged = table[starts]
    for name in ("touching", "samples", *(["histogram"] if has_histogram else [])):
        merged[name] = np.add.reduceat(table[name], starts, axis=0)
    for name in ("sum", "sum_of_squares"):
        merged[name] = _add_sums(table[name], starts)
    merged["minimum"] = np.minimum.reduceat(table["minimum"], starts)
    for name in ("maximum", "overlap"):  # both blocks at a face have counted the same voxels
        merged[name] = np.maximum.reduceat(table[name], starts)
    return merged


def _add_sums(sums: NDArray[np.uint64], starts: IntArray) -> NDArray[np.uint64]:
    """Add exact sums of 128 bits, whose lower 64 are added in two halves so that none is lost."""
    high, low = sums.T
    lower = np.add.reduceat(low & np.uint64(0xFFFFFFFF), starts)
    upper = np.add.reduceat(low >> _HALF, starts) + (lower >> _HALF)
    total_low = (upper << _HALF) | (lower & np.uint64(0xFFFFFFFF))
    total_high = np.add.reduceat(high, starts) + (upper >> _HALF)
    return np.stack([total_high, total_low], axis=1)


def graph_of(table: NDArray[Any], sizes: IntArray, first: int = 0) -> RegionGraph:
    """Return a table as a region graph, whose regions are the nodes from a first one on."""
    mean, variance = moments(table["sum"], table["sum_of_squares"], table["samples"])
    return RegionGraph(
        region_ids=np.arange(first, first + len(sizes)),
        counts=sizes,
        edges=np.stack([table["u"], table["v"]], axis=1),
        sizes=np.ascontiguousarray(table["touching"]),
        num_samples=np.ascontiguousarray(table["samples"]),
        mean=mean,
        variance=variance,
        minimum=np.ascontiguousarray(table["minimum"]),
        maximum=np.ascontiguousarray(table["maximum"]),
        histogram=(
            np.ascontiguousarray(table["histogram"])
            if "histogram" in (table.dtype.names or ())
            else None
        ),
    )


def read_table(folder: Path, block: int, kind: str = ORDINARY) -> NDArray[Any]:
    """Return the edges of the whole graph whose first node belongs to a block."""
    return map_array(_file(folder / MERGE, block, kind))


def read_sizes(folder: Path, block: int) -> IntArray:
    """Return the voxels of the nodes of a block."""
    return map_array(folder / MERGE / f"{name_of(block)}.sizes.npy")


def whole_graph(folder: Path, num_blocks: int, kind: str = ORDINARY) -> RegionGraph:
    """Return the region graph of a whole volume, where it fits into memory."""
    return graph_of(
        np.concatenate([read_table(folder, block, kind) for block in range(num_blocks)]),
        np.concatenate([read_sizes(folder, block) for block in range(num_blocks)]),
    )
