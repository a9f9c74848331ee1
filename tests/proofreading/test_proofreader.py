from __future__ import annotations

import json
import math

import numpy as np
import pytest

import multicut as mc
from multicut.proofreading import ContradictionError, Correction
from tests.problems import optimum, random_problem


def correct_at_random(proof, rng, num, max_undo=3):
    """Make corrections of all kinds, undo some, and yield after each step."""
    num_nodes = proof.problem.num_nodes
    for _ in range(num):
        u, v = rng.choice(num_nodes, 2, replace=False).tolist()
        kind = rng.integers(6)
        try:
            if kind <= 1:
                proof.join(u, v)
            elif kind == 2:
                proof.separate(u, v)
            elif kind == 3:
                proof.set_cost(int(rng.integers(proof.problem.num_edges)), float(rng.normal()))
            elif kind == 4:
                pairs = [rng.choice(num_nodes, 2, replace=False).tolist() for _ in range(2)]
                proof.add_edges(pairs, rng.normal(size=2))
            else:
                for _ in range(min(int(rng.integers(max_undo + 1)), len(proof.history))):
                    proof.undo()
        except ContradictionError:
            pass
        yield


def check(proof):
    """No inconsistency: labels, objective and constraints."""
    problem, result = proof.problem, proof.result
    labels = proof.labels.astype(np.int64)
    assert np.array_equal(mc.partition.canonical(labels), result.labels)
    assert result.objective == pytest.approx(mc.objective(problem, labels), abs=1e-9)
    assert proof.objective == pytest.approx(result.objective, abs=1e-9)
    assert proof.num_clusters == len(np.unique(labels)) == result.num_clusters
    assert math.isfinite(result.objective)
    assert mc.is_feasible(problem, result.cut)  # clusters are connected, constraints met


@pytest.mark.parametrize("seed", range(6))
def test_never_worse_than_klj_anew(seed):
    problem = random_problem(30, 0.15, seed)
    proof = mc.Proofreader(problem)
    for _ in correct_at_random(proof, np.random.default_rng(seed), 30):
        check(proof)
        anew = mc.solve(proof.problem, "klj")
        assert proof.objective <= anew.objective + 1e-9


def test_optimal_where_the_solver_is_exact():
    for seed in range(2):
        proof = mc.Proofreader(random_problem(9, 0.4, seed), "ilp")
        for _ in correct_at_random(proof, np.random.default_rng(seed), 15):
            check(proof)
            assert proof.objective == pytest.approx(optimum(proof.problem), abs=1e-9)
        assert proof.result.optimal


@pytest.mark.parametrize("region_size", [2, 10, 60])
def test_regions_leave_no_inconsistency(region_size):
    """Small regions let nodes stand for the rest of clusters, which may be torn apart."""
    problem = mc.datasets.generate("grid-2d", 1, seed=3)[0]
    problem = mc.Problem(problem.edges, problem.costs + 0.3, num_nodes=problem.num_nodes)
    proof = mc.Proofreader(problem, region_size=region_size, anew_below=0)
    for _ in correct_at_random(proof, np.random.default_rng(1), 60):
        check(proof)


def test_undo_and_redo_restore_everything():
    problem = random_problem(40, 0.15, 0)
    proof = mc.Proofreader(problem)
    states = [(proof.result.labels, proof.objective, proof.problem)]
    rng = np.random.default_rng(0)
    while len(proof.history) < 12:
        for _ in correct_at_random(proof, rng, 1, max_undo=0):
            if len(proof.history) == len(states):
                states.append((proof.result.labels, proof.objective, proof.problem))
    for labels, objective, corrected in reversed(states[:-1]):
        proof.undo()
        assert np.array_equal(proof.result.labels, labels)
        assert proof.objective == pytest.approx(objective, abs=1e-9)
        assert proof.problem == corrected
    assert proof.problem == problem
    with pytest.raises(IndexError, match="no correction to undo"):
        proof.undo()
    for labels, objective, corrected in states[1:]:
        proof.redo()
        assert np.array_equal(proof.result.labels, labels)
        assert proof.objective == pytest.approx(objective, abs=1e-9)
        assert proof.problem == corrected
    with pytest.raises(IndexError, match="no correction to make again"):
        proof.redo()


