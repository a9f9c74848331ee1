from __future__ import annotations

import math
import pickle

import hypothesis.extra.numpy as hnp
import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import multicut as mc
from tests.problems import small_problems

TRIANGLE = [[0, 1], [1, 2], [0, 2]]


def test_a_simple_graph_stays_as_it_came():
    problem = mc.Problem([[2, 0], [1, 2]], [1.5, -2])
    assert problem.edges.tolist() == [[2, 0], [1, 2]]
    assert problem.costs.tolist() == [1.5, -2.0]
    assert problem.node_ids.tolist() == [0, 1, 2]
    assert not problem.has_own_ids
    assert problem.edge_of_input.tolist() == [0, 1]
    assert (problem.num_nodes, problem.num_edges) == (3, 2)
    assert (problem.num_self_loops, problem.num_duplicates) == (0, 0)


def test_costs_of_duplicates_are_rounded_once():
    rng = np.random.default_rng(0)
    for _ in range(500):
        costs = rng.normal(size=20) * 10.0 ** rng.choice([0, 8, 16], 20)
        costs = np.concatenate([costs, -costs[:15]])
        assert mc.Problem([[0, 1]] * 35, costs).costs.tolist() == [math.fsum(costs)]
    assert mc.Problem([[0, 1]] * 5, [1e32, 1e16, 1.0, -1e32, -1e16]).costs.tolist() == [1.0]
    assert mc.Problem([[0, 1]] * 4, [1.0, 2.0, 3.0, np.inf]).costs.tolist() == [np.inf]


def test_costs_of_duplicates_add_up_in_both_directions():
    problem = mc.Problem([[0, 1], [1, 2], [1, 0], [0, 1]], [1, 10, 2, 4])
    assert problem.edges.tolist() == [[0, 1], [1, 2]]
    assert problem.costs.tolist() == [7, 10]
    assert problem.edge_of_input.tolist() == [0, 1, 0, 0]
    assert problem.num_duplicates == 2


def test_self_loops_are_dropped_and_counted():
    problem = mc.Problem([[3, 3], [3, 4], [4, 4]], [9, 1, 9])
    assert problem.edges.tolist() == [[0, 1]]
    assert problem.costs.tolist() == [1]
    assert problem.node_ids.tolist() == [3, 4]
    assert problem.edge_of_input.tolist() == [-1, 0, -1]
    assert problem.num_self_loops == 2


def test_a_node_with_nothing_but_a_self_loop_exists():
    problem = mc.Problem([[0, 1], [7, 7]], [-1, 1])
    assert problem.node_ids.tolist() == [0, 1, 7]
    assert mc.solve(problem).num_clusters == 3


@pytest.mark.parametrize("offset", [0, 10, 10**12])
def test_ids_are_mapped_and_mapped_back(offset):
    ids = np.array([[5, 900], [900, 31], [5, 31]]) + offset
    problem = mc.Problem(ids, [1.0, 2.0, -4.0])
    assert problem.node_ids.tolist() == [5 + offset, 31 + offset, 900 + offset]
    assert problem.has_own_ids
    assert np.array_equal(problem.node_ids[problem.edges], ids)
    result = mc.solve(problem)
    assert result.by_id() == {5 + offset: 0, 31 + offset: 1, 900 + offset: 1}
    assert [c.tolist() for c in result.clusters()] == [[5 + offset], [31 + offset, 900 + offset]]


def test_num_nodes_allows_isolated_nodes():
    problem = mc.Problem([[1, 3]], [2.0], num_nodes=5)
    assert problem.num_nodes == 5
    assert mc.solve(problem).labels.tolist() == [0, 1, 2, 1, 3]


