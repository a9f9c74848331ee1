"""Problems as graphs and tables of other packages, and back."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
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
        ({"cost": ["1", "much"]}, {}, TypeError, "column 'cost' must hold real numbers"),
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
