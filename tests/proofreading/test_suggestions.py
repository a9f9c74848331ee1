from __future__ import annotations

import numpy as np
import pytest

import multicut as mc
from tests.problems import random_problem
from tests.proofreading.cases import answer, num_errors, planted


def test_suggestions_are_corrections_that_change_something():
    problem, _, _ = planted()
    proof = mc.Proofreader(problem)
    before = proof.labels.copy()
    found = proof.suggest(8)
    assert np.array_equal(before, proof.labels)
    assert proof.objective == pytest.approx(mc.objective(problem, before))
    assert proof.history == ()
    assert len(found) == 8
    assert len({(one.u, one.v) for one in found}) == 8
    expected = [one.expected_change for one in found]
    assert expected == sorted(expected, reverse=True)
    for one in found:
        is_joined = before[one.u] == before[one.v]
        assert one.kind == ("separate" if is_joined else "join")
        assert one.expected_change == pytest.approx(one.probability * one.size)
        assert 0 < one.probability < 0.6
        getattr(proof, one.kind)(one.u, one.v)
        assert (before != proof.labels).any()
        proof.undo()


def test_margins_of_suggestions_are_what_the_correction_costs():
    problem, _, _ = planted(40, 4)
    proof = mc.Proofreader(problem, "ilp")
    for one in proof.suggest(5):
        value = proof.objective
        getattr(proof, one.kind)(one.u, one.v)
        # The cost of an edge does not count once it is a constraint.
        edge = np.flatnonzero((problem.edges == sorted((one.u, one.v))).all(axis=1))[0]
        own = problem.costs[edge] if one.kind == "separate" else 0.0
        assert one.margin >= proof.objective + own - value - 1e-9
        proof.undo()


def test_answers_keep_suggestions_from_coming_again():
    problem, truth, _ = planted(60, 4)
    proof = mc.Proofreader(problem)
    asked = set()
    for _ in range(20):
        (one,) = proof.suggest()
        assert (one.u, one.v) not in asked
        asked.add((one.u, one.v))
        answer(proof, truth, one.u, one.v)


def test_weights_say_what_counts():
    """Two pairs of clusters that are as doubtful as each other, of which one is heavier."""
    edges = [[0, 1], [2, 3], [1, 2], [4, 5], [6, 7], [5, 6]]
    problem = mc.Problem(edges, [3.0, 3.0, -0.1, 3.0, 3.0, -0.1])
    proof = mc.Proofreader(problem)
    heavy = proof.suggest(1, weights=[1, 1, 1, 1, 9, 9, 9, 9])[0]
    assert (heavy.kind, heavy.u, heavy.v, heavy.size) == ("join", 5, 6, 18.0)
    assert proof.suggest(1, weights=[9, 9, 9, 9, 1, 1, 1, 1])[0].u == 1


def test_fewer_answers_than_at_random():
    problem, truth, _ = planted()
    guided = mc.Proofreader(problem)
    target = num_errors(guided, truth) // 2
    count = 0
    while num_errors(guided, truth) > target:
        (one,) = guided.suggest()
        answer(guided, truth, one.u, one.v)
        count += 1
    at_random = mc.Proofreader(problem)
    order = np.random.default_rng(0).permutation(problem.num_edges)
    for edge in order[: 2 * count]:
        answer(at_random, truth, *problem.edges[edge].tolist())
    assert num_errors(at_random, truth) > target


def test_bad_arguments_give_one_clear_line():
    proof = mc.Proofreader(random_problem(6, 1.0, 0))
    with pytest.raises(ValueError, match="k must be at least 1"):
        proof.suggest(0)
    for weights in ([1.0], [-1.0] * 6):
        with pytest.raises(ValueError, match="weights must hold one number of at least 0 per node"):
            proof.suggest(1, weights=weights)
    assert mc.Proofreader(mc.Problem([], [], num_nodes=2)).suggest(3) == []
    assert mc.Proofreader(mc.Problem([[0, 1]], [np.inf])).suggest(3) == []
