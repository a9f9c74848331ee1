"""Problems with lifted edges: construction, evaluation, and what needs no search."""

from __future__ import annotations

import json
import pickle
import sys
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import multicut as mc
from multicut.partition import cut_of_labels, evaluate_all, labels_of_cut
from multicut.proof import certify
from multicut.solvers import check_lifted
from multicut.solvers.protocol import Outcome, SolverRecord
from tests.problems import (
    connected_partitions,
    optimum,
    random_lifted_problem,
    small_lifted_problems,
    small_problems,
    totals,
)

PATH = [[0, 1], [1, 2]]
INF = np.inf


def lifted_path(lifted_edges, lifted_costs, costs=(1.0, 1.0), **others) -> mc.Problem:
    return mc.Problem(PATH, costs, lifted_edges=lifted_edges, lifted_costs=lifted_costs, **others)


def test_lifted_edges_are_made_simple():
    problem = lifted_path([[0, 2], [1, 1], [2, 0], [1, 0]], [-3.0, 9.0, 1.0, 0.5])
    assert problem.is_lifted
    assert problem.num_lifted_edges == 2
    assert problem.lifted_edges.tolist() == [[0, 2], [1, 0]]
    assert problem.lifted_costs.tolist() == [-2.0, 0.5]
    assert problem.lifted_edge_of_input.tolist() == [0, -1, 0, 1]
    assert problem.lifted_graph.num_nodes == 3
    assert problem.lifted_graph.num_edges == 2
    # Edges are what they would be without lifted ones.
    assert problem.edges.tolist() == PATH
    assert problem.costs.tolist() == [1.0, 1.0]
    assert (problem.num_duplicates, problem.num_self_loops) == (0, 0)


def test_arrays_of_lifted_edges_are_read_only():
    problem = lifted_path([[0, 2]], [-1.0])
    for array in (problem.lifted_edges, problem.lifted_costs, problem.lifted_edge_of_input):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize("lifted", [{}, {"lifted_edges": [], "lifted_costs": []}])
def test_ordinary_problems_have_no_lifted_edges(lifted):
    problem = mc.Problem(PATH, [1.0, 1.0], **lifted)
    assert not problem.is_lifted
    assert problem.lifted_edges.shape == (0, 2)
    assert problem.lifted_costs.shape == (0,)
    assert problem.lifted_edge_of_input.shape == (0,)
    assert problem.lifted_graph.num_nodes == 3
    assert problem.lifted_graph.num_edges == 0
    assert problem == mc.Problem(PATH, [1.0, 1.0])
    assert "lifted" not in repr(problem)
    assert mc.solve(problem, "gaec").lifted_cut.shape == (0,)


def test_lifted_self_loops_alone_leave_an_ordinary_problem():
    problem = lifted_path([[1, 1]], [5.0])
    assert not problem.is_lifted
    assert pickle.loads(pickle.dumps(problem)).lifted_edge_of_input.tolist() == [-1]
    assert mc.solve(problem, "gaec").objective == 0.0


