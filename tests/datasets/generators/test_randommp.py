from __future__ import annotations

import numpy as np
import pytest

import multicut as mc


@pytest.mark.parametrize("num_nodes", [None, 50])
def test_points_belong_to_the_problem(num_nodes):
    problem = mc.datasets.randommp(num_nodes, seed=9)
    points = mc.datasets.randommp_points(num_nodes, seed=9)
    assert points.shape == (problem.num_nodes, 2)
    # Every node is linked to its nearest neighbour.
    distances = np.linalg.norm(points[:, None] - points[None], axis=-1)
    np.fill_diagonal(distances, np.inf)
    edges = {tuple(edge) for edge in problem.edges.tolist()}
    for node, nearest in enumerate(distances.argmin(axis=1).tolist()):
        assert (min(node, nearest), max(node, nearest)) in edges


def test_stream_of_the_published_table_is_kept():
    problem = mc.datasets.randommp(1000, seed=0)
    assert problem.num_edges == 3732
    assert mc.solve(problem, "gaec").objective == pytest.approx(-3010, abs=1)


def test_statistics_are_those_published():
    published = mc.datasets.PUBLISHED["randommp"]["train"]
    found = mc.datasets.describe_dataset(mc.datasets.generate("randommp", 1500))
    # Four standard errors of 1,500 graphs.
    assert found.num_nodes.mean == pytest.approx(published.num_nodes.mean, abs=3.2)
    assert found.num_nodes.deviation == pytest.approx(published.num_nodes.deviation, rel=0.08)
    assert found.num_edges.mean == pytest.approx(published.num_edges.mean, abs=12)
    assert found.num_edges.deviation == pytest.approx(published.num_edges.deviation, rel=0.08)
    assert found.cost_min.mean == pytest.approx(published.cost_min.mean, abs=0.12)
    assert found.cost_max.mean == pytest.approx(published.cost_max.mean, abs=0.12)
    assert found.negative == pytest.approx(published.negative, abs=0.006)
    assert found.positive == pytest.approx(published.positive, abs=0.006)


def test_half_of_the_edges_attract():
    dataset = mc.datasets.generate("randommp", 20)
    for problem in dataset:
        assert np.median(problem.costs) == pytest.approx(0, abs=1e-12)


def test_distances_as_costs():
    graph = mc.datasets.draw_graph("randommp", 0, costs="distance", std_costs=2)
    u, v = graph.edges.T
    distance = np.linalg.norm(graph.positions[u] - graph.positions[v], axis=1)
    assert np.corrcoef(graph.costs, distance)[0, 1] == pytest.approx(-1)
    assert graph.costs.std() == pytest.approx(2)
    assert np.median(graph.costs) == pytest.approx(0, abs=1e-12)


def test_scaling_draws_the_size_asked_for():
    dataset = mc.datasets.generate("scaling", 2, num_nodes=2)
    assert dataset.num_nodes.tolist() == [2, 2]
    assert dataset.num_edges.tolist() == [1, 1]
    with pytest.raises(ValueError, match="num_nodes must be between 2 and 100,000,000, got 1"):
        mc.datasets.randommp(1)
