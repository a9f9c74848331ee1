from __future__ import annotations

from dataclasses import dataclass

import pytest
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from multicut.plotting import FrontierPoint, plot_frontier
from multicut.plotting.frontier import as_point, format_seconds, pareto_front

ROWS = [
    ("gaec", 0.001, 0.98),
    ("slow", 0.002, 0.97),
    ("fusion, 5", 0.004, 0.99, "fusion"),
    ("fusion, 20", 0.016, 0.999, "fusion"),
    ("ilp", 0.1, 1.0),
    ("also optimal", 0.2, 1.0),
]


@dataclass
class Measured:
    name: str
    group: str
    seconds: float
    ratio: float
    extra: int = 0


def test_front_is_what_nobody_as_quick_beats():
    front = pareto_front([as_point(row) for row in ROWS])
    assert [point.name for point in front] == ["gaec", "fusion, 5", "fusion, 20", "ilp"]


def test_front_of_equals_is_one_point():
    assert len(pareto_front([FrontierPoint("a", 1.0, 0.9), FrontierPoint("b", 1.0, 0.9)])) == 1


def test_points_on_the_front_are_filled_and_named():
    ax = Figure().subplots()
    assert plot_frontier(ROWS, ax) is ax
    assert [text.get_text() for text in ax.texts] == ["gaec", "fusion, 5", "fusion, 20", "ilp"]
    dots = [
        dot for dots in ax.collections for dot in dots.get_facecolors() if len(dots.get_offsets())
    ]
    hollow = [tuple(colour) == to_rgba("white") for colour in dots]
    assert sum(hollow) == 2
    assert len(hollow) == len(ROWS)


def test_one_entry_of_the_legend_for_each_group():
    ax = plot_frontier(ROWS, Figure().subplots())
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["gaec", "slow", "fusion", "ilp", "also optimal"]


def test_better_is_higher_and_one_is_shown():
    ax = plot_frontier(ROWS, Figure().subplots())
    bottom, top = ax.get_ylim()
    assert bottom > top
    labels = [text.get_text() for text in ax.get_yticklabels()]
    assert labels == ["0.9", "0.99", "0.999", "1"][-len(labels) :]
    assert labels[-1] == "1"


def test_rows_and_objects_mean_the_same():
    row = as_point(("klj", 0.5, 0.9, "klj"))
    assert as_point(["klj", 0.5, 0.9, "klj"]) == row
    assert as_point(Measured("klj", "klj", 0.5, 0.9)) == row
    assert as_point(row) is row


@pytest.mark.parametrize("ratio", [0.0, 1.0])
def test_one_point_is_enough(ratio):
    ax = plot_frontier([("only", 1e-5, ratio)], Figure().subplots())
    ax.figure.canvas.draw()
    assert [text.get_text() for text in ax.texts] == ["only"]
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    assert left < 1e-5 < right
    assert bottom > 1 - ratio > top
    assert ax.get_yticklabels()[-1].get_text() == "1"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("a", 0.0, 0.5), "'a' must take a positive time, got 0.0"),
        (("a", 1.0, 1.5), "ratio of 'a' must lie between 0 and 1, got 1.5"),
        (("a", 1.0, float("nan")), "ratio of 'a' must lie between 0 and 1, got nan"),
    ],
)
def test_bad_values_are_named(row, message):
    with pytest.raises(ValueError, match=message):
        plot_frontier([row])


def test_bad_rows_are_named():
    with pytest.raises(TypeError, match="rows \\(name, seconds, ratio\\), got 'gaec'"):
        plot_frontier(["gaec"])
    with pytest.raises(ValueError, match="points must not be empty"):
        plot_frontier([])


def test_times_have_units():
    assert [format_seconds(s) for s in (1e-6, 1e-3, 0.05, 1, 100)] == [
        "1 µs",
        "1 ms",
        "50 ms",
        "1 s",
        "100 s",
    ]
