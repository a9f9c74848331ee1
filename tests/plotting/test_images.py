from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

import multicut as mc
from multicut.plotting import (
    plot_comparison,
    plot_image_cut,
    plot_region_graph,
    plot_segmentation,
    plot_segments,
    plot_trace,
)
from multicut.plotting.palette import segment_colours
from multicut.plotting.picture import border_lines, differences
from tests.plotting.figures import image, results, segmentation, superpixels


def lines_of(ax):
    return [child for child in ax.collections if isinstance(child, LineCollection)]


def length_of(lines):
    return sum(np.abs(end - start).sum() for start, end in lines.get_segments())


def test_border_lines_cover_each_pair_of_differing_pixels_once():
    labels = np.random.default_rng(0).integers(0, 3, (7, 9))
    right, below = differences(labels)
    covered = set()
    for (x0, y0), (x1, y1) in border_lines(right, below):
        if x0 == x1:
            pairs = [(int(y), int(x0 - 0.5), "right") for y in np.arange(y0 + 0.5, y1)]
        else:
            pairs = [(int(y0 - 0.5), int(x), "below") for x in np.arange(x0 + 0.5, x1)]
        assert not covered & set(pairs)
        covered |= set(pairs)
    expected = {(i, j, "right") for i, j in np.argwhere(right)}
    assert covered == expected | {(i, j, "below") for i, j in np.argwhere(below)}


def test_image_cut_draws_all_borders_once_and_cut_ones_strong():
    ax = Figure().subplots()
    found = segmentation()
    assert plot_image_cut(image(), superpixels(), found.result, ax) is ax
    inner, rim, cut = lines_of(ax)
    borders = sum(int(each.sum()) for each in differences(superpixels()))
    cut_borders = sum(int(each.sum()) for each in differences(found.labels))
    assert length_of(cut) == length_of(rim) == cut_borders > 0
    assert length_of(inner) == borders - cut_borders
    assert cut.get_linewidths()[0] > 2 * inner.get_linewidths()[0]


def test_labels_of_regions_pixels_and_results_are_the_same():
    found = segmentation()
    drawn = []
    for labels in (found.result, found.result.labels, found.labels):
        ax = plot_image_cut(image(), superpixels(), labels, Figure().subplots())
        drawn.append(lines_of(ax)[-1].get_segments())
    assert all(np.array_equal(drawn[0], other) for other in drawn[1:])


def test_region_graph_shows_costs_or_the_cut():
    found = segmentation()
    ax = plot_region_graph(image(), superpixels(), found.problem, ax=Figure().subplots())
    (lines,) = lines_of(ax)
    assert len(lines.get_segments()) == found.problem.num_edges
    ax = Figure().subplots()
    assert plot_region_graph(image(), superpixels(), found.problem, found.result, ax) is ax
    cut, kept = lines_of(ax)
    assert len(cut.get_segments()) == found.result.cut.sum()
    assert len(kept.get_segments()) == (~found.result.cut).sum()


def test_segments_that_touch_differ_in_colour():
    ax = plot_segments(image(), segmentation().labels, Figure().subplots(), tint=1.0)
    shown = np.asarray(ax.images[0].get_array())
    right, below = differences(segmentation().labels)
    assert (shown[:, :-1] != shown[:, 1:]).any(axis=-1)[right].all()
    assert (shown[:-1] != shown[1:]).any(axis=-1)[below].all()
    assert not (shown[:, :-1] != shown[:, 1:]).any(axis=-1)[~right].any()


def test_more_segments_than_colours():
    edges = np.array([(i, j) for i in range(30) for j in range(i)])
    assert segment_colours(edges, np.ones(30, dtype=int)).shape == (30, 3)


def test_outside_of_a_mask_the_image_stays():
    labels = segmentation().labels.copy()
    labels[:10] = -1
    ax = plot_segments(image(), labels, Figure().subplots())
    assert np.allclose(np.asarray(ax.images[0].get_array())[:10], image()[:10])


def test_panels_return_their_figure():
    figure = plot_segmentation(segmentation())
    assert len(figure.axes) == 6
    grey = image()[..., 0]
    figure = plot_comparison(grey, {"a": superpixels(), "b": segmentation().labels})
    assert [ax.get_title() for ax in figure.axes] == ["image", "a", "b"]


def test_trace_ends_where_results_do():
    ax = plot_trace(results(), Figure().subplots())
    steps = [line for line in ax.lines if line.get_drawstyle() == "steps-post"]
    for line, result in zip(steps, results(), strict=True):
        assert line.get_xdata()[-1] == result.runtime
        assert line.get_ydata()[-1] == result.objective
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["gaec", "fusion", "ilp", "lower bound"]
    low, high = ax.get_ylim()
    assert low < -99.5
    assert high > -90
    assert plot_trace({"mine": results()[0]}).get_legend().get_texts()[0].get_text() == "mine"


def drawn_steps(ax):
    """Draw a trace; return its curves, which have to lie within the axes where they end."""
    ax.figure.canvas.draw()
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    steps = [line for line in ax.lines if line.get_drawstyle() == "steps-post"]
    for line in steps:
        assert left <= line.get_xdata()[-1] <= right
        assert low < line.get_ydata()[-1] < high
    return steps


def test_trace_of_real_solves():
    problem = mc.datasets.randommp(50, seed=0)
    solved = [mc.solve(problem, name) for name in ("gaec", "ilp")]
    steps = drawn_steps(plot_trace(solved, Figure().subplots()))
    assert [line.get_ydata()[-1] for line in steps] == [found.objective for found in solved]
    for line in steps:
        assert (np.diff(line.get_ydata()) <= 0).all()
        assert (np.diff(line.get_xdata()) >= 0).all()


def test_trace_without_edges_is_a_flat_line():
    nothing = mc.Problem(np.empty((0, 2), dtype=int), [], num_nodes=2)
    (line,) = drawn_steps(plot_trace(mc.solve(nothing, "gaec"), Figure().subplots()))
    assert set(line.get_ydata()) == {0.0}


@pytest.mark.parametrize(
    ("draw", "error", "message"),
    [
        (lambda: plot_trace([]), ValueError, "results must not be empty"),
        (lambda: plot_trace([3]), TypeError, "what multicut.solve returns, got 3"),
        (
            lambda: plot_image_cut(image(), superpixels()[1:], superpixels()),
            ValueError,
            r"superpixels must have the shape of the image, \(48, 64\), got \(47, 64\)",
        ),
        (
            lambda: plot_image_cut(image(), superpixels(), [0, 1]),
            ValueError,
            "78 labels, one per superpixel, or one for each pixel, got 2",
        ),
        (lambda: plot_segments(image(), image()[..., 0]), TypeError, "labels must be integers"),
        (
            lambda: plot_segments(image(), superpixels(), tint=2),
            ValueError,
            "tint must be between 0 and 1, got 2",
        ),
        (
            lambda: plot_region_graph(image(), superpixels(), mc.Problem([[0, 1]], [1.0])),
            ValueError,
            "must be 2, the nodes of the problem, got 78",
        ),
        (lambda: plot_comparison(image(), {}), ValueError, "by title"),
    ],
)
def test_wrong_input_is_named(draw, error, message):
    with pytest.raises(error, match=message):
        draw()


def test_volumes_are_drawn_by_slices():
    volume = np.zeros((4, 8, 8))
    regions = np.arange(4)[:, None, None] + np.zeros((4, 8, 8), dtype=int)
    found = mc.vision.segment(volume, regions, solver="gaec")
    with pytest.raises(ValueError, match="slices of a volume by plot_comparison"):
        plot_segmentation(found)
