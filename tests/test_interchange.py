"""Problems as graphs and tables of other packages, and back."""

from __future__ import annotations

import pickle

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import multicut as mc
from tests.problems import small_problems

NAMES = st.one_of(
    st.integers(-(2**70), 2**70), st.text(max_size=3), st.tuples(st.integers(0, 9), st.text())
)


@st.composite
def named_problems(draw):
    """Draw a problem with constraints, isolated nodes and, maybe, names."""
    problem = draw(small_problems(constrained=True))
    count = problem.num_nodes + draw(st.integers(0, 3))
    names = draw(st.none() | st.lists(NAMES, min_size=count, max_size=count, unique=True))
    num_nodes = count if names is None else None
    return mc.Problem(problem.edges, problem.costs, num_nodes, node_ids=names)


def content(problem: mc.Problem) -> tuple[list, dict]:
    """All that matters: nodes in order, and the cost of each edge by the ids of its ends."""
    ids = problem.node_ids.tolist()
    edges = problem.edges.tolist()
    costs = {frozenset((ids[u], ids[v])): c for (u, v), c in zip(edges, problem.costs, strict=True)}
    assert len(costs) == len(edges)
    return ids, costs


@given(named_problems())
def test_networkx_and_back(problem):
    graph = problem.to_networkx(cost="c")
    assert list(graph.nodes) == problem.node_ids.tolist()
    assert content(mc.Problem.from_networkx(graph, cost="c")) == content(problem)


@given(named_problems())
def test_igraph_and_back(problem):
    pytest.importorskip("igraph")
    graph = problem.to_igraph()
    assert (graph.vcount(), graph.ecount()) == (problem.num_nodes, problem.num_edges)
    back = mc.Problem.from_igraph(graph)
    assert content(back) == content(problem)
    assert np.array_equal(back.costs, problem.costs)  # igraph keeps the order of edges


@given(named_problems())
def test_scipy_and_back(problem):
    matrix = problem.to_scipy()
    assert matrix.nnz == 2 * problem.num_edges
    back = mc.Problem.from_scipy(matrix, node_ids=problem.node_ids)
    assert content(back) == content(problem)
    unnamed = mc.Problem(problem.edges, problem.costs, problem.num_nodes)
    assert content(mc.Problem.from_scipy(matrix)) == content(unnamed)


@given(named_problems(), st.booleans())
def test_pyg_and_back(problem, both_directions):
    data = problem.to_pyg(both_directions=both_directions)
    assert data.num_edges == (1 + both_directions) * problem.num_edges
    assert data.edge_index.is_contiguous()
    back = mc.Problem.from_pyg(data)
    assert content(back) == content(problem)
    if not both_directions:
        assert back == problem


def test_pyg_in_single_precision():
    import torch

    data = mc.Problem([[0, 1]], [0.1]).to_pyg(dtype=torch.float32)
    assert data.edge_weight.dtype == torch.float32
    assert data.edge_weight.tolist() == [pytest.approx(0.1)] * 2
    assert data.validate()


@given(named_problems())
def test_pandas_and_back_is_the_same_problem(problem):
    frame = problem.to_pandas("a", "b", "c")
    assert list(frame.columns) == ["a", "b", "c"]
    back = mc.Problem.from_pandas(frame, "a", "b", "c", nodes=problem.node_ids.tolist())
    assert content(back) == content(problem)
    assert back == problem


def test_from_pandas_takes_nodes_in_order_of_appearance():
    frame = pd.DataFrame({"source": ["b", "b"], "target": ["a", "c"], "cost": [1, -2]})
    problem = mc.Problem.from_pandas(frame)
    assert problem.node_ids.tolist() == ["b", "a", "c"]
    assert problem.costs.tolist() == [1, -2]
    frame = frame.rename(columns={"cost": "score"})
    records = pd.DataFrame({"name": list("xyzw")}, index=list("abcd"))
    problem = mc.Problem.from_pandas(frame, cost="score", nodes=records.index)
    assert problem.node_ids.tolist() == list("abcd")
    joined = records.join(mc.solve(problem).to_pandas())
    assert joined["cluster"].to_dict() == {"a": 0, "b": 0, "c": 1, "d": 2}


