"""Solvers in stages: what the last one hands over."""

from __future__ import annotations

import numpy as np
import pytest

import multicut as mc
from multicut.solvers import klj
from multicut.solvers.attempt import Attempt
from multicut.solvers.protocol import Outcome, run_task
from multicut.stop import Stop, StopReason
from tests.problems import random_problem


def test_when_time_is_up_the_last_stage_has_the_last_word(monkeypatch):
    """Passes over all edges would take longer than there is time."""
    problem = random_problem(60, 0.3, seed=1)
    attempt = Attempt(problem, Stop(100.0))
    attempt.lay_floor()
    attempt.advance("klj", attempt.klj_task())
    attempt.watch.stop(StopReason.TIME_LIMIT)
    monkeypatch.setattr("multicut.solvers.attempt._core.better_regions", None)
    outcome = attempt.finish()
    assert outcome.stopped_by == "time_limit"
    assert outcome.objective == mc.objective(problem, outcome.labels)
    start = mc.solve(problem, "gaec").labels
    assert outcome.objective == mc.solve(problem, "klj", initial=start).objective
    assert outcome.trace[-1, 1] == outcome.objective
    first, second = problem.edges.T
    assert np.array_equal(outcome.cut, outcome.labels[first] != outcome.labels[second])


@pytest.mark.parametrize("links", [0, 7])
def test_labels_of_a_solver_need_no_check(links):
    problem = random_problem(80, 0.1, seed=2)
    costs = problem.costs.copy()
    if links:
        costs[::links] = np.inf
    problem = mc.Problem(problem.edges, costs, num_nodes=80)
    options = klj.KljOptions(initial=mc.solve(problem, "gaec").labels)
    checked = run_task(klj.task(problem, options), Stop())
    unchecked = run_task(klj.task(problem, options, checks_initial=False), Stop())
    assert np.array_equal(checked.labels, unchecked.labels)


def test_small_costs_decide_between_objectives_that_are_rounded_to_the_same():
    problem = mc.Problem([[0, 1], [2, 3]], [-1e17, 1.0])
    attempt = Attempt(problem, Stop())
    single = np.arange(4)
    floor = Outcome.of_labels(problem, single, trace=np.zeros((0, 2)), stopped_by="converged")
    attempt.take_floor("gaec", floor)
    attempt.labels = np.array([0, 1, 2, 2])
    assert attempt.finish().labels.tolist() == [0, 1, 2, 2]