def test_a_new_correction_ends_what_can_be_made_again():
    proof = mc.Proofreader(random_problem(10, 0.5, 0))
    proof.join(0, 1)
    proof.undo()
    proof.join(2, 3)
    with pytest.raises(IndexError):
        proof.redo()


def test_segments_that_did_not_change_keep_their_numbers():
    problem = mc.datasets.generate("randommp", 1, seed=0)[0]
    proof = mc.Proofreader(problem)
    before = proof.labels.copy()
    u, v = problem.edges[np.flatnonzero(proof.result.cut)[0]].tolist()
    proof.join(u, v)
    different = np.flatnonzero(before != proof.labels)
    assert sorted(proof.changed) == different.tolist()
    assert 0 < len(different) < problem.num_nodes / 4
    proof.undo()
    assert np.array_equal(proof.labels, before)
    assert sorted(proof.changed) == different.tolist()


def test_labels_are_a_view():
    proof = mc.Proofreader(mc.Problem([[0, 1]], [-1.0]))
    view = proof.labels
    assert view[0] != view[1]
    proof.join(0, 1)
    assert view[0] == view[1]
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 7


def test_nodes_are_named_as_in_the_problem():
    problem = mc.Problem([["a", "b"], ["b", "c"]], [-1.0, 2.0])
    proof = mc.Proofreader(problem)
    assert proof.join("a", "b") == Correction("join", (("a", "b"),))
    assert proof.result.by_id() == {"a": 0, "b": 0, "c": 0}
    assert proof.changed == ["a"]
    for bad in ("d", 0, [1]):
        with pytest.raises(ValueError, match=r"must be one of problem\.node_ids"):
            proof.join("a", bad)
    with pytest.raises(ValueError, match=r"0 … 1, got 2"):
        mc.Proofreader(mc.Problem([[0, 1]], [1.0])).join(0, 2)
    with pytest.raises(ValueError, match="two different nodes, got 'a' twice"):
        proof.join("a", "a")


def test_nodes_without_an_edge_can_be_joined_and_separated():
    proof = mc.Proofreader(mc.Problem([[0, 1], [2, 3]], [1.0, 1.0]))
    proof.join(0, 3)
    assert proof.num_clusters == 1
    proof.separate(1, 2)
    assert proof.result.objective == 1.0
    assert proof.problem.edges.tolist() == [[0, 1], [2, 3], [0, 3], [1, 2]]


def test_contradictions_name_the_chain():
    proof = mc.Proofreader(mc.Problem([[0, 1], [1, 2], [2, 3]], [1.0, 1.0, math.inf]))
    first = proof.join(0, 1)
    second = proof.join(1, 2)
    before = proof.result.labels
    with pytest.raises(ContradictionError) as caught:
        proof.separate(0, 3)
    message = str(caught.value)
    assert message == (
        "separate(0, 3) contradicts join(0, 1) (correction 1), join(1, 2) (correction 2), "
        "the must-link 2 - 3 of the problem; undo or change one of these first"
    )
    assert caught.value.chain == (first, second)
    assert proof.history == (first, second)
    assert np.array_equal(proof.result.labels, before)
    assert len(proof.problem.edges) == 3

    proof = mc.Proofreader(mc.Problem([[0, 1], [1, 2], [2, 3]], [1.0, 1.0, 1.0]))
    join, apart = proof.join(0, 1), proof.separate(1, 2)
    again = proof.join(2, 3)
    with pytest.raises(ContradictionError) as caught:
        proof.join(3, 0)
    assert caught.value.chain == (again, apart, join)
    with pytest.raises(ContradictionError):
        proof.add_edges([[0, 3], [0, 2]], [1.0, math.inf])
    assert proof.problem.num_edges == 3


def test_set_cost_ends_a_constraint():
    proof = mc.Proofreader(mc.Problem([[0, 1], [1, 2]], [-1.0, 1.0]))
    proof.join(0, 1)
    proof.set_cost((0, 1), -math.inf)
    assert proof.labels[0] != proof.labels[1]
    proof.set_cost(0, 2.0)
    assert proof.num_clusters == 1
    assert proof.problem.costs.tolist() == [2.0, 1.0]
    proof.undo()
    assert proof.problem.costs.tolist() == [-math.inf, 1.0]
    proof.set_cost((1, 0), math.inf)
    proof.join(1, 2)
    proof.add_edges([[0, 2]], [math.inf])
    with pytest.raises(ContradictionError):  # the other two still join them
        proof.set_cost((0, 2), -math.inf)
    assert proof.problem.costs.tolist() == [math.inf] * 3