@pytest.mark.parametrize(
    ("change", "arguments", "error", "message"),
    [
        ({}, {"cost": "weight"}, ValueError, "no column 'weight', only .* with cost="),
        ({"cost": [1, None]}, {}, ValueError, "column 'cost' has no value in row 'second'"),
        ({"target": [None, "d"]}, {}, ValueError, "column 'target' has no value in row 'first'"),
        ({"cost": ["1", "much"]}, {}, TypeError, "column 'cost' must contain real numbers"),
        ({}, {"nodes": ["a", "b", "c"]}, ValueError, "lack 'd' of column 'target', row 'second'"),
        ({}, {"nodes": ["a", "b", "c", "d", "a"]}, ValueError, "'a' more than once"),
    ],
)
def test_bad_frames_give_one_clear_line(change, arguments, error, message):
    columns = {"source": ["a", "c"], "target": ["b", "d"], "cost": [1.0, 2.0]}
    frame = pd.DataFrame(columns | change, index=["first", "second"])
    with pytest.raises(error, match=message) as caught:
        mc.Problem.from_pandas(frame, **arguments)
    assert "\n" not in str(caught.value)


def test_what_is_no_frame():
    with pytest.raises(TypeError, match=r"frame must be a pandas\.DataFrame, got dict"):
        mc.Problem.from_pandas({"source": []})


def test_labels_as_a_series():
    problem = mc.Problem([[0, 1], [1, 2]], [1.0, -1.0], node_ids=[("x", 1), ("y", 2), 3])
    series = mc.solve(problem).to_pandas("group")
    assert series.name == "group"
    assert series.index.tolist() == [("x", 1), ("y", 2), 3]
    assert series.tolist() == [0, 0, 1]
    series.iloc[0] = 5  # its own memory, so it can be changed


def test_a_missing_package_is_named(monkeypatch):
    from multicut import interchange

    def refuse(name):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(interchange, "import_module", refuse)
    with pytest.raises(ModuleNotFoundError, match=r"to_networkx needs networkx.*pip install"):
        mc.Problem([[0, 1]], [1.0]).to_networkx()


def test_from_networkx_keeps_names():
    graph = nx.Graph()
    graph.add_node("alone")
    graph.add_edge("a", "b", weight=2.0)
    graph.add_edge("b", ("c", 1), weight=-1.0)
    problem = mc.Problem.from_networkx(graph)
    assert problem.node_ids.tolist() == ["alone", "a", "b", ("c", 1)]
    result = mc.solve(problem)
    assert result.by_id() == {"alone": 0, "a": 1, "b": 1, ("c", 1): 2}
    assert pickle.loads(pickle.dumps(problem)) == problem


def test_contradictions_name_the_nodes_of_other_packages():
    links = {("x", "y"): np.inf, ("y", "z"): np.inf, ("x", "z"): -np.inf}
    graph = nx.Graph([(u, v, {"weight": cost}) for (u, v), cost in links.items()])
    with pytest.raises(ValueError, match="nodes 'x' and 'z' must not be linked"):
        mc.Problem.from_networkx(graph)
    graph.edges["y", "z"]["weight"] = np.nan
    with pytest.raises(ValueError, match=r"edge \('y', 'z'\) has the cost nan"):
        mc.Problem.from_networkx(graph)


def test_from_networkx_adds_parallel_and_opposite_edges():
    multi = nx.MultiGraph([(0, 1, {"cost": 1}), (0, 1, {"cost": 2})])
    assert mc.Problem.from_networkx(multi, cost="cost").costs.tolist() == [3]
    directed = nx.DiGraph([(0, 1, {"cost": 1}), (1, 0, {"cost": 5})])
    assert mc.Problem.from_networkx(directed, cost="cost").costs.tolist() == [6]
    assert not mc.Problem.from_networkx(directed, cost="cost").has_own_ids


def test_from_networkx_names_the_edge_without_cost():
    with pytest.raises(ValueError, match=r"edge \('a', 'b'\) has no attribute 'weight'"):
        mc.Problem.from_networkx(nx.Graph([("a", "b")]))


