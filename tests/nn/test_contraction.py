from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import multicut as mc
from multicut.nn import GraphBatch, contract
from multicut.partition import labels_of_cut
from tests.problems import optimum, random_problem, small_problems


def problem_of(batch: GraphBatch) -> mc.Problem:
    return mc.Problem(batch.edges.T.numpy(), batch.costs.double().numpy(), batch.num_nodes)


@settings(max_examples=100, deadline=None)
@given(problem=small_problems(), seed=st.integers(0, 2**30), share=st.floats(0, 1))
def test_costs_of_contracted_partitions_are_those_of_the_lifted_ones(problem, seed, share):
    rng = np.random.default_rng(seed)
    costs = np.sign(problem.costs) * np.minimum(np.abs(problem.costs), 10.0)
    problem = mc.Problem(problem.edges, costs, num_nodes=problem.num_nodes)
    join = rng.random(problem.num_edges) < share
    batch = GraphBatch.from_problems(problem, dtype=torch.float64)
    contraction = contract(batch, torch.from_numpy(join))
    nodes = contraction.node_of_input.numpy()
    # The new nodes are the components of the joined edges, in order of first appearance.
    assert np.array_equal(nodes, labels_of_cut(problem, ~join))
    smaller = problem_of(contraction.batch)
    assert smaller.num_edges == contraction.batch.num_edges  # each edge once, no loops
    labels = rng.integers(0, 3, smaller.num_nodes)
    expected = mc.objective(problem, labels[nodes])
    assert mc.objective(smaller, labels) == pytest.approx(expected, abs=1e-9)


def test_edges_know_where_they_went():
    problem = random_problem(12, 0.5, seed=0)
    batch = GraphBatch.from_problems(problem)
    join = torch.rand(batch.num_edges, generator=torch.manual_seed(0)) < 0.2
    contraction = contract(batch, join)
    ends = contraction.node_of_input[batch.edges]
    for edge, new in enumerate(contraction.edge_of_input.tolist()):
        u, v = sorted(ends[:, edge].tolist())
        if new < 0:
            assert u == v
        else:
            assert contraction.batch.edges[:, new].tolist() == [u, v]


def test_an_optimal_cut_stays_optimal():
    for seed in range(10):
        problem = random_problem(8, 0.6, seed)
        cut = mc.solve(problem, "ilp").cut
        batch = GraphBatch.from_problems(problem, cuts=[cut], dtype=torch.float64)
        generator = torch.manual_seed(seed)
        join = (torch.rand(batch.num_edges, generator=generator) < 0.5) & (batch.cut == 0)
        smaller = contract(batch, join).batch
        best = optimum(problem)
        assert optimum(problem_of(smaller)) == pytest.approx(best)
        assert float(smaller.objectives(smaller.cut)) == pytest.approx(best)


def test_graphs_stay_apart_and_in_order():
    problems = [random_problem(n, 0.5, seed=n) for n in (5, 0, 1, 9, 6)]
    batch = GraphBatch.from_problems(problems)
    join = batch.costs > 0.5
    together = contract(batch, join)
    start = 0
    for graph, problem in enumerate(problems):
        alone = GraphBatch.from_problems(problem)
        expected = contract(alone, join[start : start + problem.num_edges]).batch
        start += problem.num_edges
        begin, end = together.batch.edge_offsets[graph : graph + 2].tolist()
        first = int(together.batch.node_offsets[graph])
        assert int(together.batch.node_offsets[graph + 1]) - first == expected.num_nodes
        assert torch.equal(together.batch.edges[:, begin:end] - first, expected.edges)
        torch.testing.assert_close(together.batch.costs[begin:end], expected.costs)


@pytest.mark.parametrize("num_nodes", [0, 4])
def test_without_edges_nothing_happens(num_nodes):
    batch = GraphBatch.from_problems(mc.Problem([], [], num_nodes=num_nodes))
    contraction = contract(batch, torch.zeros(0, dtype=torch.bool))
    assert contraction.node_of_input.tolist() == list(range(num_nodes))
    assert contraction.batch.num_edges == 0


def test_gradients_reach_the_costs():
    batch = GraphBatch.from_problems(mc.Problem([[0, 1], [1, 2], [0, 2]], [3.0, 1.0, -2.0]))
    costs = batch.costs.clone().requires_grad_()
    smaller = contract(batch.with_costs(costs), torch.tensor([True, False, False])).batch
    assert smaller.costs.tolist() == [-1.0]
    smaller.costs.sum().backward()
    assert costs.grad.tolist() == [0.0, 1.0, 1.0]
