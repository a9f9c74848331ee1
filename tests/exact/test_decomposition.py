"""Exact solutions block by block."""

from __future__ import annotations

import numpy as np
import pytest

import multicut as mc
from multicut.exact.decomposition import COUNTERS, BlockwiseSearch, _sure_edges
from multicut.stop import Stop, StopReason
from multicut.watch import Watch
from tests.problems import chained, optimum, random_problem

TRIANGLE = mc.Problem([[0, 1], [1, 2], [0, 2]], [2.0, 3.0, -4.0])


def search_of(problem: mc.Problem, **options) -> BlockwiseSearch:
    """Start from single nodes."""
    watch = options.pop("watch", None) or Watch(Stop())
    return BlockwiseSearch(problem, np.arange(problem.num_nodes), watch, **options)


@pytest.mark.parametrize("seed", range(20))
def test_blocks_together_equal_brute_force(seed):
    problem = chained([random_problem(4, 1.0, 3 * seed + i) for i in range(3)])
    search = search_of(problem)
    search.run(integer=True)
    value = mc.objective(problem, search.labels)
    assert value == pytest.approx(optimum(problem), abs=1e-9)
    assert search.is_proof_of(value)
    assert search.total_bound == pytest.approx(value, abs=1e-6)


def test_bridges_are_solved_without_linear_programs():
    problem = mc.Problem([[0, 1], [1, 2], [2, 3]], [1.0, -2.0, 3.0])
    search = search_of(problem)
    search.run(integer=True)
    assert search.labels.tolist() == [0, 0, 1, 1]
    assert search.details == dict.fromkeys(COUNTERS, 0)
    assert search.is_proof_of(-2.0)


def test_bridges_keep_their_constraints():
    problem = mc.Problem([[0, 1], [1, 2]], [np.inf, -np.inf])
    search = BlockwiseSearch(problem, np.array([0, 0, 1]), Watch(Stop()))
    search.run(integer=True)
    assert search.labels.tolist() == [0, 0, 1]


def test_counts_are_those_of_all_blocks():
    one = search_of(TRIANGLE)
    one.run(integer=True)
    assert one.details["cycle_inequalities"] == 1
    three = search_of(chained([TRIANGLE] * 3))
    three.run(integer=True)
    assert three.details == {name: 3 * number for name, number in one.details.items()}


def test_offsets_count_in_what_is_told_and_errors_against_bounds():
    told = []
    watch = Watch(Stop(callback=lambda progress: told.append(progress)))
    search = search_of(TRIANGLE, watch=watch, offset=-100.0, error=0.5)
    search.run(integer=True)
    assert told[-1].objective == -102.0
    assert told[-1].lower_bound == pytest.approx(-102.5)
    assert search.total_bound == pytest.approx(-102.5)
    assert not search.is_proof_of(-102.0)


def test_a_bound_from_elsewhere_counts():
    search = search_of(TRIANGLE, bound=-2.5)
    assert search.gap == pytest.approx(3.5)  # single nodes cost 1
    search.take_bound(-3.0)
    assert search.gap == pytest.approx(3.5)
    search.take_bound(-2.0)
    assert search.gap == pytest.approx(3.0)


def test_the_relaxation_alone_proves_what_is_integral():
    search = search_of(TRIANGLE)
    search.run(integer=False)
    assert search.labels.tolist() == [0, 1, 1]
    assert search.is_proof_of(-2.0)
    odd = mc.Problem(
        [[0, 1], [0, 2], [0, 3], [1, 2], [2, 3], [3, 1]],
        1.1 * np.array([2, 2, 2, -2, -2, -2]),
    )
    search = search_of(odd)
    search.run(integer=False)
    value = mc.objective(odd, search.labels)
    assert not search.is_proof_of(value)
    assert value - search.gap == pytest.approx(-3.3)


def test_a_stopped_search_has_a_partition_and_a_bound():
    problem = chained([random_problem(4, 1.0, seed) for seed in range(3)])
    watch = Watch(Stop())
    watch.stop(StopReason.TIME_LIMIT)
    search = search_of(problem, watch=watch)
    search.run(integer=True)
    assert search.labels.tolist() == list(range(problem.num_nodes))
    assert search.total_bound <= optimum(problem)
    assert not search.is_proof_of(mc.objective(problem, search.labels))


def test_edges_that_outweigh_the_gap_are_sure():
    costs = np.array([5.0, -1.0, 0.5, -7.0])
    cut = np.array([False, False, True, True])
    # The partition misses the trivial bound by 1 + 0.5.
    assert _sure_edges(costs, cut).tolist() == [True, False, False, True]
