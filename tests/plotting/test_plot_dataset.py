from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb

import multicut as mc
from multicut.plotting import plot_dataset
from multicut.plotting.layout import spread_out
from multicut.plotting.palette import CUT, REPULSIVE


def lines_in(ax, colour):
    collections = [child for child in ax.collections if isinstance(child, LineCollection)]
    drawn = 0
    for lines in collections:
        colours = np.broadcast_to(lines.get_colors()[:, :3], (len(lines.get_segments()), 3))
        drawn += int((colours == to_rgb(colour)).all(axis=1).sum())
    return drawn


def test_negative_edges_are_red_and_cut_edges_grey():
    dataset = mc.datasets.generate("irismp", 2).label("ilp", num_workers=1)
    axes = np.array(plot_dataset(dataset).axes).reshape(2, 2)
    for problem, (above, below) in zip(dataset, axes.T, strict=True):
        assert lines_in(above, REPULSIVE) == (problem.costs < 0).sum()
        assert lines_in(below, CUT) == problem.cut.sum()
        assert problem.name in above.get_title()
        assert "optimal" in below.get_title()


def test_graphs_without_labels_are_refused():
    with pytest.raises(ValueError, match="a solution for each; label it"):
        plot_dataset(mc.datasets.generate("irismp", 1))


def test_layout_keeps_together_what_attracts():
    problem = mc.datasets.generate("planted", 1, noise=0, num_clusters=2, mean_degree=12)[0]
    points = spread_out(problem)
    u, v = problem.edges.T
    distance = np.linalg.norm(points[u] - points[v], axis=1)
    assert distance[problem.costs > 0].mean() < 0.7 * distance[problem.costs < 0].mean()
    assert np.array_equal(points, spread_out(problem))


def test_layout_of_any_graph_is_finite():
    for problem in (
        mc.Problem([], [], num_nodes=1),
        mc.Problem([], [], num_nodes=0),
        mc.Problem([[0, 1]], [np.inf]),
        mc.Problem([], [], num_nodes=5_000),
    ):
        points = spread_out(problem)
        assert points.shape == (problem.num_nodes, 2)
        assert np.isfinite(points).all()