@pytest.mark.parametrize("edges", [[], np.empty((0, 2), dtype=int), np.empty((0, 2))])
def test_the_empty_graph(edges):
    assert mc.Problem(edges, []).num_nodes == 0
    assert mc.Problem(edges, [], num_nodes=3).num_nodes == 3


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint16, np.uint32, np.uint64, np.int64])
def test_any_integer_type_of_ids(dtype):
    assert mc.Problem(np.array(TRIANGLE, dtype=dtype), [1, 2, 3]).edges.dtype == np.int64


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.int64, bool])
def test_any_real_type_of_costs(dtype):
    problem = mc.Problem(TRIANGLE, np.array([1, 0, 1], dtype=dtype))
    assert problem.costs.dtype == np.float64
    assert problem.costs.tolist() == [1, 0, 1]


def test_single_precision_costs_are_not_rounded_again():
    costs = np.array([0.1, 0.2, 0.3], dtype=np.float32)
    assert mc.Problem(TRIANGLE, costs).costs.tolist() == [float(c) for c in costs]


@pytest.mark.parametrize("order", ["C", "F"])
def test_memory_layout_does_not_matter(order):
    edges = np.array(TRIANGLE, order=order)
    assert mc.Problem(edges, np.arange(6.0)[::2]).costs.tolist() == [0, 2, 4]
    assert mc.Problem(np.repeat(edges, 2, axis=0)[::2], [1, 2, 3]).edges.tolist() == TRIANGLE


def test_infinite_costs_are_constraints():
    problem = mc.Problem(TRIANGLE, [np.inf, -np.inf, 5.0])
    result = mc.solve(problem)
    assert result.labels.tolist() == [0, 0, 1]
    assert result.objective == 5.0


@pytest.mark.parametrize(
    ("edges", "costs", "ids"),
    [
        ([[10, 20], [20, 30], [10, 30]], [np.inf, np.inf, -np.inf], (10, 30)),
        ([[10, 20], [20, 10]], [np.inf, -np.inf], (20, 10)),
        ([[10, 20], [20, 10]], [-np.inf, np.inf], (20, 10)),
    ],
)
def test_contradicting_constraints_name_the_nodes(edges, costs, ids):
    with pytest.raises(ValueError, match="must-link") as caught:
        mc.Problem(edges, costs)
    assert all(str(i) in str(caught.value) for i in ids)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("edges", "costs", "kwargs", "error", "message"),
    [
        (
            [[0, 1.5]],
            [1],
            {},
            TypeError,
            "edges must contain node ids, integers or strings, got floa",
        ),
        ([["a", 1]], [1], {}, TypeError, "all integers or all strings, got 1 at edge 0"),
        ([["a", "b"], ["b", None]], [1, 1], {}, TypeError, "all strings, got None at edge 1"),
        (
            [["a", "b"]],
            [1],
            {"num_nodes": 2},
            ValueError,
            "num_nodes=2 does not fit edges of",
        ),
        ([["a", "b"]], [1], {"node_ids": ["a", "c"]}, ValueError, "the node 'b', which is not in"),
        (
            [[0, 2**63]],
            [1],
            {},
            ValueError,
            "below 2.63, got 9223372036854775808; number",
        ),
        ([[0, 2**70]], [1], {}, ValueError, "below 2.63, got 1180591620717411303424"),
        ([[0, 1], [2, -3]], [1, 1], {}, ValueError, r"got edges\[1\] = \(2, -3\)"),
        ([0, 1], [1], {}, ValueError, r"shape \(m, 2\), got \(2,\)"),
        ([[0, 1, 2], [1, 2, 3]], [1, 1], {}, ValueError, "transpose"),
        (np.empty((2, 0, 2)), [], {}, ValueError, r"shape \(m, 2\)"),
        (TRIANGLE, [1, 2], {}, ValueError, r"shape \(3,\), got \(2,\)"),
        (TRIANGLE, [[1], [2], [3]], {}, ValueError, r"got \(3, 1\)"),
        (TRIANGLE, [1, np.nan, 2], {}, ValueError, "nan at edge 1; drop or impute it"),
        (TRIANGLE, [1, 2, 3j], {}, TypeError, "costs must be real numbers, got complex128"),
        (TRIANGLE, ["1", "2", "3"], {}, TypeError, "costs must be real numbers"),
        (TRIANGLE, [1.5e308, 1.5e308, 1], {}, ValueError, "scale them down"),
        (TRIANGLE, [1, 2, 3], {"num_nodes": 2}, ValueError, r"num_nodes=2 .* \(1, 2\)"),
        (TRIANGLE, [1, 2, 3], {"num_nodes": -1}, ValueError, "num_nodes must be at least 0"),
        (TRIANGLE, [1, 2, 3], {"num_nodes": 2.5}, TypeError, "num_nodes must be an integer"),
        (TRIANGLE, [1, 2, 3], {"num_nodes": 2**70}, ValueError, "below 2.31, got 1180591620717"),
        (TRIANGLE, [1, 2, 3], {"node_ids": "ab"}, ValueError, r"num_nodes=2 .* \(1, 2\)"),
        (TRIANGLE, [1, 2, 3], {"node_ids": "aba"}, ValueError, "'a' more than once"),
        (TRIANGLE, [1, 2, 3], {"node_ids": "abc", "num_nodes": 4}, ValueError, "does not fit 3"),
        ([[0, 1], [2]], [1, 2], {}, ValueError, "rows of different lengths"),
        ({(0, 1)}, [1], {}, TypeError, "edges must be an array or a list, got set"),
        (TRIANGLE, np.ma.masked_equal([1, 2, 3], 2), {}, ValueError, "costs must not be masked"),
        (TRIANGLE, np.array([1, 2, "1e400"], dtype=np.longdouble), {}, ValueError, "fit a double"),
        (np.array([[0, 2**63]], dtype=np.uint64), [1], {}, ValueError, "below 2.63"),
    ],
)
def test_bad_input_gives_one_clear_line(edges, costs, kwargs, error, message):
    with pytest.raises(error, match=message) as caught:
        mc.Problem(edges, costs, **kwargs)
    assert "\n" not in str(caught.value)


