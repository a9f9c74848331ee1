"""Numbers as HTML."""

from __future__ import annotations

import numpy as np
import pytest

import multicut as mc
from multicut.app import tables
from multicut.app.limits import AppLimits
from multicut.app.solving import Choices, solve_subject
from multicut.app.subjects import GraphSubject

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture
def problem() -> mc.Problem:
    return mc.datasets.randommp(180, seed=1)


def test_texts_are_escaped() -> None:
    subject = GraphSubject(EVIL, mc.Problem([[0, 1]], [1.0]))
    for html in (tables.about(subject), tables.message(EVIL), tables.hint(EVIL)):
        assert "<img" not in html
        assert "&lt;img" in html


def test_metrics_tell_the_result(problem: mc.Problem) -> None:
    result = mc.solve(problem, "ilp")
    html = tables.metrics(result)
    assert f"{result.objective:,.2f}".replace("-", "\N{MINUS SIGN}") in html
    assert f">{result.num_clusters}<" in html
    assert ">optimal<" in html
    without = tables.metrics(mc.solve(problem, "gaec"))
    assert "optimal<" not in without
    assert without.count("\N{EN DASH}") == 2  # no bound, no gap


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0000"),
        (-12.3456789, "\N{MINUS SIGN}12.3457"),
        (-1234.5, "\N{MINUS SIGN}1,234.50"),
        (-3210774.3, "\N{MINUS SIGN}3,210,774"),
        (-1e-7, "\N{MINUS SIGN}1e\N{MINUS SIGN}07"),
        (np.inf, "infeasible"),
    ],
)
def test_numbers_are_readable(value: float, text: str) -> None:
    assert tables._number(value) == text


def test_comparison_names_the_cheaper_one(problem: mc.Problem) -> None:
    subject = GraphSubject("graph", problem)
    solved = solve_subject(subject, Choices("gaec", "ilp"), AppLimits())
    first, second = solved.results
    assert second.objective < first.objective
    html = tables.comparison(solved)
    assert f"ilp is cheaper by {first.objective - second.objective:,.6g}" in html
    assert html.count("mc-best") == 1
    assert f"{int(np.count_nonzero(first.cut != second.cut))} of {problem.num_edges} edges" in html
    same = solve_subject(subject, Choices("ilp", "ilp"), AppLimits())
    assert "Both cut the same edges." in tables.comparison(same)
    assert "Choose a second solver" in tables.comparison(None)
