"""What makes each family what it is."""

from __future__ import annotations

import numpy as np
import pytest

import multicut as mc
from multicut import _core
from multicut.datasets import draw_graph, generate
from multicut.partition import labels_of_cut


def components(problem):
    return int(labels_of_cut(problem, np.zeros(problem.num_edges, dtype=bool)).max()) + 1


def degrees(problem):
    return np.bincount(problem.edges.ravel(), minlength=problem.num_nodes)


def test_erdos_renyi_has_the_degree_asked_for():
    dataset = generate("erdos-renyi", 200, mean_degree=5, attractive_share=0.3)
    assert 2 * dataset.num_edges.sum() / dataset.num_nodes.sum() == pytest.approx(5, rel=0.03)
    assert (dataset.arrays().costs > 0).mean() == pytest.approx(0.3, abs=0.01)


def test_barabasi_albert_is_connected_and_has_hubs():
    dataset = generate("barabasi-albert", 20, min_nodes=300, max_nodes=300, links=3)
    for problem in dataset:
        assert components(problem) == 1
        assert degrees(problem).max() > 6 * degrees(problem).mean()
    assert 2.6 < dataset.num_edges.mean() / 300 <= 3


def test_barabasi_albert_grows_by_preferential_attachment():
    # With one link per node, the degree of a tree's node is 1 + the links that lead to it; the
    # share of leaves tends to 2/3 for preferential attachment, and to 1/2 for a uniform choice.
    tree = generate("barabasi-albert", 1, min_nodes=50_000, max_nodes=50_000, links=1)[0]
    assert tree.num_edges == tree.num_nodes - 1
    assert (degrees(tree) == 1).mean() == pytest.approx(2 / 3, abs=0.01)


def test_watts_strogatz_without_rewiring_is_a_ring():
    problem = generate("watts-strogatz", 1, rewired=0, reach=2, min_nodes=30, max_nodes=30)[0]
    assert (degrees(problem) == 4).all()
    steps = np.abs(np.diff(problem.edges, axis=1)) % 30
    assert set(np.minimum(steps, 30 - steps).ravel().tolist()) == {1, 2}


@pytest.mark.parametrize(("name", "axes"), [("grid-2d", 2), ("grid-3d", 3)])
def test_grids_link_neighbours_and_far_nodes(name, axes):
    side, reach = 5, 3
    graph = draw_graph(name, 0, min_side=side, max_side=side, long_share=1, reach=reach, noise=0)
    places = np.stack(np.unravel_index(np.arange(graph.num_nodes), (side,) * axes), axis=1)
    steps = np.abs(places[graph.edges[:, 0]] - places[graph.edges[:, 1]])
    near = steps.sum(axis=1) == 1
    assert np.isin(steps[~near], (0, reach)).all()
    assert near.sum() == axes * (side - 1) * side ** (axes - 1)
    # Along each axis a long edge goes forth, back or not at all: one of each two directions.
    wide = side - reach
    assert (~near).sum() == ((side + 2 * wide) ** axes - side**axes) // 2
    assert (graph.costs[near] == 0.5).all()
    assert (graph.costs[~near] == -0.5).all()


def test_planted_partitions_come_out_without_noise():
    problem = generate("planted", 1, noise=0, num_clusters=3, mean_degree=30)[0]
    result = mc.solve(problem, "gaec")
    assert result.num_clusters == 3
    assert result.objective == -(problem.costs < 0).sum()


def test_voronoi_links_regions_that_touch():
    dataset = generate("voronoi", 20)
    # A planar triangulation has at most 3n - 6 edges, and Voronoi graphs come close.
    assert (dataset.num_edges <= 3 * dataset.num_nodes - 6).all()
    assert (dataset.num_edges >= 2.7 * dataset.num_nodes).all()
    assert all(components(problem) == 1 for problem in dataset)
    sure = generate("voronoi", 1, noise=0)[0]
    assert mc.solve(sure, "gaec").objective == pytest.approx(sure.costs[sure.costs < 0].sum())


def test_point_clouds_are_complete_and_near_points_attract():
    problem = generate("point-cloud", 1, noise=0, threshold=0.4)[0]
    assert problem.num_edges == problem.num_nodes * (problem.num_nodes - 1) // 2
    u, v = problem.edges.T
    points = draw_graph("point-cloud", 0, noise=0, threshold=0.4).positions
    distance = np.linalg.norm(points[u] - points[v], axis=1) / np.sqrt(2)
    assert problem.costs == pytest.approx(0.4 - distance)
    assert generate("point-cloud", 1, dimension=5)[0].positions is None


def test_cluster_editing_counts_edits():
    problem = generate("cluster-editing", 1, min_nodes=9, max_nodes=9, num_clusters=2, flipped=0)[0]
    assert set(np.abs(problem.costs).tolist()) == {1.0}
    missing = (problem.costs < 0).sum()
    assert mc.solve(problem, "ilp").objective + missing == 0
    flipped = generate("cluster-editing", 50, flipped=0.25, num_clusters=1)
    assert (flipped.arrays().costs < 0).mean() == pytest.approx(0.25, abs=0.02)


def test_iris_costs_are_logits_of_similarities():
    graph = draw_graph("irismp", 5)
    u, v = graph.edges.T
    squared = ((graph.positions[u] - graph.positions[v]) ** 2).sum(axis=1)
    probability = 1 / (1 + np.exp(-graph.costs))
    assert probability == pytest.approx(np.clip(np.exp(-0.36 * squared), 0.01, 0.99))
    assert len(np.unique(graph.edges)) == graph.num_nodes
    assert mc.datasets.irismp(seed=1) == mc.datasets.irismp(seed=1)


def test_iris_sizes_are_those_published():
    sizes = generate("irismp", 900).num_nodes
    assert (sizes.min(), sizes.max()) == (16, 24)
    assert np.bincount(sizes)[16:].min() > 60


def test_nearest_neighbours_of_the_plane_are_found_natively():
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.random((300, 2)), 0.01 * rng.random((60, 2)), np.ones((5, 2))])
    counts = rng.integers(0, 12, len(points))
    expected = set()
    distances = ((points[:, None] - points[None]) ** 2).sum(axis=-1)
    np.fill_diagonal(distances, np.inf)
    for i, order in enumerate(np.argsort(distances, axis=1, kind="stable")):
        expected |= {(min(i, j), max(i, j)) for j in order[: counts[i]].tolist()}
    edges = _core.link_nearest(points, counts)
    assert [tuple(edge) for edge in edges.tolist()] == sorted(expected)
    with pytest.raises(ValueError, match="counts must be between 0 and"):
        _core.link_nearest(points[:3], np.array([1, 1, 3]))
