"""Edges by block: each block gets those inside it, and those that lead out of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from multicut._arrays import BoolArray, IntArray
from multicut.distributed.edges import BlockEdges, Edges
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
ORDINARY = "edges"
LIFTED = "lifted edges"
FIND_LINKS = "find must-links"
GATHER = "gather edges"


def sort_stage(kind: str, *, is_linked: bool) -> str:
    """Return the name of the stage that sorts edges of a kind, again once must-links are known."""
    return f"sort {kind} by block" + (" again" if is_linked else "")


def sort_chunk(folder: str, chunk: int, kind: str, is_linked: bool) -> Summary:
    """Sort the edges of a chunk by block; those between two blocks come twice.

    Ends of must-links are replaced by the first of all nodes that these link, once that is known.
    Self-loops are dropped.
    """
    place, plan = Path(folder), Plan.load(Path(folder))
    stage = sort_stage(kind, is_linked=is_linked)
    table = plan.edges if kind == ORDINARY else plan.lifted_edges
    assert table is not None
    u, v, cost = table.read(chunk)
    _check(plan.node_blocks, table.file(chunk), u, v, cost)
    is_link = np.isposinf(cost)
    num_links = int(np.count_nonzero(is_link))
    if kind == LIFTED and num_links > 0:
        raise ValueError(
            f"{table.file(chunk)}: lifted edges must not cost +inf, got edge {is_link.argmax()}; "
            f"use a large cost"
        )
    if is_linked:
        links = Links.load(place)
        u, v = links.first_of(u), links.first_of(v)
        refused = np.flatnonzero((u == v) & np.isneginf(cost))
        if len(refused) > 0:
            given_u, given_v, _ = table.read(chunk)
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
    stage = sort_stage(ORDINARY, is_linked=False)
    parts = [load_arrays(place / stage / f"{chunk:05d}.links.npz") for chunk in chunks]
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


#: Where edges of a block lie: in which sorted chunk, from which row on, and up to which.
Slices = list[tuple[int, int, int]]


def gather_block(
    folder: str, block: int, is_linked: bool, slices: Slices, lifted_slices: Slices
) -> Summary:
    """Put together the edges of a block, from slices of the sorted chunks, and merge them.

    Those inside keep the order of the table, so that one block is the graph of the table.
    """
    place, plan = Path(folder), Plan.load(Path(folder))
    first, last = plan.node_blocks.offsets[block : block + 2]
    found: list[Edges] = []
    absorbed = [0.0]
    for kind, own in ((ORDINARY, slices), (LIFTED, lifted_slices)):
        edges = _gather(place / sort_stage(kind, is_linked=is_linked), own)
        is_inner = (edges.v >= first) & (edges.v < last)
        found += [edges.where(is_inner).merged(), edges.where(~is_inner).merged()]
        if is_linked:
            # Edges between blocks come twice, once in each direction.
            absorbed += costs_beside_cannot_links(edges.where(is_inner | (edges.u < edges.v)))
    parts = BlockEdges(*found)
    parts.save(block_file(place, block))
    return {
        "num_inner": len(parts.inner),
        "num_cross": len(parts.cross),
        "num_lifted": len(parts.lifted) + len(parts.lifted_cross),
        "num_cannot_links": sum(int(np.isneginf(part.cost).sum()) for part in parts),
        "absorbed": math.fsum(absorbed),
    }


def _gather(place: Path, slices: Slices) -> Edges:
    parts = []
    for chunk, start, end in slices:
        u, v, cost = (map_array(place / f"{chunk:05d}.{name}.npy") for name in _PARTS)
        u, v = u[start:end].astype(np.int64), v[start:end].astype(np.int64)
        parts.append(Edges(u, v, np.array(cost[start:end])))
    return Edges.together(parts)


def costs_beside_cannot_links(edges: Edges) -> list[float]:
    """Return the costs of edges beside a cannot-link, which are cut whatever they cost.

    Where parallel edges become one, it is a cannot-link, whose cost does not count.
    """
    edges = Edges(np.minimum(edges.u, edges.v), np.maximum(edges.u, edges.v), edges.cost)
    apart = edges.where(np.isneginf(edges.cost))
    pairs = set(zip(apart.u.tolist(), apart.v.tolist(), strict=True))
    if not pairs:
        return []
    near = edges.where(np.isin(edges.u, apart.u) & np.isfinite(edges.cost))
    return [
        cost
        for u, v, cost in zip(near.u.tolist(), near.v.tolist(), near.cost.tolist(), strict=True)
        if (u, v) in pairs
    ]


def block_file(folder: Path, block: int) -> Path:
    """Return the file of the edges of a block of level 0."""
    return folder / GATHER / f"{block:05d}.npz"


def read_block(folder: Path, block: int) -> BlockEdges:
    """Return the edges of a block of level 0."""
    return BlockEdges.load(block_file(folder, block))


def regroup(
    inner: list[Edges], cross: list[Edges], is_inside: Callable[[IntArray], BoolArray]
) -> tuple[Edges, Edges]:
    """Put edges of blocks together: those inside of the larger block, and those that lead out.

    `is_inside` tells which nodes belong to the larger block.
    """
    leading_out = Edges.together(cross)
    inside = is_inside(leading_out.v)
    # Both blocks know the edges between them.
    between = leading_out.where(inside & (leading_out.u < leading_out.v)).merged()
    return Edges.together([*inner, between]), leading_out.where(~inside).merged()