def test_a_problem_cannot_be_changed():
    edges, costs = np.array(TRIANGLE), np.array([1.0, 2.0, 3.0])
    problem = mc.Problem(edges, costs)
    edges[0], costs[0] = 7, 7
    assert problem.edges.tolist() == TRIANGLE
    assert problem.costs.tolist() == [1, 2, 3]
    for array in (problem.edges, problem.costs, problem.node_ids, problem.edge_of_input):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(AttributeError):
        problem.costs = costs


@given(small_problems(constrained=True))
def test_pickling_gives_an_equal_problem(problem):
    copy = pickle.loads(pickle.dumps(problem))
    assert copy == problem
    assert hash(copy) == hash(problem)
    assert copy.edge_of_input.tolist() == problem.edge_of_input.tolist()
    assert (copy.num_self_loops, copy.num_duplicates) == (
        problem.num_self_loops,
        problem.num_duplicates,
    )


def test_comparison():
    problem = mc.Problem(TRIANGLE, [1, 2, 3])
    assert problem == mc.Problem(TRIANGLE, [1, 2, 3], num_nodes=3)
    assert problem != mc.Problem(TRIANGLE, [1, 2, 4])
    assert problem != mc.Problem(TRIANGLE, [1, 2, 3], num_nodes=4)
    assert problem != mc.Problem(np.add(TRIANGLE, 1), [1, 2, 3])
    assert problem != "problem"
    assert len({problem, mc.Problem(TRIANGLE, [1, 2, 3])}) == 1


def test_repr_says_what_it_is():
    text = repr(mc.Problem(TRIANGLE, [1, -2, 0]))
    assert text == "Problem(3 nodes, 3 edges: 1 attractive, 1 repulsive)"


@given(
    hnp.arrays(np.int64, st.tuples(st.integers(0, 20), st.just(2)), elements=st.integers(0, 9)),
    st.randoms(use_true_random=False),
)
def test_simplifying_keeps_every_objective(edges, random):
    costs = np.array([random.randint(-4, 4) for _ in edges], dtype=float)
    problem = mc.Problem(edges, costs)
    labels = np.array([random.randint(0, 2) for _ in range(problem.num_nodes)], dtype=int)
    label_of = dict(zip(problem.node_ids.tolist(), labels.tolist(), strict=True))
    expected = sum(c for (u, v), c in zip(edges.tolist(), costs, strict=True)
                   if label_of[u] != label_of[v])  # fmt: skip
    assert mc.objective(problem, labels) == expected
    pairs = [tuple(sorted(edge)) for edge in problem.edges.tolist()]
    assert len(set(pairs)) == len(pairs)
    assert all(u != v for u, v in pairs)


