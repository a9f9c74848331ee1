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
        assert 0 < one.probability < 1
        proof.answer(one, True)
        assert (proof.labels[one.u] == proof.labels[one.v]) == (one.kind == "join")
        assert (before != proof.labels).any()
        proof.undo()
        proof.answer(one, False)
        assert (proof.labels[one.u] == proof.labels[one.v]) == (one.kind == "separate")
        proof.undo()


def test_margins_are_what_joining_or_dividing_costs():
    problem, _, _ = planted(60, 4)
    proof = mc.Proofreader(problem)
    labels = proof.labels.astype(np.int64)
    found = proof.suggest(1000)
    assert {one.kind for one in found} == {"join", "separate"}
    for one in found:
        changed = labels.copy()
        if one.kind == "join":
            changed[labels == labels[one.v]] = labels[one.u]
            sides = labels == labels[one.u], labels == labels[one.v]
            assert one.size == pytest.approx(entropy_of(*(side.sum() for side in sides)))
            rise = mc.objective(problem, changed) - proof.objective
            assert one.margin == pytest.approx(rise)


def entropy_of(a, b):
    """Weight times bits of a division into two parts."""
    return a * np.log2((a + b) / a) + b * np.log2((a + b) / b)


def test_a_segment_is_divided_where_its_parts_hang_together_least():
    """Two cliques of unequal size with a weak bridge, joined by a bias."""
    u, v = np.triu_indices(7, 1)
    inside = (u < 4) == (v < 4)
    bridge = (u == 3) & (v == 4)
    chosen = inside | bridge
    costs = np.where(inside, 3.0, 0.2)[chosen]
    proof = mc.Proofreader(mc.Problem(np.stack([u, v], axis=1)[chosen], costs))
    assert proof.num_clusters == 1
    (one,) = proof.suggest()
    assert one.kind == "separate"
    assert one.margin == pytest.approx(0.2)
    assert one.size == pytest.approx(entropy_of(4, 3))
    proof.answer(one, True)
    assert proof.result.labels.tolist() == [0, 0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("seed", range(3))
def test_what_is_kept_from_earlier_calls_is_what_a_new_proofreader_finds(seed):
    problem, truth, _ = planted(80, 5, seed=seed)
    weights = np.random.default_rng(seed).integers(1, 20, 80)
    proof = mc.Proofreader(problem, anew_below=0)
    rng = np.random.default_rng(seed)
    for step in range(30):
        found = proof.suggest(4, weights=weights)
        if step % 7 == 6:
            proof.undo()
        elif step % 7 == 5:
            answer(proof, truth, *rng.choice(80, 2, replace=False).tolist())
        else:
            one = found[int(rng.integers(len(found)))]
            proof.answer(one, (truth[one.u] == truth[one.v]) == (one.kind == "join"))
        fresh = mc.Proofreader(proof.problem, "gaec", initial=proof.labels.astype(np.int64))
        assert np.array_equal(fresh.result.labels, proof.result.labels)
        ours = {(one.kind, one.u, one.v, one.size) for one in proof.suggest(500, weights=weights)}
        theirs = {(one.kind, one.u, one.v, one.size) for one in fresh.suggest(500, weights=weights)}
        assert ours == theirs


def test_answers_change_what_is_probable():
    problem, _, _ = planted()
    proof = mc.Proofreader(problem)
    before = {(one.u, one.v): one for one in proof.suggest(500)}
    for _ in range(10):
        one = next(each for each in proof.suggest(500) if each.kind == "separate")
        proof.answer(one, False)
    after = {(one.u, one.v): one for one in proof.suggest(500)}
    both = [pair for pair in before if pair in after and before[pair].kind == "separate"]
    assert len(both) > 5
    assert all(after[pair].probability < before[pair].probability for pair in both)


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
    assert (heavy.kind, heavy.u, heavy.v, heavy.size) == ("join", 4, 6, 36.0)
    assert proof.suggest(1, weights=[9, 9, 9, 9, 1, 1, 1, 1])[0].u == 0


def test_fewer_answers_than_at_random():
    problem, truth, _ = planted()
    guided = mc.Proofreader(problem)
    target = num_errors(guided, truth) // 2
    count = 0
    while num_errors(guided, truth) > target:
        (one,) = guided.suggest()
        guided.answer(one, (truth[one.u] == truth[one.v]) == (one.kind == "join"))
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
