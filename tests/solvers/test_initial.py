"""Warm starts: one contract for all solvers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import multicut as mc
from tests.problems import random_problem, small_problems

STARTERS = [record.name for record in mc.list_solvers() if record.can_start_from_labels]
OTHERS = [record.name for record in mc.list_solvers() if not record.can_start_from_labels]
every_starter = pytest.mark.parametrize("solver", STARTERS)


def test_who_cannot_start_from_labels():
    assert sorted(OTHERS) == ["gasp", "gnn", "mutex-watershed"]


@every_starter
@pytest.mark.parametrize("seed", range(4))
def test_never_worse_than_random_labels(solver, seed):
    problem = random_problem(24, 0.3, seed)
    initial = np.random.default_rng(seed).integers(0, 5, 24)
    result = mc.solve(problem, solver, initial=initial)
    assert result.objective <= mc.objective(problem, initial)
    assert result.objective == pytest.approx(mc.objective(problem, result.labels))
    assert mc.is_feasible(problem, result.cut)


@every_starter
def test_never_worse_than_good_labels(solver):
    for seed in range(3):
        problem = random_problem(40, 0.2, seed)
        best = mc.solve(problem, "ilp")
        result = mc.solve(problem, solver, initial=best.labels)
        assert result.objective <= best.objective
        assert result.objective == pytest.approx(best.objective)


@every_starter
def test_good_labels_survive_a_deadline_that_has_passed(solver):
    problem = random_problem(60, 0.2, 0)
    best = mc.solve(problem, "fusion")
    assert mc.solve(problem, solver, 0, initial=best.labels).objective <= best.objective


@every_starter
def test_labels_may_be_any_integers(solver):
    problem = mc.Problem([[0, 1], [1, 2], [2, 3]], [1.0, -1.0, 2.0])
    result = mc.solve(problem, solver, initial=[-5, -5, 10**12, 10**12])
    assert result.labels.tolist() == [0, 0, 1, 1]
    assert result.objective == -1.0


@every_starter
def test_initial_labels_may_violate_constraints(solver):
    edges, costs = [[0, 1], [1, 2], [0, 2], [2, 3]], [np.inf, 1.0, -np.inf, 2.0]
    problem = mc.Problem(edges, costs)
    for initial in ([0, 1, 2, 3], [0, 0, 0, 0], [0, 1, 0, 1]):
        result = mc.solve(problem, solver, initial=initial)
        assert result.labels[0] == result.labels[1] != result.labels[2]
        assert result.objective <= 3.0


@every_starter
def test_wrong_lengths_and_types_are_refused(solver):
    problem = random_problem(10, 0.5, 0)
    with pytest.raises(ValueError, match=r"initial must contain one label per node, shape \(10,\)"):
        mc.solve(problem, solver, initial=[0, 1])
    with pytest.raises(TypeError, match="initial must be integers"):
        mc.solve(problem, solver, initial=np.zeros(10))
    with pytest.raises(TypeError, match=r"pass its \.labels"):
        mc.solve(problem, solver, initial=mc.solve(problem, "gaec"))


@pytest.mark.parametrize("solver", OTHERS)
def test_others_say_that_they_cannot(solver):
    with pytest.raises(TypeError, match="cannot start from `initial` labels; use auto, gaec"):
        mc.solve(random_problem(10, 0.5, 0), solver, initial=np.zeros(10, dtype=int))


def test_greedy_solvers_only_join():
    problem = random_problem(40, 0.2, 1)
    initial = np.arange(40) // 2
    for solver in ("gaec", "greedy-fixation", "dual-greedy"):
        labels = mc.solve(problem, solver, initial=initial).labels
        joined = mc.solve(problem, "gaec", initial=labels).labels
        cut = labels[problem.edges[:, 0]] != labels[problem.edges[:, 1]]
        apart = initial[problem.edges[:, 0]] != initial[problem.edges[:, 1]]
        assert not (cut & ~apart).any()
        assert len(np.unique(joined)) <= len(np.unique(labels))


def test_a_bound_of_contracted_clusters_is_not_one_of_the_problem():
    problem = random_problem(40, 0.2, 1)
    optimum = mc.solve(problem, "ilp").objective
    result = mc.solve(problem, "dual-greedy", initial=np.zeros(40, dtype=int))
    assert result.lower_bound is None or result.lower_bound <= optimum + 1e-9


@given(small_problems(constrained=True))
def test_never_worse_on_awkward_problems(problem):
    initial = np.arange(problem.num_nodes) % 2
    given_objective = mc.objective(problem, initial)
    for solver in ("gaec", "dual-greedy", "greedy-fixation", "klj", "ilp", "auto"):
        assert mc.solve(problem, solver, initial=initial).objective <= given_objective
