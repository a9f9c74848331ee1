"""Graphs for tests, as tables in files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import multicut as mc
from multicut.distributed.node_blocks import NodeBlocks
from multicut.distributed.tables import EdgeTable


def grid(width: int, height: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    nodes = np.arange(width * height).reshape(height, width)
    pairs = [(nodes[:, :-1], nodes[:, 1:]), (nodes[:-1], nodes[1:])]
    pairs += [(nodes[:-1, :-1], nodes[1:, 1:])]
    edges = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs])
    rng = np.random.default_rng(seed)
    return rng.permutation(edges), rng.normal(0.2, 1.0, len(edges))


def lifted_grid(width: int, height: int, seed: int = 0) -> mc.Problem:
    """Return a grid with lifted edges of one to four steps, some of them beside an edge."""
    edges, costs = grid(width, height, seed)
    rng = np.random.default_rng([seed, 1])
    places = np.stack(np.divmod(np.arange(width * height), width), axis=1)
    u, v = rng.integers(0, width * height, (2, 6 * width * height))
    distance = np.abs(places[u] - places[v]).sum(axis=1)
    near = (distance > 0) & (distance <= 4)
    lifted = np.stack([u[near], v[near]], axis=1)
    return mc.Problem(
        edges, costs, lifted_edges=lifted, lifted_costs=rng.normal(-0.1, 0.8, len(lifted))
    )


def table_of(folder: Path, edges: np.ndarray, costs: np.ndarray, num_chunks: int = 3) -> EdgeTable:
    folder.mkdir(parents=True, exist_ok=True)
    table = EdgeTable(folder, num_chunks)
    for chunk, rows in enumerate(np.array_split(np.arange(len(edges)), num_chunks)):
        table.write(chunk, edges[rows, 0], edges[rows, 1], costs[rows])
    return table


def ranges(num_nodes: int, num_blocks: int) -> NodeBlocks:
    return NodeBlocks.of_ranges(np.linspace(0, num_nodes, num_blocks + 1).astype(np.int64))


def content(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*.npy")}
