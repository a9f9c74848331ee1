"""Lifted problems: proven optima, bounds and reductions, against brute force."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings

import multicut as mc
from multicut.exact.lifted import LiftedBlockwiseSearch
from multicut.exact.union import Union
from multicut.stop import Stop
from multicut.watch import Watch
from tests.exact.lifted_big_m import exact_optimum, faults, lifted_big_m_problem
from tests.problems import optimum, random_lifted_problem, small_lifted_problems

INF = np.inf


def noisy_grid(side: int, seed: int, noise: float = 0.8) -> mc.Problem:
    """A grid whose diagonals are edges, with lifted edges three nodes apart; two halves."""
    rng = np.random.default_rng(seed)
    index = np.arange(side * side).reshape(side, side)
    pairs = [(index[:, :-1], index[:, 1:]), (index[:-1], index[1:])]
    pairs += [(index[:-1, :-1], index[1:, 1:]), (index[:-1, 1:], index[1:, :-1])]
    edges = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs])
    far = [(index[:, :-3], index[:, 3:]), (index[:-3], index[3:])]
    lifted = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in far])
    half = (index % side >= side // 2).ravel()

    def costs(of: np.ndarray) -> np.ndarray:
        same = half[of[:, 0]] == half[of[:, 1]]
        return np.where(same, 1.0, -1.0) + noise * rng.normal(size=len(of))

    return mc.Problem(
        edges, costs(edges), side * side, lifted_edges=lifted, lifted_costs=costs(lifted)
    )


@pytest.mark.parametrize("solver", ["ilp", "auto"])
def test_optima_equal_brute_force(solver):
    for seed in range(150):
        density, lifted_density = (0.3, 0.5, 0.9)[seed % 3], (0.2, 0.6)[seed % 2]
        problem = random_lifted_problem(
            3 + seed % 5, density, lifted_density, seed, integers=seed % 4 == 0
        )
        result = mc.solve(problem, solver)
        assert result.optimal, f"seed {seed}"
        assert result.objective == pytest.approx(optimum(problem), abs=1e-9), f"seed {seed}"
        assert result.objective == mc.objective(problem, result.labels)
        assert mc.is_feasible(problem, result.cut, result.lifted_cut)


def test_bounds_and_heuristics_bracket_optima():
    gaps = []
    for seed in range(120):
        problem = random_lifted_problem(3 + seed % 5, 0.5, 0.5, seed)
        best = optimum(problem)
        relaxed = mc.solve(problem, "lp")
        packed = mc.lower_bound(problem, num_threads=1)
        for bound in (packed, relaxed.lower_bound):
            assert bound <= best + 1e-9 * abs(best), f"seed {seed}"
        gaps.append((best - packed, best - relaxed.lower_bound))
        assert relaxed.objective >= best - 1e-9
        searched = mc.solve(problem, "klj", bound=True)
        assert searched.lower_bound <= best + 1e-9 * abs(best)
        assert searched.objective >= best - 1e-9
    # Cut inequalities make the relaxation tighter than a packing of cycles.
    assert np.mean([gap[1] for gap in gaps]) < 0.5 * np.mean([gap[0] for gap in gaps])


@settings(max_examples=60, deadline=None)
@given(small_lifted_problems(constrained=True))
def test_awkward_costs_and_constraints(problem):
    best = optimum(problem)
    if best == INF:
        with pytest.raises(ValueError, match="no partition meets all must-links"):
            mc.solve(problem, "ilp")
        return
    result = mc.solve(problem, "ilp")
    assert result.objective == pytest.approx(best, rel=1e-9, abs=1e-9)
    assert result.lower_bound <= best + 1e-9 * abs(best)


def test_lifted_must_links_are_met_where_that_is_hard():
    # Two must-links cross a grid; only one of them can take the middle row.
    index = np.arange(12).reshape(3, 4)
    edges = [[a, b] for row in index for a, b in pairwise(row)]
    edges += [[a, b] for a, b in zip(index[:-1].ravel(), index[1:].ravel(), strict=True)]
    problem = mc.Problem(
        edges,
        -np.ones(len(edges)),
        lifted_edges=[[0, 3], [8, 11], [0, 8]],
        lifted_costs=[INF, INF, -INF],
    )
    result = mc.solve(problem, "ilp")
    assert result.optimal
    assert result.labels[0] == result.labels[3] != result.labels[8] == result.labels[11]
    # Each must-link joins three edges, all others are cut.
    assert result.objective == -(len(edges) - 6)


def test_constraints_that_no_partition_meets_are_told():
    # Two paths have to cross at the one node in the middle.
    problem = mc.Problem(
        [[0, 4], [1, 4], [2, 4], [3, 4]],
        [1.0] * 4,
        lifted_edges=[[0, 1], [2, 3], [0, 2]],
        lifted_costs=[INF, INF, -INF],
    )
    for solver in ("ilp", "lp", "auto"):
        with pytest.raises(ValueError, match="remove some of these constraints"):
            mc.solve(problem, solver)


def test_proofs_and_bounds_hold_in_exact_arithmetic():
    for seed in range(200):
        problem = lifted_big_m_problem(seed)
        if problem.num_edges + problem.num_lifted_edges == 0:
            continue
        best = exact_optimum(problem)
        for solver in ("ilp", "lp"):
            result = mc.solve(problem, solver, bound=True)
            assert not faults(problem, result, best), f"seed {seed}"
            assert result.optimal or solver == "lp", f"seed {seed}"
        assert Fraction(mc.lower_bound(problem, num_threads=1)) <= best, f"seed {seed}"


@pytest.mark.parametrize("seed", [2100, 2304, 2665])
def test_large_costs_that_cancel_out_leave_proofs_of_small_ones(seed):
    problem = lifted_big_m_problem(seed)
    result = mc.solve(problem, "ilp")
    assert result.optimal
    assert not faults(problem, result, exact_optimum(problem))


def test_a_few_hundred_edges_are_proven():
    problem = noisy_grid(14, 0, noise=1.2)
    result = mc.solve(problem, "ilp")
    assert (problem.num_edges, problem.num_lifted_edges) == (702, 308)
    assert result.optimal
    assert result.details["cut_inequalities"] > 0
    assert result.objective <= mc.solve(problem, "klj").objective + 1e-9


def test_a_deadline_and_a_callback_stop_with_a_partition_and_a_bound():
    problem = noisy_grid(12, 1, noise=2.0)
    late = mc.solve(problem, "ilp", time_limit=0.3)
    assert late.stopped_by == "time_limit"
    assert late.lower_bound < late.objective < 0
    told = []

    def stop(progress: mc.Progress) -> bool:
        told.append(progress)
        return progress.lower_bound is not None and len(told) > 3

    stopped = mc.solve(problem, "ilp", callback=stop)
    assert stopped.stopped_by == "callback"
    assert stopped.lower_bound <= stopped.objective
    bounds = [progress.lower_bound for progress in told if progress.lower_bound is not None]
    assert bounds == sorted(bounds)


def test_the_same_seed_gives_the_same_proof():
    problem = noisy_grid(8, 3, noise=1.2)
    one = mc.solve(problem, "auto", seed=4, num_threads=1)
    two = mc.solve(problem, "auto", seed=4, num_threads=2)
    assert np.array_equal(one.labels, two.labels)
    assert one.lower_bound == two.lower_bound


def test_search_in_auto_is_bounded(monkeypatch):
    monkeypatch.setattr("multicut.solvers.auto_lifted._ITERATIONS_OF_PROOF", 50)
    problem = noisy_grid(12, 1, noise=2.0)
    result = mc.solve(problem, "auto")
    assert not result.optimal
    assert result.lower_bound < result.objective
    assert "not proven optimal by" in result.details["chosen"]


def test_objectives_include_what_the_union_lacks():
    problem = mc.Problem(
        [[0, 1], [1, 2], [3, 4]],
        [1.0, -2.0, 1.0],
        lifted_edges=[[0, 2], [0, 3]],
        lifted_costs=[0.5, 7.0],
    )
    union = Union.of(problem)
    labels = np.arange(5)
    search = LiftedBlockwiseSearch(
        union, union.extend(labels), mc.objective(problem, labels), Watch(Stop())
    )
    search.run(integer=True)
    assert search.total_bound == pytest.approx(optimum(problem))
    assert search.is_proof_of(mc.objective(problem, union.restrict(search.labels)))
