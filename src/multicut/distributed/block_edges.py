"""Edges by block: each block gets those inside it, and those that lead out of it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from multicut._arrays import BoolArray, IntArray
from multicut.distributed.edges import Edges
from multicut.distributed.node_blocks import NodeBlocks
from multicut.distributed.plan import Plan
from multicut.distributed.stages import (
    Summary,
    compact,
    load_arrays,
    map_array,
    save_array,
    save_arrays,
)

_PARTS = ("u", "v", "cost")
SORT = "sort edges by block"
SORT_LINKED = "sort edges by block again"
FIND_LINKS = "find must-links"
GATHER = "gather edges"


def sort_chunk(folder: str, chunk: int, stage: str) -> Summary:
    """Sort the edges of a chunk by block; those between two blocks come twice.

    Ends of must-links are replaced by the first of all nodes that these link, once that is known.
    Self-loops are dropped.
    """
    place, plan = Path(folder), Plan.load(Path(folder))
    u, v, cost = plan.edges.read(chunk)
    _check(plan.node_blocks, plan.edges.file(chunk), u, v, cost)
    is_link = np.isposinf(cost)
    num_links = int(np.count_nonzero(is_link))
    if stage == SORT_LINKED:
        links = Links.load(place)
        u, v = links.first_of(u), links.first_of(v)
        refused = np.flatnonzero((u == v) & np.isneginf(cost))
        if len(refused) > 0:
            given_u, given_v, _ = plan.edges.read(chunk)
            contradiction = [int(given_u[refused[0]]), int(given_v[refused[0]])]
            return {"contradiction": contradiction}
    elif num_links > 0:
        save_arrays(place / stage / f"{chunk:05d}.links.npz", u=u[is_link], v=v[is_link])
    kept = u != v
    u, v, cost = u[kept], v[kept], cost[kept]
    blocks = plan.node_blocks.block_of(u).astype(np.int32)
    others = plan.node_blocks.block_of(v).astype(np.int32)
    crossing = np.flatnonzero(blocks != others)
    all_blocks = np.concatenate([blocks, others[crossing]])
    order = np.argsort(all_blocks, kind="stable")
    values = (
        compact(np.concatenate([u, v[crossing]])),
        compact(np.concatenate([v, u[crossing]])),
        np.concatenate([cost, cost[crossing]]),
    )
    for name, array in zip(_PARTS, values, strict=True):
        save_array(place / stage / f"{chunk:05d}.{name}.npy", array[order])
    found, counts = np.unique(all_blocks, return_counts=True)
    return {"blocks": found.tolist(), "counts": counts.tolist(), "num_links": num_links}


def _check(blocks: NodeBlocks, file: Path, u: IntArray, v: IntArray, cost: Any) -> None:
    for name, nodes in (("u", u), ("v", v)):
        if len(nodes) > 0 and (nodes.min() < 0 or nodes.max() >= blocks.num_nodes):
            wrong = nodes[(nodes < 0) | (nodes >= blocks.num_nodes)][0]
            raise ValueError(f"{file}: {name} must be below {blocks.num_nodes:,}, got {wrong}")
    if np.isnan(cost).any():
        raise ValueError(f"{file}: cost must not be NaN, got one at edge {np.isnan(cost).argmax()}")


class Links:
    """Nodes that must-links join, with the first of all nodes that each is joined with."""

    def __init__(self, nodes: IntArray, firsts: IntArray) -> None:
        self.nodes = nodes
        self.firsts = firsts

    @classmethod
    def load(cls, folder: Path) -> Links:
        """Read them; there are none unless they were looked for."""
        file = folder / FIND_LINKS / "links.npz"
        if not file.exists():
            return cls(np.zeros(0, np.int64), np.zeros(0, np.int64))
        arrays = load_arrays(file)
        return cls(arrays["nodes"], arrays["firsts"])

    def first_of(self, nodes: IntArray) -> IntArray:
        """Return the node that each node is represented by: itself, or the first linked one."""
        if len(self.nodes) == 0:
            return nodes
        places = np.minimum(np.searchsorted(self.nodes, nodes), len(self.nodes) - 1)
        return np.where(self.nodes[places] == nodes, self.firsts[places], nodes)


def find_links(folder: str, chunks: list[int]) -> Summary:
    """Join all must-links of the chunks that have some."""
    place = Path(folder)
    parts = [load_arrays(place / SORT / f"{chunk:05d}.links.npz") for chunk in chunks]
    u = np.concatenate([part["u"] for part in parts])
    v = np.concatenate([part["v"] for part in parts])
    problem = Edges(u, v, np.ones(len(u))).to_problem()
    from multicut.partition import labels_of_cut

    labels = labels_of_cut(problem, np.zeros(problem.num_edges, dtype=np.bool_))
    nodes = problem.node_ids
    # Labels are in order of first appearance, and so of the least node.
    firsts = nodes[np.unique(labels, return_index=True)[1]][labels]
    save_arrays(place / FIND_LINKS / "links.npz", nodes=nodes, firsts=firsts)
    return {"num_nodes": len(nodes)}


def gather_block(
    folder: str, block: int, stage: str, slices: list[tuple[int, int, int]]
) -> Summary:
    """Put together the edges of a block, from slices of the sorted chunks, and merge them.

    Those inside keep the order of the table, so that one block is the graph of the table.
    """
    place, plan = Path(folder), Plan.load(Path(folder))
    parts = []
    for chunk, start, end in slices:
        u, v, cost = (map_array(place / stage / f"{chunk:05d}.{name}.npy") for name in _PARTS)
        u, v = u[start:end].astype(np.int64), v[start:end].astype(np.int64)
        parts.append(Edges(u, v, np.array(cost[start:end])))
    edges = Edges.together(parts)
    first, last = plan.node_blocks.offsets[block : block + 2]
    is_inner = (edges.v >= first) & (edges.v < last)
    inner, cross = edges.where(is_inner).merged(), edges.where(~is_inner).merged()
    save_arrays(block_file(place, block), **inner.to_arrays("inner"), **cross.to_arrays("cross"))
    return {
        "num_inner": len(inner),
        "num_cross": len(cross),
        "num_cannot_links": int(np.isneginf(inner.cost).sum() + np.isneginf(cross.cost).sum()),
        "absorbed": _absorbed(edges, is_inner) if stage == SORT_LINKED else 0.0,
    }


def _absorbed(edges: Edges, is_inner: BoolArray) -> float:
    """Add up the costs of edges beside a cannot-link, which are cut whatever they cost.

    Must-links have made them parallel; merged, they are a cannot-link, whose cost does not count.
    """
    # Edges between blocks come twice, once in each direction.
    once = edges.where(is_inner | (edges.u < edges.v))
    once = Edges(np.minimum(once.u, once.v), np.maximum(once.u, once.v), once.cost)
    apart = once.where(np.isneginf(once.cost))
    pairs = set(zip(apart.u.tolist(), apart.v.tolist(), strict=True))
    if not pairs:
        return 0.0
    near = once.where(np.isin(once.u, apart.u) & np.isfinite(once.cost))
    return math.fsum(
        cost
        for u, v, cost in zip(near.u.tolist(), near.v.tolist(), near.cost.tolist(), strict=True)
        if (u, v) in pairs
    )


def block_file(folder: Path, block: int) -> Path:
    """Return the file of the edges of a block of level 0."""
    return folder / GATHER / f"{block:05d}.npz"


def read_block(folder: Path, block: int) -> tuple[Edges, Edges]:
    """Return the edges inside a block of level 0, and those that lead out of it."""
    arrays = load_arrays(block_file(folder, block))
    return Edges.of_arrays(arrays, "inner"), Edges.of_arrays(arrays, "cross")
