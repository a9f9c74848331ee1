"""Costs of very different size: proofs and bounds hold in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import multicut as mc
from tests.exact.big_m import big_m_problem, exact_objective, exact_optimum, faults
from tests.problems import random_problem

NUM_PROBLEMS = 1_500


@pytest.mark.parametrize("solver", ["lp", "ilp", "auto", "klj", "fusion"])
def test_proofs_and_bounds_hold_in_exact_arithmetic(solver):
    for seed in range(NUM_PROBLEMS):
        problem = big_m_problem(seed)
        result = mc.solve(problem, solver, bound=True)
        assert not faults(problem, result, exact_optimum(problem)), f"seed {seed}"
        assert result.optimal or solver not in ("ilp", "auto"), f"seed {seed}"


@pytest.mark.parametrize(
    ("edges", "costs", "best"),
    [
        (
            [[0, 5], [1, 2], [1, 3], [1, 6], [2, 4], [3, 4], [3, 6], [4, 6], [5, 6]],
            [1, 1e11, -3, 1, -3, 1e11, -1e11, 1e11, 2],
            -6,
        ),
        (
            [[3, 5], [0, 1], [0, 2], [1, 3], [0, 5], [2, 3], [2, 5]],
            [1e12, 1e12, -3, 2, -1, 1e12, -1e12],
            -3,
        ),
    ],
)
def test_small_costs_count_beside_huge_ones(edges, costs, best):
    problem = mc.Problem(edges, costs)
    for solver in ("ilp", "auto"):
        result = mc.solve(problem, solver)
        assert result.optimal
        assert result.objective == result.lower_bound == best
    relaxed = mc.solve(problem, "lp")
    assert relaxed.lower_bound <= best
    assert not relaxed.optimal or relaxed.objective == best


@pytest.mark.parametrize("size", [1e6, 1e9, 1e12, 1e15])
def test_soft_must_links_leave_proofs_as_quick(size):
    """Large costs that do not contradict each other: as many linear programs as without them."""
    problem = mc.datasets.randommp(seed=3)
    clusters = mc.solve(problem, "gaec").labels
    is_together = clusters[problem.edges[:, 0]] == clusters[problem.edges[:, 1]]
    is_soft = np.random.default_rng(0).random(problem.num_edges) < 0.1
    soft, hard = problem.costs.copy(), problem.costs.copy()
    soft[is_soft] = np.where(is_together, size, -size)[is_soft]
    hard[is_soft] = np.where(is_together, np.inf, -np.inf)[is_soft]
    expected = mc.solve(mc.Problem(problem.edges, hard), "ilp")
    result = mc.solve(mc.Problem(problem.edges, soft), "ilp")
    assert result.optimal
    assert np.array_equal(result.labels, expected.labels)
    assert result.details["linear_programs"] <= 2 * expected.details["linear_programs"] + 10


def test_objectives_are_exact_sums():
    """Costs of three sizes that cancel out: sums in doubled precision lose the smallest."""
    costs = [1e300, 1e150, 1.0, -1e300, -1e150]
    problem = mc.Problem([[0, node] for node in range(1, 6)], costs)
    labels = np.arange(6)
    assert mc.objective(problem, labels) == 1.0
    rng = np.random.default_rng(0)
    for _ in range(200):
        costs = rng.normal(size=30) * 10.0 ** rng.choice([0, 16, 32, 60], 30)
        costs = np.concatenate([costs, -costs[:25]])
        problem = mc.Problem([[0, node] for node in range(1, 56)], rng.permutation(costs))
        labels = np.arange(56)
        expected = float(exact_objective(problem, labels))
        assert mc.objective(problem, labels) == pytest.approx(expected, rel=2.0**-52)


def test_merged_costs_are_rounded_once():
    problem = mc.Problem([[0, 1]] * 3 + [[1, 2]], [1e18, 3.0, -1e18, np.inf])
    assert problem.costs.tolist() == [3.0, np.inf]


def test_reductions_tell_what_rounding_may_have_changed():
    errors = []
    for seed in range(300):
        problem = big_m_problem(seed)
        reduction = mc.reduce(problem)
        smaller = reduction.problem
        total = exact_optimum(smaller) + Fraction(reduction.offset)
        assert abs(total - exact_optimum(problem)) <= Fraction(reduction.error), f"seed {seed}"
        errors.append(reduction.error)
    assert max(errors) > 0.0
    assert sum(error == 0.0 for error in errors) > 100


def test_reductions_of_integers_are_exact():
    problem = mc.Problem([[0, 1], [1, 2], [0, 2], [2, 3]], [1e12, 2, -3, -1e12])
    assert mc.reduce(problem).error == 0.0


def test_no_bound_of_a_packing_is_larger_than_the_exact_optimum():
    for seed in range(400):
        for problem in (big_m_problem(seed), random_problem(4 + seed % 4, 0.8, seed)):
            bound = mc.lower_bound(problem, num_threads=1)
            assert Fraction(bound) <= exact_optimum(problem), f"seed {seed}"


def test_bounds_hold_beside_constraints():
    """A penalty for cannot-links, or merged must-links, must not raise a bound by rounding."""
    for seed in range(300):
        problem = big_m_problem(seed)
        rng = np.random.default_rng(seed)
        costs = problem.costs.copy()
        kind = rng.random(len(costs))
        costs[kind < 0.15] = np.inf
        costs[kind > 0.9] = -np.inf
        try:
            problem = mc.Problem(problem.edges, costs, num_nodes=problem.num_nodes)
        except ValueError:
            continue
        optimum = exact_optimum(problem)
        for solver in ("ilp", "lp", "gaec"):
            result = mc.solve(problem, solver, bound=True)
            assert not faults(problem, result, optimum), f"{solver}, seed {seed}"