def test_from_igraph():
    igraph = pytest.importorskip("igraph")
    graph = igraph.Graph(4, [(0, 1), (1, 3)])
    graph.es["weight"] = [1.0, -2.0]
    problem = mc.Problem.from_igraph(graph)
    assert problem == mc.Problem([[0, 1], [1, 3]], [1, -2], num_nodes=4)
    graph.vs["name"] = ["a", "b", "c", "d"]
    assert mc.Problem.from_igraph(graph).node_ids.tolist() == ["a", "b", "c", "d"]
    graph.vs["name"] = ["a", "b", "b", "d"]
    with pytest.raises(ValueError, match="'b' more than once"):
        mc.Problem.from_igraph(graph)
    with pytest.raises(ValueError, match="no edge attribute 'cost', only"):
        mc.Problem.from_igraph(graph, cost="cost")
    assert mc.Problem.from_igraph(igraph.Graph(2)).num_nodes == 2


@pytest.mark.parametrize("make", [scipy.sparse.csr_matrix, scipy.sparse.coo_array])
def test_from_scipy(make):
    dense = np.array([[9.0, 2, 0, -1], [2, 0, 0, 0], [0, 0, 0, 0], [-1, 0, 0, 0]])
    expected = {(0, 1): 2.0, (0, 3): -1.0}
    for matrix in (dense, np.triu(dense), np.tril(dense)):
        problem = mc.Problem.from_scipy(make(matrix))
        found = dict(zip(map(tuple, np.sort(problem.edges).tolist()), problem.costs.tolist(),
                         strict=True))  # fmt: skip
        assert found == expected
        assert problem.num_nodes == 4
        assert problem.num_self_loops == 1
    asymmetric = make(np.array([[0, 2.0], [3.0, 0]]))
    assert mc.Problem.from_scipy(asymmetric).costs.tolist() == [5.0]
    with pytest.raises(ValueError, match="square"):
        mc.Problem.from_scipy(make(np.ones((2, 3))))
    with pytest.raises(TypeError, match="matrix must be sparse, got ndarray"):
        mc.Problem.from_scipy(np.eye(3))


def test_from_scipy_adds_duplicate_entries_before_it_looks_for_symmetry():
    entries = ([1.0, 2.0, 3.0], ([0, 0, 1], [1, 1, 0]))
    assert mc.Problem.from_scipy(scipy.sparse.coo_array(entries, shape=(2, 2))).costs.tolist() == [
        3
    ]


def test_from_pyg():
    torch = pytest.importorskip("torch")
    data = pytest.importorskip("torch_geometric.data")
    both_ways = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    graph = data.Data(edge_index=both_ways, edge_weight=torch.tensor([1.0, 1, -2, -2]), num_nodes=4)
    assert mc.Problem.from_pyg(graph) == mc.Problem([[0, 1], [1, 2]], [1, -2], num_nodes=4)
    graph = data.Data(edge_index=both_ways[:, ::2], edge_attr=torch.tensor([[1.0], [-2]]))
    assert mc.Problem.from_pyg(graph) == mc.Problem([[0, 1], [1, 2]], [1, -2])
    graph = data.Data(edge_index=both_ways, score=torch.tensor([1.0, 5, -2, 0]))
    assert mc.Problem.from_pyg(graph, cost="score").costs.tolist() == [6, -2]
    with pytest.raises(ValueError, match="no edge_weight or edge_attr"):
        mc.Problem.from_pyg(graph)


def test_names_go_through_other_packages():
    problem = mc.Problem([["a", "b"], ["b", "c"]], [1.0, -2.0])
    assert mc.Problem.from_networkx(problem.to_networkx()) == problem
    assert mc.Problem.from_pandas(problem.to_pandas()) == problem
    pytest.importorskip("igraph")
    assert mc.Problem.from_igraph(problem.to_igraph()) == problem
    pytest.importorskip("torch_geometric.data")
    assert mc.Problem.from_pyg(problem.to_pyg()) == problem


def test_from_scipy_takes_rounding_for_symmetry():
    matrix = np.array([[0, 1 + 1e-15, 1e-17], [1, 0, -2], [0, -2, 0]])
    problem = mc.Problem.from_scipy(scipy.sparse.csr_array(matrix))
    assert problem.costs.tolist() == pytest.approx([1, -2, 0], abs=1e-14)
    points = np.random.default_rng(0).normal(size=(40, 7))
    scaled = (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32)
    similarity = scaled @ scaled.T
    lower = np.tril(similarity, -1) * np.float32(1 + 3e-7)
    noisy = np.triu(similarity, 1) + lower
    costs = mc.Problem.from_scipy(scipy.sparse.csr_array(noisy)).costs
    assert np.abs(costs).max() <= 1.01


