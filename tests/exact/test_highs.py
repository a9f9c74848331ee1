"""What HiGHS is relied upon for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import multicut as mc
from multicut.exact import highs
from multicut.exact.highs import HighsModel, _sum_from_above
from tests.problems import random_problem


def model() -> HighsModel:
    return HighsModel(np.array([-1.0, 2.0]), np.zeros(2), np.ones(2), lambda: False)


def test_models_in_two_threads_do_not_get_in_each_others_way():
    """The first is in the middle of a solve, as far as its lock is concerned."""
    first, second = model(), model()
    first._highs._Highs__solver_stopped.acquire()
    try:
        with ThreadPoolExecutor(1) as pool:
            values = pool.submit(second.solve_relaxation).result(timeout=30)
    finally:
        first._highs._Highs__solver_stopped.release()
    assert values.tolist() == [1.0, 0.0]


def test_certificates_hold_beside_huge_costs():
    """Differences of 2 beside costs of 1e18, which are multiples of 128: once these are fixed."""
    costs = np.array([1e18, -1e18, 3.0, -1.0])
    model = HighsModel(costs, np.zeros(4), np.ones(4), lambda: False)
    model.fix(0, 1.0)
    model.fix(1, 1.0)
    assert model.rescale()
    assert not model.rescale()
    assert model.solve_relaxation()[2:].tolist() == [0.0, 1.0]
    certificate = model.certify(np.array([True, True, True, False]))
    assert 4.0 <= certificate.gap < 4.0 + 1e-12
    assert model.gap_without_rows(np.array([True, True, False, True])) < 1e-300


def test_released_variables_are_free_again():
    costs = np.array([-1.0, 2.0, -3.0])
    model = HighsModel(costs, np.array([0.0, 0.0, 1.0]), np.ones(3), lambda: False)
    model.fix(0, 0.0)
    mark = model.num_fixed
    model.fix(1, 1.0)
    assert model.is_free.tolist() == [False, False, False]
    model.release(mark)
    assert model.is_free.tolist() == [False, True, False]
    assert model.solve_relaxation().tolist() == [0.0, 0.0, 1.0]
    model.release(0)
    assert model.is_free.tolist() == [True, True, False]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "terms", [[np.inf, -np.inf], [1.5e308, 1.5e308], [1.7e308, -1.7e308, 1.7e308, np.inf]]
)
def test_sums_beyond_all_doubles_prove_nothing(terms):
    assert _sum_from_above(np.array(terms)) == np.inf


@pytest.mark.filterwarnings("error")
def test_the_largest_costs_cause_no_warnings():
    for seed in range(50):
        rng = np.random.default_rng(seed)
        problem = random_problem(6, 1.0, seed)
        size = 1.7e308 / problem.num_edges
        costs = rng.choice([-1.0, 1.0], problem.num_edges) * rng.uniform(0.5, 1.0) * size
        costs[::3] = rng.normal(size=len(costs[::3])) * 1e-300
        problem = mc.Problem(problem.edges, costs, num_nodes=6)
        for solver in ("ilp", "lp"):
            result = mc.solve(problem, solver)
            assert result.lower_bound <= result.objective


def test_small_programs_that_take_long_can_be_stopped(monkeypatch):
    """Once one took long, the next ones run in a thread, with looks at the clock."""
    programs = model()
    assert programs.solve_relaxation() is not None
    programs._is_quick = True  # whatever the machine was busy with
    monkeypatch.setattr(highs, "_SECONDS_FOR_THREAD", 0.0)
    values = programs.solve_relaxation()
    assert not programs._is_quick
    started = []
    start = programs._highs.startSolve
    monkeypatch.setattr(programs._highs, "startSolve", lambda: (started.append(1), start())[1])
    again = programs.solve_relaxation()
    assert started == [1]
    assert np.array_equal(values, again)
