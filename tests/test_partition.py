from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import multicut as mc
from multicut import _core
from multicut.partition import canonical, cut_of_labels, labels_of_cut
from tests.problems import random_problem, small_problems

TRIANGLE = mc.Problem([[0, 1], [1, 2], [0, 2]], [1.0, 2.0, -4.0])


def test_objective_sums_the_cut():
    assert mc.objective(TRIANGLE, [0, 0, 0]) == 0
    assert mc.objective(TRIANGLE, [5, -7, -7]) == -3
    assert mc.objective(TRIANGLE, [0, 1, 2]) == -1


def test_objective_of_violated_constraints_is_infinite():
    problem = mc.Problem([[0, 1], [1, 2]], [np.inf, -np.inf])
    assert mc.objective(problem, [0, 0, 1]) == 0
    assert mc.objective(problem, [0, 1, 2]) == np.inf
    assert mc.objective(problem, [0, 0, 0]) == np.inf


@pytest.mark.parametrize(
    ("cut", "feasible"),
    [
        ([0, 0, 0], True),
        ([1, 0, 1], True),
        ([1, 1, 1], True),
        ([0, 0, 1], False),
        ([1, 0, 0], False),
    ],
)
def test_feasible_means_no_cycle_with_one_cut_edge(cut, feasible):
    assert mc.is_feasible(TRIANGLE, cut) is feasible
    assert mc.is_feasible(TRIANGLE, np.array(cut, dtype=bool)) is feasible


def test_feasible_means_constraints_are_met():
    problem = mc.Problem([[0, 1], [1, 2]], [np.inf, -np.inf])
    assert mc.is_feasible(problem, [False, True])
    assert not mc.is_feasible(problem, [True, True])
    assert not mc.is_feasible(problem, [False, False])


@given(small_problems(), st.randoms(use_true_random=False))
def test_a_cut_is_feasible_just_if_labels_give_it(problem, random):
    labels = [random.randint(0, 2) for _ in range(problem.num_nodes)]
    cut = cut_of_labels(problem, labels)
    assert mc.is_feasible(problem, cut)
    assert np.array_equal(cut_of_labels(problem, labels_of_cut(problem, cut)), cut)
    flags = np.array([random.random() < 0.5 for _ in range(problem.num_edges)], dtype=bool)
    closed = cut_of_labels(problem, labels_of_cut(problem, flags))
    assert mc.is_feasible(problem, flags) == np.array_equal(flags, closed)


def test_canonical_labels_count_up_from_zero():
    assert canonical([7, -3, 7, 10**15, -3]).tolist() == [0, 1, 0, 2, 1]
    assert canonical([]).tolist() == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mc.objective(TRIANGLE, [0, 1]), r"one label per node, shape \(3,\), got \(2,\)"),
        (lambda: mc.objective(TRIANGLE, [0.0, 1.0, 2.0]), "labels must be integers, got float64"),
        (lambda: mc.is_feasible(TRIANGLE, [0, 1]), "one flag per edge"),
        (lambda: mc.is_feasible(TRIANGLE, [0, 1, 2]), "booleans, or 0 and 1"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_objective_of_a_larger_graph_equals_numpy():
    problem = random_problem(60, 0.5, seed=3)
    labels = np.random.default_rng(0).integers(0, 4, 60)
    u, v = problem.edges.T
    expected = problem.costs[labels[u] != labels[v]].sum()
    assert mc.objective(problem, labels) == pytest.approx(expected, rel=1e-12)


def test_the_better_of_two_partitions_in_each_region():
    # Two triangles that no edge joins: each partition is right about one of them.
    edges = [[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5]]
    problem = mc.Problem(edges, [1.0, 1.0, 1.0, -1.0, -1.0, -1.0])
    together, apart = np.zeros(6, dtype=np.int64), np.arange(6)
    found = _core.better_regions(problem.graph, problem.costs, together, apart)
    assert found.labels.tolist() == [0, 0, 0, 1, 2, 3]
    assert found.objective == -3.0


def test_better_regions_keep_constraints():
    problem = mc.Problem([[0, 1], [1, 2], [0, 2]], [np.inf, -np.inf, 5.0])
    found = _core.better_regions(problem.graph, problem.costs, np.zeros(3, int), np.arange(3))
    assert found.labels.tolist() == [0, 0, 1]
    assert found.objective == 5.0


def test_masked_labels_are_refused():
    problem = mc.Problem([[0, 1], [1, 2]], [1.0, -2.0])
    with pytest.raises(ValueError, match="labels must not be masked; drop what is masked"):
        mc.objective(problem, np.ma.masked_array([0, 1, 1], [False, True, False]))
    with pytest.raises(ValueError, match="cut must not be masked"):
        mc.is_feasible(problem, np.ma.masked_array([0, 1], [False, True]))