def test_bad_arguments_give_one_clear_line():
    proof = mc.Proofreader(random_problem(6, 1.0, 0))
    for call, error, message in (
        (lambda: proof.set_cost((0, 1), math.nan), ValueError, "cost must be a number, got nan"),
        (lambda: proof.set_cost(99, 1.0), ValueError, "below 15, got 99"),
        (lambda: proof.set_cost((0, 1, 2), 1.0), ValueError, "pair of node ids"),
        (lambda: proof.add_edges([[0, 1]], [1.0, 2.0]), ValueError, "1 edges, 2 costs"),
        (lambda: mc.Proofreader([1, 2]), TypeError, "problem must be a multicut.Problem"),
        (lambda: mc.Proofreader(proof.problem, region_size=0), ValueError, "region_size"),
        (lambda: mc.Proofreader(proof.problem, "best"), ValueError, "best"),
    ):
        with pytest.raises(error, match=message):
            call()
    sparse = mc.Proofreader(mc.Problem([[0, 1]], [1.0], num_nodes=3))
    with pytest.raises(ValueError, match="no edge between 0 and 2; add it with add_edges"):
        sparse.set_cost((0, 2), 1.0)


def test_lifted_problems_are_refused():
    class Lifted(mc.Problem):
        is_lifted = True

    with pytest.raises(ValueError, match="no lifted edges"):
        mc.Proofreader(Lifted([[0, 1]], [1.0]))


def test_history_is_saved_and_loaded(tmp_path):
    problem = random_problem(30, 0.2, 0)
    proof = mc.Proofreader(problem)
    for _ in correct_at_random(proof, np.random.default_rng(0), 30, max_undo=1):
        pass
    proof.set_cost(0, math.inf if proof.labels[0] == proof.labels[1] else -math.inf)
    path = tmp_path / "corrections.jsonl"
    proof.save(path)
    lines = path.read_text().splitlines()
    assert json.loads(lines[0])["num_nodes"] == 30
    assert len(lines) == 1 + len(proof.history)
    again = mc.Proofreader.load(path, problem)
    assert again.history == proof.history
    assert again.problem == proof.problem
    check(again)
    with pytest.raises(ValueError, match="of 30 nodes, but this one has 31"):
        mc.Proofreader.load(path, random_problem(31, 0.2, 0))
    path.write_text(lines[0] + '\n{"kind": "join", "pairs": [[0, 1], [1, 2]]}\n')
    with pytest.raises(ValueError, match="line 2: not a correction: join has 2 pairs"):
        mc.Proofreader.load(path, problem)
    path.write_text("[]")
    with pytest.raises(ValueError, match="see its first line"):
        mc.Proofreader.load(path, problem)


def test_names_that_json_cannot_hold_are_refused(tmp_path):
    problem = mc.Problem([[0, 1]], [1.0], node_ids=[(0, 0), (0, 1)])
    proof = mc.Proofreader(problem)
    proof.separate((0, 0), (0, 1))
    with pytest.raises(TypeError, match=r"integers or text, got \(0, 0\)"):
        proof.save(tmp_path / "corrections.jsonl")


def test_many_joins_and_cuts_in_one_graph_stay_within_reach_of_solving_anew():
    (problem,) = mc.datasets.generate("scaling", 1, num_nodes=2_000)
    proof = mc.Proofreader(problem, anew_below=0)
    rng = np.random.default_rng(0)
    for edge in rng.choice(problem.num_edges, 60, replace=False):
        u, v = problem.edges[edge].tolist()
        try:
            (proof.separate if proof.labels[u] == proof.labels[v] else proof.join)(u, v)
        except ContradictionError:
            continue
    check(proof)
    anew = mc.solve(proof.problem, "klj")
    assert proof.objective <= anew.objective + 1e-4 * abs(anew.objective)
