from __future__ import annotations

import numpy as np
import pytest
import torch

import multicut as mc
from multicut.nn import GraphBatch
from tests.problems import random_problem

PROBLEMS = [
    random_problem(6, 0.6, seed=0),
    mc.Problem([], [], num_nodes=0),
    mc.Problem([], [], num_nodes=3),
    random_problem(9, 0.5, seed=1),
]


def test_graphs_lie_side_by_side():
    batch = GraphBatch.from_problems(PROBLEMS, dtype=torch.float64)
    assert batch.num_graphs == 4
    assert batch.num_nodes == 18
    assert batch.node_offsets.tolist() == [0, 6, 6, 9, 18]
    for g, problem in enumerate(PROBLEMS):
        edges = slice(batch.edge_offsets[g], batch.edge_offsets[g + 1])
        first = int(batch.node_offsets[g])
        assert np.array_equal(batch.edges[:, edges].T.numpy() - first, problem.edges)
        assert np.array_equal(batch.costs[edges].numpy(), problem.costs)
        assert (batch.graph_of_edge()[edges] == g).all()
        assert (batch.graph_of_node() == g).sum() == problem.num_nodes


def test_a_single_problem_and_none():
    assert GraphBatch.from_problems(PROBLEMS[0]).num_graphs == 1
    assert GraphBatch.from_problems([]).num_graphs == 0
    assert GraphBatch.from_problems([]).objectives(torch.zeros(0)).shape == (0,)


def test_objectives_are_those_of_the_problems():
    rng = np.random.default_rng(0)
    labels = [rng.integers(0, 3, problem.num_nodes) for problem in PROBLEMS]
    cuts = [
        lab[p.edges[:, 0]] != lab[p.edges[:, 1]] for lab, p in zip(labels, PROBLEMS, strict=True)
    ]
    batch = GraphBatch.from_problems(PROBLEMS, dtype=torch.float64, cuts=cuts)
    expected = [mc.objective(p, lab) for lab, p in zip(labels, PROBLEMS, strict=True)]
    assert batch.cut is not None
    assert batch.objectives(batch.cut).tolist() == pytest.approx(expected)
    assert batch.objectives(batch.cut.bool()).tolist() == pytest.approx(expected)


def test_rows_hold_both_directions_of_every_edge():
    batch = GraphBatch.from_problems(PROBLEMS)
    rows = batch.adjacency
    dense = torch.zeros(batch.num_nodes, batch.num_nodes, dtype=torch.int64)
    for node in range(batch.num_nodes):
        for entry in range(rows.row_pointers[node], rows.row_pointers[node + 1]):
            dense[node, rows.columns[entry]] = rows.edge_of_entry[entry] + 1
    expected = torch.zeros_like(dense)
    for edge, (u, v) in enumerate(batch.edges.T.tolist()):
        expected[u, v] = expected[v, u] = edge + 1
    assert torch.equal(dense, expected)


def test_pyg_sees_the_same_graphs():
    data = GraphBatch.from_problems(PROBLEMS, dtype=torch.float64).to_pyg()
    assert data.is_undirected()
    assert not data.has_self_loops()
    assert data.batch.tolist() == [0] * 6 + [2] * 3 + [3] * 9
    together = mc.Problem.from_pyg(data)
    assert together.num_nodes == 18
    assert together.costs.sum() == pytest.approx(sum(p.costs.sum() for p in PROBLEMS))


def test_other_costs_keep_what_is_known_of_the_graph():
    batch = GraphBatch.from_problems(PROBLEMS)
    other = batch.with_costs(batch.costs * 2)
    assert "adjacency" not in other.__dict__
    rows = batch.adjacency
    assert batch.with_costs(batch.costs * 2).adjacency is rows
    with pytest.raises(ValueError, match=r"one value per edge, shape .*, got \(3,\)"):
        batch.with_costs(torch.zeros(3))


@pytest.mark.parametrize(
    ("cost", "dtype"),
    [(np.inf, torch.float64), (-np.inf, torch.float32), (1e300, torch.float32)],
)
def test_costs_that_a_network_cannot_take_are_refused(cost, dtype):
    odd = mc.Problem([[0, 1], [1, 2]], [1.0, cost])
    with pytest.raises(ValueError, match=r"costs must be finite in float.*edge 1 of problem 4"):
        GraphBatch.from_problems([*PROBLEMS, odd], dtype=dtype)


def test_other_bad_arguments():
    with pytest.raises(TypeError, match=r"must be multicut.Problem, got str"):
        GraphBatch.from_problems(["problem"])
    with pytest.raises(ValueError, match="one per problem, got 1 for 4"):
        GraphBatch.from_problems(PROBLEMS, cuts=[[0]])
    with pytest.raises(
        ValueError, match=r"integers in shape \(2, m\), got torch.int64 in \(3, 2\)"
    ):
        GraphBatch.from_edges(torch.zeros(3, 2, dtype=torch.int64), torch.zeros(3), 2)
    with pytest.raises(ValueError, match=r"one floating point number per edge, shape \(3,\)"):
        GraphBatch.from_edges(torch.zeros(2, 3, dtype=torch.int64), torch.zeros(2), 2)
