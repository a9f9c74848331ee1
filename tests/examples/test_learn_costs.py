"""The example of examples/learn_costs.py, shortened."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
import torch

from tests.examples.load import load_example


@pytest.fixture(scope="module")
def example() -> ModuleType:
    return load_example("learn_costs")


def test_learning_through_the_solver_improves_what_it_finds_for_unseen_points(example, capsys):
    scores = example.main(num_train=60, num_test=30, epochs=9, seed=1)
    assert scores["edge by edge, klj"] > scores["before training, klj"] + 0.2
    # One number added to all costs helps, but cannot tell chains from texture.
    assert scores["edge by edge, offset, klj"] > scores["edge by edge, klj"] + 0.05
    assert scores["through the solver, klj"] > scores["edge by edge, offset, klj"] + 0.05
    assert "adjusted Rand index on 30 held-out graphs" in capsys.readouterr().out


def test_gradients_reach_the_cost_network(example):
    graph = example.make_graph(np.random.default_rng(0))
    costs = example.CostNetwork()
    layer = example.MulticutLayer(example.NetworkConfig(width=8, depth=2, classifier_width=8))
    layer(graph.edges, costs(graph), len(graph.clusters)).sum().backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in costs.parameters())


def test_adjusted_rand_index(example):
    truth = np.array([0, 0, 1, 1, 2, 2])
    assert example.adjusted_rand_index(np.array([2, 2, 0, 0, 1, 1]), truth) == 1
    assert example.adjusted_rand_index(np.zeros(6, dtype=int), truth) == 0
    # By hand: 2 pairs together in both, 2 and 3 in either, 15 pairs in all.
    split = np.array([0, 0, 1, 1, 2, 3])
    assert example.adjusted_rand_index(split, truth) == pytest.approx((2 - 0.4) / (2.5 - 0.4))


def test_targets_are_the_edges_between_clusters(example):
    graph = example.make_graph(np.random.default_rng(1))
    u, v = graph.edges.numpy()
    assert torch.equal(
        graph.target.bool(), torch.from_numpy(graph.clusters[u] != graph.clusters[v])
    )