def test_names_may_be_anything_that_can_be_a_key():
    problem = mc.Problem([[0, 1], [1, 2]], [1.0, -1.0], node_ids=[10**30, "b", (0, 1)])
    assert mc.solve(problem).by_id() == {10**30: 0, "b": 0, (0, 1): 1}
    assert mc.Problem([[0, 1]], [1.0], node_ids=[0, 1]) == mc.Problem([[0, 1]], [1.0])
    assert mc.Problem([[0, 1]], [1.0], node_ids=[7, -3]).node_ids.tolist() == [7, -3]


def test_zero_has_one_hash():
    assert hash(mc.Problem([[0, 1]], [0.0])) == hash(mc.Problem([[0, 1]], [-0.0]))


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        np.array,
        lambda pairs: np.array(pairs, dtype=object),
        lambda pairs: pandas.DataFrame(pairs),
        lambda pairs: pandas.DataFrame(pairs, dtype="string"),
    ],
)
def test_names_as_ids(make):
    pairs = [["carol", "anna"], ["anna", "bob"], ["carol", "bob"]]
    problem = mc.Problem(make(pairs), [1.0, 2.0, -4.0])
    assert problem.node_ids.tolist() == ["carol", "anna", "bob"]
    assert problem.edges.tolist() == [[0, 1], [1, 2], [0, 2]]
    assert mc.solve(problem, "ilp").by_id() == {"carol": 0, "anna": 1, "bob": 1}
    assert pickle.loads(pickle.dumps(problem)) == problem


def test_names_among_given_ones():
    problem = mc.Problem([["c", "a"]], [1.0], node_ids=["a", "b", "c"])
    assert problem.edges.tolist() == [[2, 0]]
    assert problem.node_ids.tolist() == ["a", "b", "c"]
    assert mc.Problem(np.array([[5, 7]], dtype=object), [1.0]).node_ids.tolist() == [5, 7]


def test_nothing_makes_arrays_writable_again():
    problem = mc.Problem([[0, 1], [1, 2], [1, 0]], [1.0, -2.0, 1.0])
    named = mc.Problem([["a", "b"]], [1.0])
    result = mc.solve(problem)
    arrays = [problem.edges, problem.costs, problem.node_ids, problem.edge_of_input]
    arrays += [named.node_ids, result.labels, result.cut, result.trace, result.node_ids]
    arrays += [mc.Problem([], []).costs, mc.Problem([], []).edges]
    for array in arrays:
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True
        if array.base is not None and isinstance(array.base, np.ndarray):
            assert not array.base.flags.writeable
    assert problem.costs.tolist() == [2.0, -2.0]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64", "int32"])
def test_tensors(dtype):
    torch = pytest.importorskip("torch")
    costs = torch.tensor([2, -3], dtype=getattr(torch, dtype))
    if costs.is_floating_point():
        costs.requires_grad_()
    edges = torch.tensor([[0, 1], [1, 2]])
    expected = mc.Problem([[0, 1], [1, 2]], [2.0, -3.0])
    assert mc.Problem(edges, costs) == expected
    assert mc.Problem(edges, list(costs)) == expected
    assert mc.objective(expected, torch.tensor([0, 0, 1])) == -3


def test_ids_of_bytes_and_tuples_come_with_advice():
    with pytest.raises(TypeError, match=r"edges\.astype\(str\)"):
        mc.Problem(np.array([[b"a", b"b"]]), [1.0])
    with pytest.raises(ValueError, match="pass tuples and the like as node_ids"):
        mc.Problem([[(0, 0), (0, 1)]], [1.0])
