"""Smaller lifted problems with the same optimum."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import multicut as mc
from multicut.exact.lifted_reduction import reduce_lifted
from tests.exact.lifted_big_m import exact_optimum, lifted_big_m_problem
from tests.problems import optimum, random_lifted_problem


def lifted(edges, costs, lifted_edges, lifted_costs) -> mc.Problem:
    return mc.Problem(edges, costs, lifted_edges=lifted_edges, lifted_costs=lifted_costs)


def test_optima_stay_and_labels_can_be_lifted():
    smaller = 0
    for seed in range(250):
        problem = random_lifted_problem(
            3 + seed % 5, (0.3, 0.5, 0.8)[seed % 3], (0.1, 0.3)[seed % 2], seed, seed % 4 < 2
        )
        reduction = mc.reduce(problem)
        best = optimum(problem)
        left = optimum(reduction.problem) + reduction.offset
        assert left == pytest.approx(best, abs=1e-9), f"seed {seed}"
        labels = reduction.lift(mc.solve(reduction.problem, "ilp").labels)
        assert mc.objective(problem, labels) == pytest.approx(best, abs=1e-9), f"seed {seed}"
        smaller += reduction.problem.num_nodes < problem.num_nodes
    assert smaller > 100


def test_what_rounding_may_have_changed_is_told():
    errors = []
    for seed in range(120):
        problem = lifted_big_m_problem(seed)
        if problem.num_edges + problem.num_lifted_edges == 0:
            continue
        reduction = mc.reduce(problem)
        rest = reduction.problem
        left = exact_optimum(rest) if rest.num_edges + rest.num_lifted_edges else Fraction(0)
        total = left + Fraction(reduction.offset)
        assert abs(total - exact_optimum(problem)) <= Fraction(reduction.error), f"seed {seed}"
        errors.append(reduction.error)
    assert max(errors) > 0.0


def test_a_node_whose_move_would_disconnect_others_stays():
    """Edge 4-5 outweighs all others at 4, which holds 6 and 7 together for their lifted edge."""
    problem = lifted(
        [[4, 5], [4, 6], [4, 7], [5, 8]], [2.5, 1.0, 1.0, -3.0], [[6, 7], [5, 6]], [9.0, -9.0]
    )
    reduction = mc.reduce(problem)
    assert optimum(reduction.problem) + reduction.offset == optimum(problem)
    joined = mc.reduce(mc.Problem(problem.edges, problem.costs, num_nodes=problem.num_nodes))
    assert joined.problem.num_nodes == 1 + 1  # without lifted edges all but 5-8 is joined
    position = {node: i for i, node in enumerate(problem.node_ids.tolist())}
    groups = reduction.node_of_input
    assert groups[position[4]] != groups[position[5]]


def test_leaves_join_or_leave():
    joined = mc.reduce(lifted([[0, 1], [1, 2]], [3.0, -1.0], [[0, 2]], [-2.0]))
    assert joined.node_of_input[0] == joined.node_of_input[1]
    cut = mc.reduce(lifted([[0, 1], [1, 2]], [1.0, -3.0], [[0, 2]], [2.0]))
    assert cut.problem.num_edges + cut.problem.num_lifted_edges == 0
    assert cut.offset == -1.0


def test_paths_of_attractive_lifted_edges_are_kept():
    """The edges of a square repel, but a lifted edge across it wants one of two ways."""
    square = [[0, 1], [1, 2], [2, 3], [3, 0]]
    problem = lifted(square, [-1.0] * 4, [[0, 2]], [9.0])
    reduction = mc.reduce(problem)
    assert reduction.problem.num_edges == 4
    assert optimum(problem) == -2.0
    # If nothing attracts, everything is cut.
    assert mc.reduce(lifted(square, [-1.0] * 4, [[0, 2]], [-9.0])).offset == -13.0


def test_problems_with_constraints_stay_as_they_are():
    problem = lifted([[0, 1], [1, 2]], [1.0, np.inf], [[0, 2]], [-1.0])
    assert mc.reduce(problem).problem is problem
    problem = lifted([[0, 1], [1, 2]], [1.0, 2.0], [[0, 2]], [-np.inf])
    assert mc.reduce(problem).problem is problem


def test_it_stops_when_it_has_to():
    problem = lifted([[0, 1], [1, 2]], [3.0, -1.0], [[0, 2]], [-2.0])
    core = reduce_lifted(problem, lambda: True)
    assert core.problem == problem
    assert core.node_of_input.tolist() == [0, 1, 2]
