"""What ilp and lp promise beyond the contract of all solvers."""

from __future__ import annotations

import signal
import threading

import numpy as np
import pytest
from hypothesis import given, settings

import multicut as mc
from tests.problems import optimum, random_problem, small_problems


@settings(max_examples=300, deadline=None)
@given(small_problems(constrained=True))
def test_awkward_small_problems_are_solved_and_bracketed(problem):
    best = optimum(problem)
    scale = np.abs(problem.costs[np.isfinite(problem.costs)]).sum()
    exact, relaxed = mc.solve(problem, "ilp"), mc.solve(problem, "lp")
    assert exact.optimal
    assert exact.gap == 0
    assert exact.objective == pytest.approx(best, abs=1e-6 * scale)
    assert relaxed.lower_bound <= best + 1e-6 * scale
    assert relaxed.objective >= best - 1e-6 * scale


@pytest.mark.parametrize("density", [0.3, 0.6, 1.0])
@pytest.mark.parametrize("integers", [False, True])
def test_random_problems_equal_brute_force(density, integers):
    for seed in range(250):
        problem = random_problem(5 + seed % 4, density, seed, integers)
        result = mc.solve(problem, "ilp")
        assert result.optimal
        assert result.objective == pytest.approx(optimum(problem), abs=1e-7)


def test_planar_problems_equal_brute_force():
    triangulated_grid = [(0, 1), (1, 2), (0, 3), (1, 4), (2, 5), (3, 4), (4, 5), (3, 6), (4, 7)]
    triangulated_grid += [(5, 8), (6, 7), (7, 8), (0, 4), (1, 5), (3, 7), (4, 8)]
    rng = np.random.default_rng(0)
    for seed in range(150):
        costs = rng.normal(size=16) if seed % 2 else rng.integers(-2, 3, 16).astype(float)
        costs[rng.random(16) < 0.1] = rng.choice([0.0, -np.inf])
        problem = mc.Problem(triangulated_grid, costs)
        result = mc.solve(problem, "ilp")
        assert result.optimal
        assert result.objective == pytest.approx(optimum(problem), abs=1e-7)


def test_wheels_close_the_gap_of_the_cycle_relaxation():
    # A centre that attracts three nodes which repel each other: the relaxation takes halves.
    problem = mc.Problem([[0, 1], [0, 2], [0, 3], [1, 2], [2, 3], [3, 1]], [2, 2, 2, -2, -2, -2])
    assert mc.solve(problem, "lp").lower_bound == pytest.approx(-3.0)
    exact = mc.solve(problem, "ilp")
    assert exact.optimal
    assert exact.objective == optimum(problem)


def test_search_without_wheels_and_branchings_agrees(monkeypatch):
    """The integer programs of HiGHS, which take over where branching takes too long."""
    problems = [mc.datasets.randommp(80, seed=seed) for seed in range(8)]
    expected = [mc.solve(problem, "ilp").objective for problem in problems]
    monkeypatch.setattr("multicut.exact.branch_and_cut._MAX_NODES", 0)
    monkeypatch.setattr("multicut.exact.branch_and_cut._LEAST_WHEEL_VIOLATION", 1.0)
    monkeypatch.setattr("multicut.exact.highs._MANY_ROWS", 0)
    programs = 0
    for problem, best in zip(problems, expected, strict=True):
        result = mc.solve(problem, "ilp")
        assert result.optimal
        assert result.objective == pytest.approx(best)
        assert result.details["odd_wheels"] == 0
        programs += result.details["integer_programs"]
    assert programs > 0


def test_randommp_graphs_are_solved_to_optimality():
    for seed in range(10):
        problem = mc.datasets.randommp(seed=seed)
        exact, relaxed = mc.solve(problem, "ilp"), mc.solve(problem, "lp")
        assert exact.optimal
        assert exact.lower_bound == exact.objective
        assert exact.objective <= mc.solve(problem, "fusion").objective
        assert relaxed.lower_bound <= exact.objective <= relaxed.objective
        assert relaxed.lower_bound >= 1.02 * exact.objective


@pytest.mark.parametrize("name", ["karate", "lesmis", "football"])
def test_modularity_optima(shared_data, name):
    path = shared_data / "modularity.npz"
    with np.load(path) as archive:
        known = dict(zip(archive["name"].tolist(), archive["optimum"].tolist(), strict=True))
    result = mc.solve(mc.read(path, instance=name), "ilp")
    assert result.optimal
    assert result.objective == known[name]


def test_a_time_limit_leaves_a_solution_and_a_bound():
    problem = random_problem(60, 1.0, seed=1)
    result = mc.solve(problem, "ilp", time_limit=0.5)
    assert result.stopped_by == "time_limit"
    assert not result.optimal
    assert result.lower_bound < result.objective
    assert result.runtime < 5
    assert result.objective == mc.objective(problem, result.labels)


def test_ctrl_c_leaves_a_solution_and_a_bound():
    problem = random_problem(60, 1.0, seed=1)
    timer = threading.Timer(0.7, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        result = mc.solve(problem, "ilp")
    finally:
        timer.cancel()
    assert result.stopped_by == "interrupt"
    assert result.lower_bound < result.objective


def test_a_callback_may_stop_it():
    problem = random_problem(60, 1.0, seed=1)
    result = mc.solve(problem, "ilp", callback=lambda progress: progress.elapsed > 0.5)
    assert result.stopped_by == "callback"


def test_a_callback_hears_of_bound_and_cuts():
    heard = []
    result = mc.solve(random_problem(40, 1.0, seed=1), "ilp", 2, callback=heard.append)
    last = heard[-1]
    assert last.objective == pytest.approx(result.objective)
    assert last.lower_bound <= result.objective + 1e-9
    assert last.gap < 1
    assert last.details["cycle_inequalities"] > 0
    bounds = [progress.lower_bound for progress in heard if progress.lower_bound is not None]
    assert bounds == sorted(bounds)


def test_summary_tells_of_the_proof():
    assert "proven optimal" in mc.solve(random_problem(8, 0.5, seed=0), "ilp").summary()
    assert "gap" in mc.solve(random_problem(60, 1.0, seed=1), "ilp", time_limit=0.3).summary()
