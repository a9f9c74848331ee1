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
