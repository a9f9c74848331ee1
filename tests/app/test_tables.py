"""Numbers as HTML."""

from __future__ import annotations

import dataclasses
import re
import time

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
    subject = GraphSubject("graph", problem)
    solved = solve_subject(subject, Choices("ilp"), AppLimits())
    result = solved.results[0]
    html = tables.metrics(solved)
    assert f"{result.objective:,.2f}".replace("-", "\N{MINUS SIGN}") in html
    assert f">{result.num_clusters}<" in html
    assert ">optimal<" in html
    without = tables.metrics(solve_subject(subject, Choices("gaec"), AppLimits()))
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


def rows_of(html: str) -> list[list[str]]:
    rows = re.findall(r"<tr.*?</tr>", html)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


def test_comparison_is_fair(problem: mc.Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    # A bound that is slow, and worse than that of ilp, which has a time limit and proves nothing.
    subject = GraphSubject("graph", problem)
    clock = time.perf_counter

    def slow(*_: object) -> tuple[float, str]:
        end = clock() + 0.3
        while clock() < end:
            pass
        return -1e6, "converged"

    monkeypatch.setattr("multicut.app.solving.bound_from_below", slow)
    choices = Choices("auto", "klj", bound=True)
    solved = solve_subject(subject, choices, AppLimits())
    first, second = solved.results
    head, *rows = rows_of(tables.comparison(solved))
    assert [row[0] for row in rows] == [f"auto → {first.solver}", "klj"]
    assert first.lower_bound == second.lower_bound > -1e6
    column = head.index("Lower bound")
    assert rows[0][column] == rows[1][column] != "\N{EN DASH}"
    assert second.gap == pytest.approx((second.objective - first.lower_bound) / -second.objective)


def test_time_of_a_bound_is_not_that_of_the_solver(
    problem: mc.Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = []

    def solve(*_: object, **options: object) -> mc.Result:
        heard.append(options)
        result = mc.solve(problem, "gaec")
        return dataclasses.replace(result, runtime=5.0, details={"seconds": {"bound": 2.0}})

    monkeypatch.setattr("multicut.app.solving.solve", solve)
    solved = solve_subject(
        GraphSubject("graph", problem), Choices("gaec", "klj", bound=True), AppLimits()
    )
    # Solvers are not asked for a bound, and of what they spend on their own it is taken off.
    assert all("bound" not in options for options in heard)
    assert [result.runtime for result in solved.results] == [3.0, 3.0]
    assert all(result.lower_bound is not None for result in solved.results)


def test_the_limit_of_the_server_ends_a_solver_without_one(problem: mc.Problem) -> None:
    large = mc.datasets.randommp(20_000, seed=0)
    limits = AppLimits(time_limit=0.5)
    result = solve_subject(GraphSubject("large", large), Choices("fusion"), limits).results[0]
    assert result.stopped_by == "time_limit"
    converged = solve_subject(GraphSubject("small", problem), Choices("auto"), AppLimits())
    # Without a limit of the visitor it is the result of the command line, whatever the server has.
    assert np.array_equal(converged.results[0].labels, mc.solve(problem, "auto").labels)


def test_one_node_and_one_edge_are_singular() -> None:
    alone = solve_subject(
        GraphSubject("one", mc.Problem([], [], num_nodes=1)), Choices("gaec"), AppLimits()
    )
    assert "of 1 node<" in tables.metrics(alone)
    pair = GraphSubject("pair", mc.Problem([[0, 1]], [1.0]))
    solved = solve_subject(pair, Choices("gaec", "klj"), AppLimits())
    first, second = solved.results
    apart = dataclasses.replace(second, labels=np.array([0, 1]), cut=np.array([True]))
    html = tables.comparison(dataclasses.replace(solved, results=(first, apart)))
    assert "They differ on 1 of 1 edge" in html
    assert "edges" not in html.split("They differ")[1]
