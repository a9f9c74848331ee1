from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

import multicut as mc
from multicut.demo import Entrant, Example, compare
from multicut.demo.picture import _draw_race


@pytest.fixture
def rows():
    problem = mc.datasets.randommp(300, seed=0)
    example = Example("graph", (problem,), mc.datasets.randommp_points(300, seed=0))
    return compare([example], [Entrant("gaec"), Entrant("klj"), Entrant("fusion")])


def drawn(rows):
    figure = Figure()
    ax = figure.subplots()
    _draw_race(ax, rows)
    figure.draw_without_rendering()
    return ax


def test_the_legend_of_the_race_lies_below_its_curves(rows):
    ax = drawn(rows)
    assert ax.get_legend().get_window_extent().y1 < ax.get_window_extent().y0
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["gaec", "klj", "fusion"]


def test_a_trivial_partition_does_not_stretch_the_axis(rows):
    before = drawn(rows).get_ylim()
    result = rows[0].results[0]
    details = {"found_by": "trivial partition"}
    poor = replace(
        result, objective=0.0, trace=np.zeros((1, 2)), stopped_by="time_limit", details=details
    )
    ax = drawn([*rows, replace(rows[0], entrant=Entrant("gnn"), results=(poor,))])
    assert ax.get_ylim() == before
    label = ax.get_legend().get_texts()[-1].get_text()
    assert label == "gnn (100 % above: trivial partition; stopped)"
