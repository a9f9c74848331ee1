"""The example of examples/learn_costs.py, shortened."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
import torch

from multicut.training.solver_layer import GRADIENTS
from tests.examples.load import load_example


@pytest.fixture(scope="module")
def example() -> ModuleType:
    return load_example("learn_costs")


def test_learning_through_a_solver_improves_what_it_finds_for_unseen_points(example):
    rng = np.random.default_rng(2)
    torch.manual_seed(2)
    train, test = ([example.make_graph(rng) for _ in range(60)] for _ in range(2))
    alone = example.train_edge_by_edge(train, 60)
    offsets = {name: example.best_offset(train[:20], alone, name) for name in ("components", "klj")}
    tuned = {name: example.score(test, alone, name, at) for name, at in offsets.items()}
    # One number added to all costs helps, but cannot tell chains from texture.
    assert tuned["klj"] > example.score(test, alone, "klj") + 0.05
    start = example.shifted(alone, offsets["klj"])
    learned = example.score(test, example.train_through_a_solver(train, start), "klj")
    assert learned > tuned["klj"] + 0.06
    assert learned > tuned["components"] + 0.03


def test_a_search_without_gradients_improves_what_the_solver_finds_for_unseen_points(example):
    rng = np.random.default_rng(2)
    torch.manual_seed(2)
    train, test = ([example.make_graph(rng) for _ in range(60)] for _ in range(2))
    alone = example.train_edge_by_edge(train, 60)
    start = example.shifted(alone, example.best_offset(train[:20], alone, "klj"))
    before = torch.nn.utils.parameters_to_vector(start.parameters()).clone()
    found = example.search_without_gradients(train, start, num_calls=6_000, seed=2)
    assert torch.equal(torch.nn.utils.parameters_to_vector(start.parameters()), before)
    assert example.score(test, found, "klj") > example.score(test, start, "klj") + 0.06


@pytest.mark.parametrize("calls", [0, 23, 24, 47])
def test_a_search_calls_the_solver_no_more_often_than_told(example, calls, monkeypatch):
    graphs = [example.make_graph(np.random.default_rng(seed)) for seed in range(3)]
    solved = []
    find = example.cluster
    monkeypatch.setattr(
        example, "cluster", lambda graph, *given: solved.append(graph) or find(graph, *given)
    )
    example.search_without_gradients(graphs, example.CostNetwork(), calls, size=2)
    assert len(solved) == calls // 24 * 24  # twelve candidates on two graphs


def test_costs_that_are_fixed_do_not_learn_with_the_network(example):
    graphs = [example.make_graph(np.random.default_rng(seed)) for seed in range(2)]
    start = example.CostNetwork()
    for costs_learn in (False, True):
        costs, _ = example.train_end_to_end(graphs, 1, start, costs_learn)
        assert torch.equal(costs(graphs[0]), start(graphs[0])) is not costs_learn


def test_the_script_reports_all_ways_of_learning(example, capsys):
    scores = example.main(num_train=8, num_test=3, epochs=1, compare=True)
    for name in ("edge by edge", "through a network", "expected loss, gaec", "searched, klj"):
        assert set(scores[name]) == set(example.DECODERS)
    assert {f"{gradient}, klj" for gradient in GRADIENTS} < set(scores)
    printed = capsys.readouterr().out
    assert "adjusted Rand index on 3 held-out graphs" in printed
    assert all(name in printed for name in scores)
    fewer = set(example.ways_through_a_solver(1, compare=False))
    assert fewer == {"expected loss, klj"}


@pytest.mark.parametrize("gradient", [None, *GRADIENTS])
def test_training_through_a_solver_changes_the_costs_alone(example, gradient):
    rng = np.random.default_rng(0)
    graphs = [example.make_graph(rng) for _ in range(3)]
    torch.manual_seed(0)
    start = example.CostNetwork()
    before = start(graphs[0])
    trained = example.train_through_a_solver(graphs, start, gradient=gradient, epochs=2, size=2)
    assert torch.equal(start(graphs[0]), before)
    assert not torch.allclose(trained(graphs[0]), before)


def test_an_offset_shifts_costs_by_which_components_are_joined(example):
    graph = example.make_graph(np.random.default_rng(0))
    network = example.CostNetwork()
    costs = network(graph)
    torch.testing.assert_close(example.shifted(network, -2.5)(graph), costs - 2.5)
    assert example.cluster(graph, np.full(len(costs), -1.0), "components").max() + 1 == len(
        graph.clusters
    )
    # All links within clusters, and no other.
    signs = 1 - 2 * graph.target.numpy()
    labels = example.cluster(graph, signs, "components")
    assert np.array_equal(labels[graph.edges[0]] != labels[graph.edges[1]], signs < 0)


def test_fewer_neighbours_mean_fewer_links_between_the_same_points(example):
    few, many = (example.make_graph(np.random.default_rng(0), number) for number in (5, 8))
    assert len(few.clusters) == len(many.clusters)
    assert few.edges.shape[1] < 0.8 * many.edges.shape[1]


def test_texture_inside_clusters_leaves_links_between_columns_without_contrast(example):
    def contrast(texture_inside):
        """Return the mean contrast of links between columns, and of links inside clusters."""
        between, inside = [], []
        for seed in range(20):
            rng = np.random.default_rng(seed)
            graph = example.make_graph(rng, texture_inside=texture_inside)
            u, v = graph.clusters[graph.edges.numpy()]
            contrasts = graph.features[:, 1].numpy()
            between.append(contrasts[u % example.NUM_COLUMNS != v % example.NUM_COLUMNS])
            inside.append(contrasts[u == v])
        return [np.concatenate(each).mean() for each in (between, inside)]

    assert contrast(texture_inside=False) == pytest.approx([example.TEXTURE] * 2, abs=0.02)
    assert contrast(texture_inside=True) == pytest.approx([0, example.TEXTURE], abs=0.02)


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