def test_ids_of_lifted_edges_are_those_of_edges():
    gaps = mc.Problem([[10, 30], [30, 20]], [1, 1], lifted_edges=[[20, 10]], lifted_costs=[1])
    assert gaps.lifted_edges.tolist() == [[1, 0]]
    names = mc.Problem(
        [["a", "b"], ["b", "c"]], [1, 1], lifted_edges=[["c", "a"]], lifted_costs=[1]
    )
    assert names.lifted_edges.tolist() == [[2, 0]]
    for ends in (["z", "x"], [2, 0]):
        own = lifted_path([ends], [1.0], node_ids=["x", "y", "z"])
        assert own.lifted_edges.tolist() == [[2, 0]]
    isolated = lifted_path([[0, 4]], [1.0], num_nodes=5)
    assert isolated.lifted_edges.tolist() == [[0, 4]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"lifted_edges": [[0, 2]]}, "lifted_edges need lifted_costs: one cost for each"),
        ({"lifted_costs": [1.0]}, "lifted_costs need lifted_edges"),
        ({"lifted_edges": [[0, 7]], "lifted_costs": [1.0]}, "name the node 7, which is in none of"),
        ({"lifted_edges": [[0, -1]], "lifted_costs": [1.0]}, "name the node -1"),
        ({"lifted_edges": [["a", "b"]], "lifted_costs": [1.0]}, "name the node 'a'"),
        (
            {"lifted_edges": [[0, 7]], "lifted_costs": [1.0], "num_nodes": 5},
            r"num_nodes=5 allows node ids below that, got lifted_edges\[0\] = \(0, 7\)",
        ),
        (
            {"lifted_edges": [[-1, 2]], "lifted_costs": [1.0], "num_nodes": 5},
            r"must not be negative, got lifted_edges\[0\] = \(-1, 2\)",
        ),
        (
            {"lifted_edges": [[0, 7]], "lifted_costs": [1.0], "node_ids": "abc"},
            "lifted_edges contain positions in node_ids, 0 to 2, got 7",
        ),
        (
            {"lifted_edges": [["a", "d"]], "lifted_costs": [1.0], "node_ids": "abc"},
            "lifted_edges name the node 'd', which is not in node_ids; add it there",
        ),
        ({"lifted_edges": [[0, 2]], "lifted_costs": [np.nan]}, "lifted_costs must not be nan, got"),
        ({"lifted_edges": [[0, 2]], "lifted_costs": [None]}, "lifted_costs .* at lifted edge 0"),
        ({"lifted_edges": [[0, 2]], "lifted_costs": ["1"]}, "lifted_costs must be real numbers"),
        ({"lifted_edges": [[0, 2]], "lifted_costs": 3.0}, r"numpy.full\(len\(lifted_edges\), 3.0"),
        ({"lifted_edges": [[0, 2]], "lifted_costs": [1, 2]}, r"lifted_costs .* shape \(1,\), got"),
        ({"lifted_edges": [0, 2], "lifted_costs": [1]}, r"lifted_edges must have shape \(m, 2\)"),
        ({"lifted_edges": [[0, 2, 1]], "lifted_costs": [1]}, "last column as lifted_costs"),
        ({"lifted_edges": [[0.5, 2]], "lifted_costs": [1]}, "lifted_edges must contain node ids"),
        ({"lifted_edges": [[0, "b"]], "lifted_costs": [1]}, "lifted_edges .* all integers or all"),
        ({"lifted_edges": [[0, 2]], "lifted_costs": [1e308] * 1, "costs": [1e308, 0.0]}, "add up"),
    ],
)
def test_bad_lifted_edges_give_one_clear_line(arguments, message):
    costs = arguments.pop("costs", [1.0, 1.0])
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        mc.Problem(PATH, costs, **arguments)
    assert "\n" not in str(caught.value)


def test_names_in_edges_need_names_in_lifted_edges():
    with pytest.raises(TypeError, match="lifted_edges must name nodes by strings, as edges do"):
        mc.Problem([["a", "b"]], [1.0], lifted_edges=[[0, 1]], lifted_costs=[1.0])


@pytest.mark.parametrize(
    ("costs", "lifted_edges", "lifted_costs", "message"),
    [
        ([INF, 1.0], [[0, 1]], [-INF], "0 and 1 must not be linked .* must-links"),
        ([-INF, 1.0], [[0, 1]], [INF], "0 and 1 must not be linked"),
        ([INF, INF], [[0, 2]], [-INF], "0 and 2 must not be linked"),
        ([INF, 1.0], [[0, 2], [1, 2]], [INF, -INF], "1 and 2 must not be linked"),
        ([1.0, 1.0], [[0, 2], [2, 0]], [INF, -INF], "0 and 2 must not be linked"),
        ([-INF, 1.0], [[0, 2]], [INF], "0 and 2 must be linked .* no path of edges"),
        ([1.0, 1.0], [[0, 3]], [INF], "0 and 3 must be linked"),
    ],
)
def test_contradictions_are_found(costs, lifted_edges, lifted_costs, message):
    with pytest.raises(ValueError, match=message):
        lifted_path(lifted_edges, lifted_costs, costs, num_nodes=4)


def test_a_contradiction_names_the_callers_nodes():
    with pytest.raises(ValueError, match="nodes 'x' and 'z' must be linked"):
        lifted_path([[0, 2]], [INF], [1.0, -INF], node_ids=["x", "y", "z"])


@given(small_lifted_problems(constrained=True))
def test_problems_compare_hash_and_pickle_with_their_lifted_edges(problem):
    copy = pickle.loads(pickle.dumps(problem))
    assert copy == problem
    assert hash(copy) == hash(problem)
    assert np.array_equal(copy.lifted_edge_of_input, problem.lifted_edge_of_input)
    ordinary = mc.Problem(problem.edges, problem.costs, problem.num_nodes)
    assert (ordinary == problem) is not problem.is_lifted


def test_problems_differ_by_their_lifted_edges():
    problem = lifted_path([[0, 2]], [-1.0])
    assert problem != lifted_path([[0, 2]], [-2.0])
    assert problem != lifted_path([[2, 0]], [-1.0])
    assert problem != mc.Problem(PATH, [1.0, 1.0])


def test_displays_name_lifted_edges():
    problem = lifted_path([[0, 2], [0, 1]], [-1.0, 2.5])
    assert repr(problem) == ("Problem(3 nodes, 2 edges: 2 attractive, 0 repulsive; 2 lifted edges)")
    assert "lifted edges" in problem._repr_html_()
    assert "-1 … 2.5" in problem._repr_html_()


