from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

import multicut as mc
from multicut.plotting import cluster_colours, plot_problem, plot_solution
from multicut.plotting.layout import spread_out
from multicut.plotting.palette import ATTRACTIVE, CUT, REPULSIVE, SINGLE
from multicut.plotting.problem import edge_strength


@pytest.fixture
def ax():
    return Figure().subplots()


@pytest.fixture
def problem():
    return mc.datasets.randommp(120, seed=1)


@pytest.fixture
def points():
    return mc.datasets.randommp_points(120, seed=1)


def lines_of(ax):
    return [child for child in ax.collections if isinstance(child, LineCollection)]


def test_problem_has_a_line_per_edge_in_the_colour_of_its_sign(ax, problem, points):
    assert plot_problem(problem, points, ax) is ax
    (lines,) = lines_of(ax)
    colours = lines.get_colors()[:, :3]
    assert len(lines.get_segments()) == len(colours) == problem.num_edges
    assert (colours == to_rgb(REPULSIVE)).all(axis=1).sum() == (problem.costs < 0).sum()
    assert (colours == to_rgb(ATTRACTIVE)).all(axis=1).sum() == (problem.costs >= 0).sum()


def test_problem_has_a_dot_per_node(ax, problem, points):
    plot_problem(problem, points, ax)
    (dots,) = [child for child in ax.collections if isinstance(child, PathCollection)]
    assert np.array_equal(dots.get_offsets(), points)


def test_solution_separates_cut_and_uncut_edges(ax, problem, points):
    result = mc.solve(problem, "gaec")
    assert plot_solution(problem, result, points, ax) is ax
    cut, uncut = lines_of(ax)
    assert len(cut.get_segments()) == result.cut.sum()
    assert np.allclose(cut.get_colors()[:, :3], to_rgb(CUT))
    assert len(uncut.get_segments()) == (~result.cut).sum()
    expected = cluster_colours(problem, result.labels)
    inside = result.labels[problem.edges[~result.cut, 0]]
    assert np.allclose(uncut.get_colors()[:, :3], expected[inside])


def test_solution_may_be_labels(problem, points):
    result = mc.solve(problem, "gaec")
    one, other = Figure().subplots(), Figure().subplots()
    plot_solution(problem, result, points, one)
    plot_solution(problem, result.labels * 7 + 3, points, other)
    for a, b in zip(lines_of(one), lines_of(other), strict=True):
        assert np.array_equal(a.get_colors(), b.get_colors())


def test_neighbouring_clusters_differ_in_colour():
    problem = mc.datasets.mosaic(200, seed=2).problem
    labels = mc.solve(problem, "gaec").labels
    colours = cluster_colours(problem, labels)
    sizes = np.bincount(labels)
    u, v = labels[problem.edges].T
    between = (u != v) & (sizes[u] > 1) & (sizes[v] > 1)
    assert between.any()
    assert (colours[u[between]] != colours[v[between]]).any(axis=1).all()
    assert np.allclose(colours[sizes == 1], to_rgb(SINGLE))


@pytest.mark.parametrize("num_nodes", [0, 1, 3])
def test_without_edges(ax, num_nodes):
    problem = mc.Problem(np.empty((0, 2), dtype=int), [], num_nodes=num_nodes)
    plot_problem(problem, np.zeros((num_nodes, 2)), ax)
    plot_solution(problem, np.arange(num_nodes), np.zeros((num_nodes, 2)), ax)
    assert [len(lines.get_segments()) for lines in lines_of(ax)] == [0, 0, 0]


def test_strength_survives_extremes():
    assert edge_strength(np.array([1e300, -1e300])).tolist() == [1, 1]
    assert edge_strength(np.array([np.inf, 0.0])).tolist() == [1, 0]
    assert edge_strength(np.array([5e-324, -np.inf])).tolist() == [1, 1]


def test_positions_are_checked(ax, problem, points):
    with pytest.raises(ValueError, match=r"positions .* \(120, 2\), got \(119, 2\)"):
        plot_problem(problem, points[1:], ax)
    with pytest.raises(ValueError, match=r"finite, got .* at node 4"):
        plot_solution(
            problem,
            np.zeros(120, dtype=int),
            np.where(np.arange(120)[:, None] == 4, np.nan, points),
            ax,
        )


def test_library_leaves_the_backend_alone(ax, problem, points):
    before = mpl.rcParams._get_backend_or_none()
    plot_problem(problem, points, ax)
    assert mpl.rcParams._get_backend_or_none() == before


def test_without_positions_a_layout_is_found(ax, problem):
    expected = spread_out(problem)
    for drawn in (
        plot_problem(problem, ax=ax),
        plot_solution(problem, np.zeros(problem.num_nodes, dtype=int), ax=Figure().subplots()),
    ):
        (dots,) = (child for child in drawn.collections if isinstance(child, PathCollection))
        np.testing.assert_allclose(dots.get_offsets(), expected)


def test_small_graphs_show_their_node_ids(ax):
    names = ["Ada", "$x$", "a name of more than sixteen letters"]
    small = mc.Problem([[0, 1], [1, 2]], [1.0, -1.0], node_ids=names)
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    plot_problem(small, points, ax)
    assert [text.get_text() for text in ax.texts] == ["Ada", "$x$", "a name of more …"]
    assert [text.xy for text in ax.texts] == [tuple(point) for point in points]
    assert not any(text.get_parse_math() for text in ax.texts)
    other = Figure().subplots()
    plot_solution(small, [0, 0, 1], points, other)
    assert len(other.texts) == 3


def test_ids_of_large_graphs_would_hide_them(ax, problem, points):
    plot_problem(problem, points, ax)
    plot_solution(problem, mc.solve(problem, "gaec"), points, ax)
    assert len(ax.texts) == 0
    for num_nodes, shown in ((30, 30), (31, 0)):
        axes = Figure().subplots()
        plot_problem(mc.Problem([[0, 1]], [1.0], num_nodes=num_nodes), None, axes)
        assert len(axes.texts) == shown
