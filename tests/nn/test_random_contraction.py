from __future__ import annotations

import numpy as np
import pytest
import torch

import multicut as mc
from multicut.nn import GraphBatch
from multicut.nn.search.random_contraction import contract_at_random
from tests.problems import optimum, random_problem


def solved(count: int) -> tuple[GraphBatch, list[float]]:
    problems = [random_problem(7, 0.8, seed) for seed in range(count)]
    results = [mc.solve(problem, "ilp") for problem in problems]
    batch = GraphBatch.from_problems(problems)
    cut = torch.from_numpy(np.concatenate([result.cut for result in results]))
    values = {f: getattr(batch, f) for f in ("edges", "costs", "node_offsets", "edge_offsets")}
    solved = GraphBatch(num_nodes=batch.num_nodes, cut=cut.float(), **values)
    return solved, [result.objective for result in results]


def test_the_solution_stays_the_solution():
    batch, optima = solved(40)
    smaller = contract_at_random(batch, torch.Generator().manual_seed(1))
    torch.testing.assert_close(
        smaller.objectives(smaller.cut > 0.5), torch.tensor(optima, dtype=torch.float64)
    )
    for graph in range(40):
        nodes = slice(*smaller.node_offsets[graph : graph + 2].tolist())
        edges = slice(*smaller.edge_offsets[graph : graph + 2].tolist())
        problem = mc.Problem(
            (smaller.edges[:, edges].T - nodes.start).numpy(),
            smaller.costs[edges].numpy(),
            num_nodes=nodes.stop - nodes.start,
        )
        assert optimum(problem) == pytest.approx(optima[graph], abs=1e-5)


def test_graphs_are_at_different_stages():
    batch, _ = solved(40)
    smaller = contract_at_random(batch, torch.Generator().manual_seed(1))
    before, after = torch.diff(batch.node_offsets), torch.diff(smaller.node_offsets)
    assert len(set(after.tolist())) > 3
    assert (after == before).any()
    assert (after < before).any()


def test_the_generator_decides():
    batch, _ = solved(10)
    costs = [contract_at_random(batch, torch.Generator().manual_seed(s)).costs for s in (1, 1, 2)]
    assert torch.equal(costs[0], costs[1])
    assert costs[0].shape != costs[2].shape or not torch.equal(costs[0], costs[2])


def test_a_solution_is_needed():
    batch = GraphBatch.from_problems(random_problem(5, 0.8, 0))
    with pytest.raises(ValueError, match="only graphs with a solution can be contracted"):
        contract_at_random(batch, torch.Generator())
