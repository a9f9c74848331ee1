"""What notebooks show is valid HTML, escaped, and tells the answer."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

import multicut as mc
from multicut._notebook import html_table, trace_picture

PROBLEM = mc.datasets.randommp(60, seed=2)


def texts(html):
    return [text for text in ElementTree.fromstring(html).itertext() if text]


def test_a_result_shows_objective_gap_clusters_and_its_trace():
    result = mc.solve(PROBLEM, "ilp")
    html = result._repr_html_()
    shown = texts(html)
    assert shown[0] == "Result of ilp (seed 0)"
    assert f"{result.objective:,.10g}" in shown
    assert f"{result.lower_bound:,.10g} (proven optimal)" in shown
    assert f"{result.num_clusters} of 60 nodes" in shown
    assert "<polyline" in html
    assert "stroke-dasharray" in html  # the lower bound


def test_colours_are_those_of_the_page():
    html = mc.solve(PROBLEM, "fusion")._repr_html_()
    assert "currentColor" in html
    assert "#" not in html
    assert "background:none" in html


def test_everything_is_escaped():
    result = replace(mc.solve(PROBLEM, "gaec"), solver="<script>alert('x')</script> & more")
    html = result._repr_html_()
    assert "<script>" not in html
    assert texts(html)[0] == "Result of <script>alert('x')</script> & more (seed 0)"
    assert texts(html_table("<b>", {"<i>": "a & b"})) == ["<b>", "<i>", "a & b"]


def test_the_picture_ends_at_the_last_objective():
    trace = np.array([[0.0, 0.0], [1.0, -5.0], [2.0, -10.0]])
    picture = ElementTree.fromstring(trace_picture(trace, -20.0))
    circle = picture.find("circle")
    line = picture.find("line")
    # Half-way between the start at the top and the bound at the bottom.
    assert float(circle.get("cy")) == pytest.approx(28.0)
    assert float(line.get("y1")) == pytest.approx(52.0)
    assert picture.find("polyline").get("points").split()[-1] == "216.0,28.0"


@pytest.mark.parametrize(
    "trace",
    [
        np.zeros((0, 2)),
        np.array([[0.1, -1.0]]),
        np.array([[0.1, np.inf], [0.2, -1.0]]),
    ],
)
def test_without_improvements_there_is_no_picture(trace):
    assert trace_picture(trace) == ""


@pytest.mark.parametrize(
    "trace",
    [
        np.array([[0.0, -1.0], [0.0, -1.0]]),
        np.array([[0.0, 1e308], [1.0, -1e308]]),
        np.stack([np.arange(5_000.0), -np.arange(5_000.0)], axis=1),
    ],
)
def test_odd_traces_make_small_pictures_without_nan(trace):
    picture = trace_picture(trace, -np.inf)
    assert picture.startswith("<svg")
    assert "nan" not in picture
    assert "inf" not in picture
    assert len(picture) < 10_000


def test_a_problem_shows_its_size_and_costs():
    problem = mc.Problem([[0, 1], [1, 2], [0, 2]], [1.0, np.inf, -4.0])
    shown = texts(problem._repr_html_())
    assert shown[0] == "Problem"
    assert dict(zip(shown[1::2], shown[2::2], strict=True)) == {
        "nodes": "3",
        "edges": "3",
        "attractive": "2",
        "repulsive": "1",
        "costs": "-4 … 1",
    }
    assert "none" in texts(mc.Problem([], [])._repr_html_())