def test_a_lifted_edge_counts_where_its_ends_are_in_different_clusters():
    problem = lifted_path([[0, 2], [0, 1]], [-4.0, 0.5])
    assert mc.objective(problem, [0, 0, 0]) == 0.0
    assert mc.objective(problem, [0, 0, 1]) == 1.0 - 4.0
    assert mc.objective(problem, [0, 1, 1]) == 1.0 - 4.0 + 0.5
    # Nodes 0 and 2 are not connected without node 1, so they are two clusters.
    assert mc.objective(problem, [0, 1, 0]) == mc.objective(problem, [0, 1, 2]) == 2.0 - 3.5


def test_a_lifted_edge_of_infinite_cost_is_a_constraint():
    must = lifted_path([[0, 2]], [INF])
    assert mc.objective(must, [0, 0, 0]) == 0.0
    assert mc.objective(must, [0, 1, 0]) == INF
    assert mc.is_feasible(must, [0, 0])
    assert not mc.is_feasible(must, [0, 1])
    cannot = lifted_path([[0, 2]], [-INF])
    assert mc.objective(cannot, [0, 0, 0]) == INF
    assert mc.objective(cannot, [0, 0, 1]) == 1.0
    assert not mc.is_feasible(cannot, [0, 0])


def test_feasible_means_that_lifted_edges_follow_the_clusters():
    problem = lifted_path([[0, 2]], [-4.0])
    for cut, lifted_cut in product(product([0, 1], repeat=2), [[0], [1]]):
        assert mc.is_feasible(problem, cut)
        assert mc.is_feasible(problem, cut, lifted_cut) is (lifted_cut[0] == int(any(cut)))
    with pytest.raises(
        ValueError, match=r"lifted_cut must contain one flag per lifted edge, shape"
    ):
        mc.is_feasible(problem, [0, 0], [0, 1])
    assert mc.is_feasible(mc.Problem(PATH, [1.0, 1.0]), [0, 1], [])


@given(small_lifted_problems(constrained=True), st.randoms(use_true_random=False))
def test_objectives_equal_the_definition(problem, random):
    labels = np.array([random.randint(0, 2) for _ in range(problem.num_nodes)])
    value, cut, lifted_cut = evaluate_all(problem, labels)
    clusters = labels_of_cut(problem, cut)
    assert any(np.array_equal(clusters, row) for row in connected_partitions(problem))
    assert np.array_equal(cut, cut_of_labels(problem, clusters))
    u, v = problem.lifted_edges.T
    assert np.array_equal(lifted_cut, clusters[u] != clusters[v])
    edges = np.concatenate([problem.edges, problem.lifted_edges])
    costs = np.concatenate([problem.costs, problem.lifted_costs])
    expected = totals(clusters[None], edges, costs)[0]
    size = np.abs(costs[np.isfinite(costs)]).sum()
    assert value == expected or value == pytest.approx(expected, abs=1e-12 * size)
    assert mc.is_feasible(problem, cut, lifted_cut) is (value != INF)


def test_costs_of_both_kinds_that_cancel_out_are_summed_exactly():
    problem = lifted_path([[0, 2], [0, 1]], [-1e16, 1e-3], [1e16, 1.0])
    assert mc.objective(problem, [0, 1, 2]) == 1.001


@given(small_lifted_problems())
def test_the_trivial_partition_is_none_worse_than_it_says(problem):
    trivial = Outcome.without_search(problem)
    assert trivial.objective == mc.objective(problem, trivial.labels)
    assert np.array_equal(labels_of_cut(problem, trivial.cut), trivial.labels)
    single = np.arange(problem.num_nodes)
    assert trivial.objective <= mc.objective(problem, single)
    assert trivial.objective <= mc.objective(problem, np.zeros_like(single))
    attractive = labels_of_cut(problem, problem.costs <= 0)
    assert trivial.objective <= mc.objective(problem, attractive)


@given(small_lifted_problems(constrained=True))
def test_the_trivial_partition_meets_one_kind_of_constraint(problem):
    trivial = Outcome.without_search(problem)
    assert np.array_equal(labels_of_cut(problem, trivial.cut), trivial.labels)
    costs = np.concatenate([problem.costs, problem.lifted_costs])
    if not (costs == -INF).any() or not (problem.lifted_costs == INF).any():
        assert trivial.objective < INF


