"""Blocks found by reading the edges a few times, for ids that say nothing of the graph."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from multicut import _core
from multicut.distributed.stages import Summary, save_array
from multicut.distributed.table.nodes import TableNodes

STREAM = "stream"
# Each time the edges are read, sets may grow by this factor: small ones first, so that blocks
# become compact.
_GROWTH = 8
_MOST_NODES = 2**32 - 1


def stream_blocks(
    folder: str, nodes: TableNodes, num_chunks: int, number: int, target: str
) -> Summary:
    """Join nodes along attractive edges to sets of limited size, and fill blocks with these.

    Needs eight bytes for each node.
    """
    if nodes.num_nodes > _MOST_NODES:
        raise ValueError(
            f"blocks='stream' takes at most 2^32 nodes, got {nodes.num_nodes:,}; name a table of "
            f"blocks or of coordinates"
        )
    most = -(-nodes.num_nodes // number)
    parents = np.arange(nodes.num_nodes, dtype=np.uint32)
    sizes = np.ones(nodes.num_nodes, dtype=np.uint32)
    limits = [limit for limit in (_GROWTH**power for power in range(1, 11)) if limit < most]
    rounds = [(limit, 0.0) for limit in (*limits, most)] + [(most, -np.inf)]
    for limit, least_cost in rounds:
        for chunk in range(num_chunks):
            u, v, costs = nodes.positions_in_chunk(chunk)
            _core.grow_sets(parents, sizes, u, v, costs, least_cost=least_cost, most=limit)
    _core.finish_sets(parents)
    firsts = np.flatnonzero(parents == np.arange(nodes.num_nodes, dtype=np.uint32))
    block_of_set = _filled(sizes[firsts].astype(np.int64), most)
    num_blocks = int(block_of_set[-1]) + 1
    # Only entries of what represents a set are read.
    sizes[firsts] = block_of_set
    place = Path(folder) / target
    place.mkdir(exist_ok=True)
    counts = []
    for part in range(nodes.num_parts):
        blocks = sizes[parents[slice(*nodes.offsets[part : part + 2])]].astype(np.int64)
        save_array(place / f"{part:05d}.npy", blocks)
        counts.append(np.bincount(blocks, minlength=num_blocks).tolist())
    return {"counts": counts}


def _filled(
    sizes: np.ndarray[tuple[int], np.dtype[np.int64]], most: int
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the block of each set, when sets are put into blocks in order until they are full."""
    ends = np.cumsum(sizes)
    blocks = np.empty(len(sizes), dtype=np.int64)
    start = block = 0
    while start < len(sizes):
        before = ends[start] - sizes[start]
        end = max(int(np.searchsorted(ends, before + most, side="right")), start + 1)
        blocks[start:end] = block
        start, block = end, block + 1
    return blocks