def test_from_scipy_adds_up_what_differs_by_more_than_rounding():
    matrix = scipy.sparse.csr_array(np.array([[0, 1 + 1e-9], [1, 0]]))
    assert mc.Problem.from_scipy(matrix).costs.tolist() == pytest.approx([2 + 1e-9], abs=1e-12)


def test_two_columns_of_one_name():
    frame = pd.DataFrame([[0, 1, 2.0, 3.0]], columns=["source", "target", "cost", "cost"])
    with pytest.raises(ValueError, match="frame has 2 columns 'cost'; rename or drop"):
        mc.Problem.from_pandas(frame)


def lifted_problem() -> mc.Problem:
    return mc.Problem(
        [[0, 1], [1, 2]],
        [1.5, -2.0],
        node_ids=["a", "b", "c", "d"],
        lifted_edges=[[0, 2], [3, 0]],
        lifted_costs=[0.5, -np.inf],
    )


def parallel_problem() -> mc.Problem:
    return mc.Problem(
        [[0, 1], [1, 2]], [1.5, -2.0], lifted_edges=[[0, 2], [1, 0]], lifted_costs=[0.5, 4.0]
    )


def test_networkx_marks_lifted_edges():
    graph = lifted_problem().to_networkx()
    assert type(graph) is nx.Graph
    assert graph.edges["a", "c"] == {"weight": 0.5, "lifted": True}
    assert "lifted" not in graph.edges["a", "b"]
    multigraph = parallel_problem().to_networkx()
    assert type(multigraph) is nx.MultiGraph
    for problem, made in ((lifted_problem(), graph), (parallel_problem(), multigraph)):
        assert content_with_lifted(mc.Problem.from_networkx(made)) == content_with_lifted(problem)


def content_with_lifted(problem):
    """Ids, edges and lifted edges, whatever their order and direction."""
    ids = problem.node_ids.tolist()
    return ids, *(
        sorted(zip(np.sort(edges, axis=1).tolist(), costs.tolist(), strict=True))
        for edges, costs in (
            (problem.edges, problem.costs),
            (problem.lifted_edges, problem.lifted_costs),
        )
    )


@pytest.mark.parametrize("make", [lifted_problem, parallel_problem])
def test_lifted_edges_survive_igraph_pandas_and_pyg(make):
    problem = make()
    pytest.importorskip("igraph")
    assert content_with_lifted(mc.Problem.from_igraph(problem.to_igraph())) == content_with_lifted(
        problem
    )
    frame = problem.to_pandas()
    assert frame["lifted"].tolist() == [False, False, True, True]
    assert mc.Problem.from_pandas(frame, nodes=problem.node_ids) == problem
    pytest.importorskip("torch_geometric")
    for both in (True, False):
        again = mc.Problem.from_pyg(problem.to_pyg(both_directions=both))
        assert content_with_lifted(again) == content_with_lifted(problem)


def test_pyg_numbers_lifted_edges_on_in_batches():
    pytest.importorskip("torch_geometric")
    from torch_geometric.data import Batch

    batch = Batch.from_data_list([parallel_problem().to_pyg(both_directions=False)] * 2)
    assert batch.lifted_edge_index.tolist() == [[0, 1, 3, 4], [2, 0, 5, 3]]


def test_a_matrix_has_no_place_for_lifted_edges():
    with pytest.raises(ValueError, match="a matrix holds no lifted edges, got 2; use to_networkx"):
        lifted_problem().to_scipy()


def test_other_packages_need_complete_lifted_edges():
    frame = lifted_problem().to_pandas()
    frame["lifted"] = [0, 1, 2, 1]
    with pytest.raises(ValueError, match="column 'lifted' must contain True and False, got"):
        mc.Problem.from_pandas(frame)
    pytest.importorskip("torch_geometric")
    data = lifted_problem().to_pyg()
    del data.lifted_edge_weight
    with pytest.raises(ValueError, match="has lifted_edge_index but no lifted_edge_weight"):
        mc.Problem.from_pyg(data)
