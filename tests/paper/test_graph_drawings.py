from __future__ import annotations

import itertools

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from multicut.plotting.palette import CUT
from multicut.problem import Problem
from paper.graph_drawings import (
    SINGLE,
    distinct_colours,
    draw_cut,
    draw_states,
    matched_colours,
    separate_numbers,
)


def complete(num_nodes):
    pairs = list(itertools.combinations(range(num_nodes), 2))
    return Problem(pairs, [1.0] * len(pairs))


def new_figure():
    figure = Figure(figsize=(4, 4), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots()


def test_the_same_clusters_have_the_same_colours():
    # As in instance 17 of the page: a single node moves, and so which cluster is the larger one.
    network = np.array([0, 0, 0, 0, 1, 1, 1, 2])
    optimal = np.array([2, 1, 1, 1, 0, 0, 0, 0])
    ours, best = matched_colours(network, optimal)
    assert ours[1] == best[1] == best[3]
    assert ours[4] == best[4] == best[7]
    assert ours[1] != ours[4]
    assert ours[7] == best[0] == SINGLE


def test_clusters_of_one_partition_alone_have_new_colours():
    whole, halves = np.zeros(6, dtype=int), np.array([0, 0, 0, 0, 1, 1])
    ours, best = matched_colours(whole, halves)
    assert set(ours) == {best[0]}
    assert best[0] != best[4]
    singles, pair = matched_colours(np.arange(2), np.zeros(2, dtype=int))
    assert singles == [SINGLE] * 2
    assert SINGLE not in pair


def test_single_nodes_are_not_of_the_colour_of_cut_edges():
    problem, labels = complete(5), np.array([0, 0, 1, 1, 2])
    colours = distinct_colours(problem, labels)
    assert colours[4] == SINGLE
    assert len(set(colours)) == 3
    # Light grey lines and a dark dot differ; two kinds of light grey did not.
    assert np.abs(np.subtract(*(rgb(colour) for colour in (SINGLE, CUT)))).min() > 0.4
    figure, ax = new_figure()
    draw_cut(ax, problem, labels, colours, np.random.default_rng(0).random((5, 2)))
    lines = [each for each in ax.collections if isinstance(each, LineCollection)]
    (dots,) = [each for each in ax.collections if each not in lines]
    assert [to_hex(colour) for colour in dots.get_facecolors()] == colours
    cut, inside = (each.get_segments() for each in lines)
    assert (len(cut), len(inside)) == (8, 2)
    assert figure.axes == [ax]


def rgb(colour):
    return [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]


def test_numbers_do_not_overlap():
    figure, ax = new_figure()
    problem = complete(16)
    points = np.random.default_rng(1).random((16, 2))
    points[:8] *= 0.05  # there is no room for all of these
    draw_cut(ax, problem, np.zeros(16, dtype=int), ["black"] * 16, points)
    separate_numbers(figure)
    assert 8 < len(ax.texts) < 16
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
    dots = ax.transData.transform(points)
    assert not any(box.contains(*dot) for box in boxes for dot in dots)
    assert all(figure.bbox.contains(*corner) for box in boxes for corner in (box.min, box.max))
    shown = {text.get_text(): text.xy for text in ax.texts}
    assert {"8", "15"} <= shown.keys()
    np.testing.assert_allclose(shown["15"], points[15])


def test_all_numbers_stay_where_there_is_room():
    figure, ax = new_figure()
    states = np.random.default_rng(2).normal(size=(4, 6))
    draw_states(ax, complete(4), states, np.array([0, 0, 1, 1]), ["black"] * 4)
    separate_numbers(figure)
    assert [text.get_text() for text in ax.texts] == ["0", "1", "2", "3"]
    lines = next(each for each in ax.collections if isinstance(each, LineCollection))
    assert len(lines.get_segments()) == 2