def test_the_trivial_partition_meets_must_links_along_paths():
    # A ring of six nodes: 0 and 2 are to be joined, and 4 is to stay apart from both.
    edges = [[i, (i + 1) % 6] for i in range(6)]
    problem = mc.Problem(
        edges, [-1.0] * 6, lifted_edges=[[0, 2], [0, 4], [2, 4]], lifted_costs=[INF, -INF, -INF]
    )
    trivial = Outcome.without_search(problem)
    assert trivial.labels.tolist() == [0, 0, 0, 1, 2, 3]
    assert trivial.objective == optimum(problem) == -4.0


@given(small_lifted_problems())
def test_bounds_are_no_more_than_the_optimum(problem):
    best = optimum(problem)
    costs = np.concatenate([problem.costs, problem.lifted_costs])
    assert mc.lower_bound(problem) <= best + 1e-9 * np.abs(costs).sum()


def test_proofs_consider_lifted_costs():
    # Objectives are multiples of a half, not of one, so a bound within 0.6 proves nothing.
    problem = lifted_path([[0, 2]], [-0.5], [1.0, 1.0])
    assert certify(problem, 0.0, -0.6) == -0.6
    assert certify(mc.Problem(PATH, [1.0, 1.0]), 0.0, -0.6) == 0.0


def test_reduced_lifted_problems_have_the_same_optimum():
    num_smaller = 0
    for seed in range(20):
        problem = random_lifted_problem(8, 0.3, 0.2, seed=seed)
        reduction = mc.reduce(problem)
        num_smaller += reduction.problem.num_nodes < problem.num_nodes
        found = optimum(reduction.problem) + reduction.offset
        assert found == pytest.approx(optimum(problem), abs=1e-9)
    assert num_smaller > 5


def fake_record(**others) -> SolverRecord:
    def run(problem, _options, _stop, _seed):
        # Worse than a trivial partition, unless it is one by chance.
        labels = labels_of_cut(problem, np.arange(problem.num_edges) % 2 == 0)
        return Outcome.of_labels(problem, labels, trace=np.zeros((0, 2)))

    return SolverRecord("fake", "for tests", run, **others)


def use(monkeypatch, record) -> None:
    monkeypatch.setattr(sys.modules["multicut.solve"], "get_solver", lambda _name: record)


def test_a_solver_that_takes_no_lifted_edges_says_which_do(monkeypatch):
    problem = lifted_path([[0, 2]], [-4.0])
    use(monkeypatch, fake_record())
    with pytest.raises(ValueError, match="solver 'fake' does not take lifted edges; "):
        mc.solve(problem)
    with pytest.raises(ValueError, match="solver 'fake' does not take lifted edges"):
        mc.solve_batch([problem])
    check_lifted(mc.Problem(PATH, [1.0, 1.0]), fake_record())


@pytest.mark.parametrize("seed", range(20))
def test_no_result_of_a_lifted_problem_is_worse_than_trivial(monkeypatch, seed):
    problem = random_lifted_problem(7, 0.4, 0.4, seed)
    use(monkeypatch, fake_record(takes_lifted=True))
    result = mc.solve(problem, bound=True)
    assert result.objective <= Outcome.without_search(problem).objective
    assert result.objective == mc.objective(problem, result.labels)
    assert mc.is_feasible(problem, result.cut, result.lifted_cut)
    assert result.lower_bound <= optimum(problem) + 1e-9 <= result.objective + 2e-9
    (other,) = mc.solve_batch([problem])
    assert np.array_equal(other.labels, result.labels)


def test_results_tell_of_lifted_edges(monkeypatch):
    problem = lifted_path([[0, 2], [1, 2]], [-4.0, 9.0])
    use(monkeypatch, fake_record(takes_lifted=True))
    result = mc.solve(problem)
    assert result.lifted_cut.tolist() == [True, False]
    assert "cut lifted edges  1 of 2" in result.summary()
    assert result.to_dict()["num_cut_lifted_edges"] == 1
    assert '"cut_lifted_edges": [0]' in result.to_json()


@given(small_problems(constrained=True))
def test_ordinary_problems_are_evaluated_as_before(problem):
    trivial = Outcome.without_search(problem)
    assert trivial.objective == mc.objective(problem, trivial.labels)
    assert mc.solve(problem, "gaec", time_limit=0).lifted_cut.shape == (0,)


def test_results_say_that_a_constraint_is_violated():
    # A ring of four nodes: to join 0 with 2, and 1 with 3, joins 0 with 1.
    ring = [[0, 1], [1, 2], [2, 3], [3, 0]]
    problem = mc.Problem(
        ring, [1.0] * 4, lifted_edges=[[0, 2], [1, 3], [0, 1]], lifted_costs=[INF, INF, -INF]
    )
    assert optimum(problem) == INF
    result = mc.solve(problem, "klj")
    assert result.objective == INF
    assert "inf: a must-link or cannot-link is violated" in result.summary()
    assert json.loads(result.to_json())["objective"] is None
