"""Branch and cut for one problem."""

from __future__ import annotations

import numpy as np
import pytest

import multicut as mc
from multicut.exact import branch_and_cut
from multicut.exact.branch_and_cut import BranchAndCut
from multicut.stop import Stop, StopReason
from multicut.watch import Watch
from tests.problems import optimum, random_problem

TRIANGLE = mc.Problem([[0, 1], [1, 2], [0, 2]], [2.0, 3.0, -4.0])


def search_of(problem: mc.Problem, labels=None, **options) -> BranchAndCut:
    """Start from single nodes, or from the given labels."""
    start = np.arange(problem.num_nodes) if labels is None else np.array(labels)
    return BranchAndCut(problem, start, Watch(Stop()), **options)


def test_before_anything_is_done_the_gap_is_that_of_the_costs():
    search = search_of(TRIANGLE)
    assert search.cut.tolist() == [True, True, True]
    assert search.solution.objective == 1.0
    # Single nodes cost 1; taking each edge as it likes best would cost -4.
    assert search.solution.gap == pytest.approx(5.0)
    assert not search.solution.is_optimal


def test_a_start_that_meets_the_trivial_bound_is_optimal_at_once():
    problem = mc.Problem([[0, 1], [1, 2]], [2.0, -3.0])
    search = search_of(problem, [0, 0, 1])
    assert search.solution.is_optimal
    assert search.solution.gap == 0.0


def test_one_cycle_needs_one_inequality():
    search = search_of(TRIANGLE)
    search.run()
    assert search.solution.is_optimal
    assert search.solution.objective == -2.0
    assert search.solution.labels.tolist() == [0, 1, 1]
    assert search.solution.num_cycles == 1
    assert search.solution.num_nodes == 0


@pytest.mark.parametrize("seed", range(30))
def test_random_problems_equal_brute_force(seed):
    problem = random_problem(7, 0.8, seed)
    search = search_of(problem)
    told = []
    search.improved = told.append
    before = search.solution.objective
    search.run()
    assert search.solution.is_optimal
    assert search.solution.objective == pytest.approx(optimum(problem), abs=1e-9)
    assert all(difference < 0.0 for difference in told)
    assert before + sum(told) == pytest.approx(search.solution.objective)


def test_constraints_become_fixed_variables():
    costs = [np.inf, 3.0, -4.0]
    search = search_of(mc.Problem(TRIANGLE.edges, costs), [0, 0, 1])
    search.run()
    assert search.solution.is_optimal
    assert search.cut.tolist() == [False, True, True]
    search = search_of(mc.Problem(TRIANGLE.edges, [2.0, -np.inf, 1.0]), [0, 1, 2])
    search.run()
    assert search.cut.tolist() == [False, True, True]


def test_the_relaxation_alone_bounds_and_rounds():
    # A centre that attracts three nodes which repel each other: the relaxation takes halves.
    edges = [[0, 1], [0, 2], [0, 3], [1, 2], [2, 3], [3, 1]]
    problem = mc.Problem(edges, 1.1 * np.array([2, 2, 2, -2, -2, -2]))
    search = search_of(problem)
    search.solve_and_round_relaxation()
    assert search.solution.objective - search.solution.gap == pytest.approx(-3.3)
    assert search.solution.objective >= optimum(problem)
    assert search.solution.num_wheels == 0
    tight = search_of(problem)
    tight.run()
    assert tight.solution.is_optimal
    assert tight.solution.num_wheels > 0


def test_better_partitions_narrow_the_gap_by_what_they_gain():
    search = search_of(TRIANGLE)
    search.try_labels(np.array([0, 1, 1]))
    assert search.solution.objective == -2.0
    assert search.solution.gap == pytest.approx(2.0)
    search.try_labels(np.array([0, 0, 0]))  # worse
    assert search.solution.objective == -2.0
    # Edges that are no multicut: the third closes a cycle with two that are joined.
    search.try_cut(np.array([False, False, True]))
    assert search.solution.objective == -2.0


def test_partitions_that_break_a_constraint_are_not_taken():
    problem = mc.Problem([[0, 1]], [-np.inf])
    search = search_of(problem)
    search.try_labels(np.array([0, 0]))
    assert search.solution.labels.tolist() == [0, 1]


def test_branching_finds_what_inequalities_leave_open(monkeypatch):
    monkeypatch.setattr(branch_and_cut, "_LEAST_WHEEL_VIOLATION", 1.0)
    num_nodes = 0
    for seed in range(10):
        problem = random_problem(8, 1.0, seed)
        search = search_of(problem)
        search.run()
        assert search.solution.is_optimal
        assert search.solution.objective == pytest.approx(optimum(problem), abs=1e-9)
        num_nodes += search.solution.num_nodes
    assert num_nodes > 0


def test_a_stopped_search_keeps_its_start_and_a_gap_that_holds():
    problem = random_problem(8, 1.0, seed=3)
    watch = Watch(Stop())
    watch.stop(StopReason.CALLBACK)
    search = BranchAndCut(problem, np.arange(8), watch)
    search.run()
    assert not search.solution.is_optimal
    assert search.solution.num_rounds == 0
    assert search.solution.objective - search.solution.gap <= optimum(problem)


def test_what_may_be_left_open_ends_the_search():
    search = search_of(TRIANGLE, tolerance=100.0)
    assert not search_of(TRIANGLE).solution.is_optimal
    assert search._promise == 100.0
    precise = search_of(TRIANGLE, constant=-1e9, precision=1e-3)
    assert precise._promise == pytest.approx(1e6)
