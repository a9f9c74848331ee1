"""Both kinds of edges as one problem."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import multicut as mc
from multicut.exact.union import Union
from multicut.partition import canonical
from tests.problems import connected_partitions, optimum, random_lifted_problem


@pytest.mark.parametrize("seed", range(60))
def test_partitions_cost_the_same(seed):
    problem = random_lifted_problem(6, 0.4, 0.5, seed, integers=seed % 2 == 0)
    union = Union.of(problem)
    assert union.problem.edges[: problem.num_edges].tolist() == problem.edges.tolist()
    for labels in connected_partitions(problem)[:40]:
        total = mc.objective(union.problem, union.extend(labels)) + union.offset
        assert total == pytest.approx(mc.objective(problem, labels), abs=1e-12)
        own = canonical(union.restrict(union.extend(labels)))
        assert own.tolist() == canonical(labels).tolist()


@pytest.mark.parametrize("seed", range(40))
def test_bounds_of_the_union_hold(seed):
    problem = random_lifted_problem(6, 0.4, 0.5, seed)
    union = Union.of(problem)
    bound = union.bound_of_lifted(optimum(union.problem))
    assert bound <= optimum(problem) + 1e-12
    assert mc.lower_bound(problem) <= optimum(problem)


def test_lifted_edges_between_components_are_always_cut():
    problem = mc.Problem(
        [[0, 1], [2, 3]], [1.0, -1.0], lifted_edges=[[0, 2], [2, 3]], lifted_costs=[5.0, 0.25]
    )
    union = Union.of(problem)
    assert union.offset == 5.0
    assert union.problem.costs.tolist() == [1.0, -0.75]
    assert mc.lower_bound(problem) == pytest.approx(4.25)


def test_costs_beside_a_cannot_link_are_always_paid():
    problem = mc.Problem(
        [[0, 1], [1, 2], [2, 3]],
        [-np.inf, 3.0, np.inf],
        lifted_edges=[[0, 1], [1, 2], [2, 3]],
        lifted_costs=[-2.0, -np.inf, -7.0],
    )
    assert Union.of(problem).offset == 1.0
    assert optimum(problem) == 1.0
    assert mc.lower_bound(problem) == pytest.approx(1.0)


def test_digits_that_a_proof_needs_are_not_lost():
    problem = mc.Problem([[0, 1], [1, 2]], [1e18, 1.0], lifted_edges=[[1, 0]], lifted_costs=[3.0])
    union = Union.of(problem)
    assert union.error == 0.0
    assert union.twins.tolist() == [1]
    assert union.problem.costs.tolist() == [1e18, 1.0, np.inf, 3.0]
    labels = union.extend(np.array([0, 1, 1]))
    assert labels.tolist() == [0, 1, 1, 1]
    assert mc.objective(union.problem, labels) == 1e18


def test_rounding_of_sums_counts():
    costs = np.array([0.1, 0.3, 1.7])
    problem = mc.Problem([[0, 1], [1, 2], [0, 2]], costs, lifted_edges=[[0, 1]], lifted_costs=[0.2])
    union = Union.of(problem)
    merged = Fraction(union.problem.costs.tolist()[0])
    assert 0 < abs(merged - Fraction(0.1) - Fraction(0.2)) <= Fraction(union.error)
