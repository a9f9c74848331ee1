from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components as scipy_components

import multicut as mc
from multicut.nn import GraphBatch, connected_components, round_scores
from multicut.partition import labels_of_cut
from tests.problems import random_problem


def least_nodes(edges: np.ndarray, num_nodes: int) -> np.ndarray:
    matrix = sp.coo_array((np.ones(edges.shape[1]), edges), shape=(num_nodes, num_nodes))
    _, labels = scipy_components(matrix, directed=False)
    least = np.full(num_nodes, num_nodes)
    np.minimum.at(least, labels, np.arange(num_nodes))
    return least[labels]


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_components_are_those_of_scipy(data):
    num_nodes = data.draw(st.integers(1, 40))
    node = st.integers(0, num_nodes - 1)
    pairs = data.draw(st.lists(st.tuples(node, node, st.booleans()), max_size=60))
    array = np.array(pairs, dtype=np.int64).reshape(-1, 3)
    edges, cut = array[:, :2].T, array[:, 2].astype(bool)
    labels = connected_components(torch.from_numpy(edges.copy()), torch.from_numpy(cut), num_nodes)
    assert np.array_equal(labels.numpy(), least_nodes(edges[:, ~cut], num_nodes))


@pytest.mark.parametrize("order", ["ascending", "descending", "shuffled"])
def test_long_chains_need_few_rounds(order, monkeypatch):
    nodes = {
        "ascending": np.arange(30_000),
        "descending": np.arange(30_000)[::-1].copy(),
        "shuffled": np.random.default_rng(0).permutation(30_000),
    }[order]
    rounds = []
    equal = torch.equal
    monkeypatch.setattr(torch, "equal", lambda *args: rounds.append(1) or equal(*args))
    edges = torch.from_numpy(np.stack([nodes[:-1], nodes[1:]]))
    labels = connected_components(edges, torch.zeros(29_999, dtype=torch.bool), 30_000)
    assert not labels.any()
    assert len(rounds) <= 15


def test_large_random_graphs():
    rng = np.random.default_rng(1)
    edges = rng.integers(0, 20_000, (2, 30_000))
    cut = rng.random(30_000) < 0.4
    labels = connected_components(torch.from_numpy(edges), torch.from_numpy(cut), 20_000)
    assert np.array_equal(labels.numpy(), least_nodes(edges[:, ~cut], 20_000))


def test_rounding_gives_each_graph_its_partition():
    problems = [
        random_problem(15, 0.6, seed=0),
        mc.Problem([], [], num_nodes=0),
        random_problem(20, 0.3, seed=1),
        mc.Problem([], [], num_nodes=2),
    ]
    batch = GraphBatch.from_problems(problems)
    rng = np.random.default_rng(2)
    wanted = [rng.random(problem.num_edges) for problem in problems]
    rounded = round_scores(batch, torch.from_numpy(np.concatenate(wanted)), threshold=0.6)
    for g, (problem, scores) in enumerate(zip(problems, wanted, strict=True)):
        labels = rounded.labels[batch.node_offsets[g] : batch.node_offsets[g + 1]].numpy()
        cut = rounded.cut[batch.edge_offsets[g] : batch.edge_offsets[g + 1]].numpy()
        assert np.array_equal(labels, labels_of_cut(problem, scores >= 0.6))
        assert mc.is_feasible(problem, cut)
        assert np.array_equal(cut, labels[problem.edges[:, 0]] != labels[problem.edges[:, 1]])
        reinstated = (scores >= 0.6) & ~cut
        assert rounded.num_infeasible[g] == reinstated.sum()
    assert rounded.num_infeasible.sum() > 0


def test_an_edge_of_exactly_one_half_is_cut():
    batch = GraphBatch.from_problems(mc.Problem([[0, 1], [1, 2]], [1.0, 1.0]))
    rounded = round_scores(batch, torch.tensor([0.5, 0.49]))
    assert rounded.cut.tolist() == [True, False]
    assert rounded.labels.tolist() == [0, 1, 1]
    assert rounded.num_infeasible.tolist() == [0]


def test_scores_must_fit():
    batch = GraphBatch.from_problems(mc.Problem([[0, 1], [1, 2]], [1.0, 1.0]))
    with pytest.raises(ValueError, match=r"one value per edge, shape \(2,\), got \(3,\)"):
        round_scores(batch, torch.zeros(3))
