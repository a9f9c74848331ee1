"""Chordless cycles, against a search over sets of nodes."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import multicut as mc
from multicut.nn.batch import GraphBatch
from multicut.nn.cycles import CycleSet, list_chordless_cycles


def naive_cycles(edges: np.ndarray, num_nodes: int, max_length: int) -> set[frozenset[int]]:
    """A set of nodes is a chordless cycle if its induced graph is connected and 2-regular."""
    graph = nx.Graph()
    graph.add_nodes_from(range(num_nodes))
    graph.add_edges_from((int(u), int(v), {"edge": e}) for e, (u, v) in enumerate(edges))
    cycles = set()
    for length in range(3, max_length + 1):
        for nodes in combinations(range(num_nodes), length):
            inside = graph.subgraph(nodes)
            if all(degree == 2 for _, degree in inside.degree) and nx.is_connected(inside):
                cycles.add(frozenset(edge for _, _, edge in inside.edges(data="edge")))
    return cycles


def sets_of(rows: list[np.ndarray], no_edge: int) -> list[frozenset[int]]:
    return [frozenset(int(e) for e in row if e != no_edge) for part in rows for row in part]


@st.composite
def graphs(draw: st.DrawFn) -> mc.Problem:
    num_nodes = draw(st.integers(1, 9))
    pairs = list(combinations(range(num_nodes), 2))
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return mc.Problem(
        np.array(chosen, dtype=np.int64).reshape(-1, 2), np.ones(len(chosen)), num_nodes
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(graphs(), max_size=4), st.integers(3, 8))
def test_cycles_are_those_of_a_naive_search(problems: list[mc.Problem], max_length: int) -> None:
    batch = GraphBatch.from_problems(problems)
    cycles = CycleSet.of(batch, max_length)
    found = sets_of([rows.numpy() for rows in cycles.rows], batch.num_edges)
    assert len(found) == len(set(found)) == cycles.num_cycles
    expected = set()
    for problem, first in zip(problems, batch.edge_offsets.tolist(), strict=False):
        naive = naive_cycles(problem.edges, problem.num_nodes, max_length)
        expected |= {frozenset(first + e for e in cycle) for cycle in naive}
    assert set(found) == expected


def test_rows_are_grouped_by_graph() -> None:
    problems = [mc.datasets.randommp(30, seed=seed) for seed in range(5)]
    node_offsets = np.cumsum([0, *(p.num_nodes for p in problems)])
    edge_offsets = np.cumsum([0, *(p.num_edges for p in problems)])
    edges = np.concatenate([p.edges for p in problems])
    lists = list_chordless_cycles(edges, node_offsets, edge_offsets, 8, num_threads=2)
    assert [rows.shape[1] for rows in lists.rows] == [4, 8]
    for rows, offsets in zip(lists.rows, lists.offsets, strict=True):
        assert offsets[0] == 0
        assert offsets[-1] == len(rows)
        for graph in range(5):
            mine = rows[offsets[graph] : offsets[graph + 1]]
            assert (mine[:, 0] >= edge_offsets[graph]).all()
            assert (mine < edge_offsets[graph + 1]).all()
    lengths = (lists.rows[1] >= 0).sum(axis=1)
    assert ((lengths >= 5) & (lengths <= 8)).all()


def test_many_graphs_are_searched_in_several_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    problems = [mc.datasets.randommp(12, seed=seed) for seed in range(7)]
    node_offsets = np.cumsum([0, *(p.num_nodes for p in problems)])
    edge_offsets = np.cumsum([0, *(p.num_edges for p in problems)])
    edges = np.concatenate([p.edges for p in problems])
    at_once = list_chordless_cycles(edges, node_offsets, edge_offsets)
    monkeypatch.setattr("multicut.nn.cycles._GRAPHS_PER_CALL", 2)
    in_parts = list_chordless_cycles(edges, node_offsets, edge_offsets)
    for one, other in zip(
        at_once.rows + at_once.offsets, in_parts.rows + in_parts.offsets, strict=True
    ):
        np.testing.assert_array_equal(one, other)
    # The message counts graphs from the first of all, not of the call.
    counts = sum(np.diff(offsets) for offsets in at_once.offsets)
    worst = int(np.argmax(counts))
    limit = int(np.sort(counts)[-2])
    assert counts[worst] > limit, "the graphs of this test must differ"
    with pytest.raises(ValueError, match=rf"^graph {worst} has more than {limit} chordless"):
        list_chordless_cycles(edges, node_offsets, edge_offsets, max_cycles=limit)


def test_complete_graphs_have_triangles_only() -> None:
    pairs = np.array(list(combinations(range(24), 2)))
    batch = GraphBatch.from_problems(mc.Problem(pairs, np.ones(len(pairs))))
    cycles = CycleSet.of(batch, 8)
    assert [rows.shape[0] for rows in cycles.rows] == [24 * 23 * 22 // 6, 0]
    assert [rows.shape[1] for rows in CycleSet.of(batch, 3).rows] == [4]


def test_exploding_graphs_are_refused() -> None:
    # Two layers of a complete bipartite graph: (20 · 19 / 2)² chordless cycles of length 4.
    edges = np.array([(u, 20 + v) for u in range(20) for v in range(20)])
    batch = GraphBatch.from_problems(mc.Problem(edges, np.ones(len(edges))))
    assert CycleSet.of(batch, 4).num_cycles == 190**2
    with pytest.raises(ValueError, match="more than 1000 chordless cycles of at most 4 edges"):
        CycleSet.of(batch, 4, max_cycles=1000)


@pytest.mark.parametrize("max_length", [2, 9, 3.5])
def test_lengths_are_checked(max_length: float) -> None:
    batch = GraphBatch.from_problems(mc.datasets.randommp(10))
    with pytest.raises(ValueError, match="max_length must be from 3 to 8"):
        CycleSet.of(batch, max_length)  # type: ignore[arg-type]


def test_places_without_an_edge_hold_the_number_of_edges() -> None:
    batch = GraphBatch.from_problems(mc.Problem([[0, 1], [1, 2], [0, 2]], [1.0, 1.0, 1.0]))
    (rows,) = CycleSet.of(batch, 4).rows
    assert rows.dtype == torch.int32
    assert sorted(rows[0].tolist()) == [0, 1, 2, 3]
    assert rows[0, 3] == batch.num_edges
