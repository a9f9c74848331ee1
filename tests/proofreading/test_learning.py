from __future__ import annotations

import numpy as np
import pytest

import multicut as mc
from multicut.proofreading.learning import CostModel, default_features
from tests.problems import random_problem
from tests.proofreading.cases import answer, num_errors, planted


def corrected(proof, truth, edges):
    for edge in edges:
        answer(proof, truth, *proof.problem.edges[edge].tolist())


@pytest.mark.parametrize("own", [True, False])
def test_errors_get_fewer_beyond_what_was_corrected(own):
    """Costs are biased towards joins; a few corrections show that."""
    problem, truth, features = planted(bias=0.8, seed=1)
    proof = mc.Proofreader(problem, features=features if own else None)
    corrected(proof, truth, np.random.default_rng(0).choice(problem.num_edges, 25, replace=False))
    before = num_errors(proof, truth)
    proof.learn()
    assert num_errors(proof, truth) < (0.4 if own else 0.8) * before
    assert np.isfinite(proof.result.objective)
    assert mc.is_feasible(proof.problem, proof.result.cut)


def test_lines_are_learned_from():
    """A line is one correction with many cannot-links; each counts as if it were made alone."""
    problem, truth, features = planted(bias=0.8, seed=1)
    u, v = problem.edges.T
    crossed = problem.edges[np.flatnonzero(truth[u] != truth[v])[::20]].tolist()
    line = mc.Proofreader(problem, features=features)
    line.add_edges(crossed, np.full(len(crossed), -np.inf))
    single = mc.Proofreader(problem, features=features)
    for pair in crossed:
        single.separate(*pair)
    before = num_errors(line, truth)
    # What the two have not corrected may differ, and counts a little.
    assert line.learn().costs == pytest.approx(single.learn().costs, abs=0.1)
    assert num_errors(line, truth) < before


def test_answers_are_learned_from():
    problem, truth, features = planted(bias=0.8, seed=1)
    proof = mc.Proofreader(problem, features=features)
    for _ in range(25):
        (one,) = proof.suggest()
        proof.answer(one, (truth[one.u] == truth[one.v]) == (one.kind == "join"))
    before = num_errors(proof, truth)
    proof.learn()
    assert num_errors(proof, truth) < 0.5 * before


def test_learning_can_be_undone_and_saved(tmp_path):
    problem, truth, features = planted()
    proof = mc.Proofreader(problem, features=features)
    corrected(proof, truth, range(10))
    before = (proof.problem, proof.result.labels)
    assert proof.learn().kind == "learn"
    after = (proof.problem, proof.result.labels)
    assert not np.array_equal(before[0].costs, after[0].costs)
    proof.undo()
    assert proof.problem == before[0]
    assert np.array_equal(proof.result.labels, before[1])
    proof.redo()
    assert proof.problem == after[0]
    assert np.array_equal(proof.result.labels, after[1])
    path = tmp_path / "corrections.jsonl"
    proof.save(path)
    again = mc.Proofreader.load(path, problem, features=features)
    assert again.problem == proof.problem
    assert again.history == proof.history
    with pytest.raises(ValueError, match="of 2 features, but there are 6"):
        mc.Proofreader.load(path, problem)


def test_costs_that_were_set_stay():
    problem, truth, _ = planted()
    proof = mc.Proofreader(problem)
    proof.set_cost(3, 0.125)
    corrected(proof, truth, [0, 1])
    proof.learn()
    costs = proof.problem.costs
    assert costs[3] == 0.125
    assert np.isinf(costs[:2]).all()


def test_without_evidence_costs_stay_nearly_as_they_are():
    problem, _, features = planted(400, 20)
    model = CostModel.of(problem, features)
    result = mc.solve(problem, "klj")
    is_corrected = np.zeros(problem.num_edges, dtype=bool)
    weights = model.fit(~result.cut, is_corrected)
    assert np.corrcoef(model.costs_of(weights), problem.costs)[0, 1] > 0.8
    assert model.costs_of(np.zeros_like(weights)) == pytest.approx(problem.costs)


def test_the_fit_is_the_best_one():
    problem, truth, features = planted()
    model = CostModel.of(problem, features)
    u, v = problem.edges.T
    joined = truth[u] == truth[v]
    is_corrected = np.arange(len(u)) < 50
    weights = model.fit(joined, is_corrected)
    counts = np.where(is_corrected, 1.0, 50 / (len(u) - 50))
    best = model._loss(weights, joined.astype(float), counts)
    for seed in range(20):
        nearby = weights + np.random.default_rng(seed).normal(0, 0.05, len(weights))
        assert model._loss(nearby, joined.astype(float), counts) > best


def test_default_features_do_not_depend_on_the_unit_or_the_order_of_nodes():
    problem = random_problem(20, 0.4, 0)
    first = default_features(problem)
    scaled = mc.Problem(problem.edges[:, ::-1], 7.0 * problem.costs, num_nodes=20)
    assert default_features(scaled) == pytest.approx(first)
    assert first.shape == (problem.num_edges, 6)
    assert default_features(mc.Problem([], [], num_nodes=2)).shape == (0, 6)


def test_bad_arguments_give_one_clear_line():
    problem = random_problem(6, 1.0, 0)
    with pytest.raises(ValueError, match="nothing to learn from: join or separate"):
        mc.Proofreader(problem).learn()
    with pytest.raises(ValueError, match=r"one row per edge of the problem, 15, got \(3, 2\)"):
        mc.Proofreader(problem, features=np.zeros((3, 2)))
    with pytest.raises(ValueError, match="features must be finite"):
        mc.Proofreader(problem, features=np.full(15, np.nan))
