from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import multicut as mc
from multicut.nn import GraphBatch
from multicut.nn.search import short_cycles
from multicut.nn.search.short_cycles import Sweeps, pack, whole_graph
from tests.problems import optimum, random_problem


def batch_of(*problems: mc.Problem) -> GraphBatch:
    return GraphBatch.from_problems(problems, dtype=torch.float64)


def left_of(problem: mc.Problem, sweeps: Sweeps) -> np.ndarray:
    """What is left of each |cost|, as a share of the largest, for the edges of a problem."""
    graph, _ = whole_graph(batch_of(problem))
    largest = max(graph.costs.abs().tolist(), default=0)
    return pack(graph, sweeps).double().numpy() / (largest or 1)


def cycles_of(problem: mc.Problem, length: int) -> list[list[int]]:
    """All cycles with exactly one repulsive edge, from the definition."""
    edge = {frozenset(pair): i for i, pair in enumerate(problem.edges.tolist())}
    found = set()
    for nodes in itertools.permutations(range(problem.num_nodes), length):
        pairs = [frozenset(pair) for pair in itertools.pairwise([*nodes, nodes[0]])]
        if all(pair in edge for pair in pairs):
            found.add(frozenset(edge[pair] for pair in pairs))
    costs = problem.costs
    return [
        sorted(cycle)
        for cycle in found
        if sum(costs[e] < 0 for e in cycle) == 1 and sum(costs[e] > 0 for e in cycle) == length - 1
    ]


def packed(problem: mc.Problem, sweeps: Sweeps) -> np.ndarray:
    """The same as `left_of`, from the definition."""
    left = np.abs(problem.costs) / np.abs(problem.costs).max(initial=1e-300)
    for length, times in ((3, sweeps.triangles), (4, sweeps.squares)):
        cycles = cycles_of(problem, length)
        for _ in range(times):
            live = [cycle for cycle in cycles if (left[cycle] > 1e-8).all()]
            counts = np.bincount(np.ravel(live).astype(int), minlength=len(left))
            shares = left / np.maximum(counts, 1)
            weights = [shares[cycle].min() for cycle in live]
            for cycle, weight in zip(live, weights, strict=True):
                left[cycle] -= weight
    return left


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    density=st.floats(0, 1),
    integers=st.booleans(),
    triangles=st.integers(0, 3),
    squares=st.integers(0, 2),
)
def test_a_packing_is_what_the_definition_says(seed, density, integers, triangles, squares):
    problem = random_problem(8, density, seed, integers)
    sweeps = Sweeps(triangles, squares)
    np.testing.assert_allclose(left_of(problem, sweeps), packed(problem, sweeps), atol=1e-7)


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), density=st.floats(0, 1), integers=st.booleans())
def test_what_is_left_of_repulsion_bounds_the_optimum(seed, density, integers):
    problem = random_problem(7, density, seed, integers)
    left = left_of(problem, Sweeps()) * np.abs(problem.costs).max(initial=0)
    assert (left >= 0).all()
    bound = -left[problem.costs < 0].sum()
    assert bound <= optimum(problem) + 1e-7
    trivial = problem.costs[problem.costs < 0].sum()
    assert bound >= trivial - 1e-7


def test_a_conflicted_triangle_takes_what_its_weakest_edge_has():
    problem = mc.Problem([[0, 1], [1, 2], [0, 2]], [4.0, 2.0, -1.0])
    assert left_of(problem, Sweeps(1, 0)).tolist() == [0.75, 0.25, 0.0]


def test_a_conflicted_square_takes_what_its_weakest_edge_has():
    problem = mc.Problem([[0, 1], [1, 2], [2, 3], [0, 3]], [4.0, 2.0, 1.0, -3.0])
    assert left_of(problem, Sweeps(3, 0)).tolist() == [1.0, 0.5, 0.25, 0.75]
    assert left_of(problem, Sweeps(0, 1)).tolist() == [0.75, 0.25, 0.0, 0.5]


def test_cycles_with_another_number_of_repulsive_edges_take_nothing():
    for costs in ([1.0, 2.0, 4.0], [1.0, -2.0, -4.0], [-1.0, -2.0, -4.0], [1.0, 4.0, 0.0]):
        problem = mc.Problem([[0, 1], [1, 2], [0, 2]], costs)
        assert left_of(problem, Sweeps()).tolist() == [abs(cost) / 4 for cost in costs]


def test_parts_that_are_looked_at_one_after_the_other_make_no_difference(monkeypatch):
    problem = random_problem(40, 0.5, seed=3)
    expected = left_of(problem, Sweeps())
    monkeypatch.setattr(short_cycles, "_PAIRS_AT_A_TIME", {"cpu": 7 * 16**2})
    assert (left_of(problem, Sweeps()) == expected).all()


def test_the_scale_of_costs_does_not_matter():
    problem = random_problem(30, 0.5, seed=1)
    left = [
        pack(whole_graph(batch_of(mc.Problem(problem.edges, problem.costs * scale)))[0], Sweeps())
        for scale in (1.0, 2.0**-900, 2.0**900)
    ]
    assert torch.equal(left[0], left[1])
    assert torch.equal(left[0], left[2])


def test_long_rows_are_cut_where_graphs_are_dense():
    sparse, _ = whole_graph(batch_of(mc.datasets.randommp(1000, seed=0)))
    assert short_cycles.caps_of(sparse) == (64, 16)
    many = 10**7
    dense = short_cycles.WholeGraph(
        num_nodes=5000,
        ends=torch.empty(many, dtype=torch.int8),
        costs=torch.empty(0),
        num_attractive=many // 2,
        local=torch.empty(0),
        largest=1,
    )
    caps = short_cycles.caps_of(dense)
    assert many // 2 * caps.squares**2 <= 2**27
    assert caps.squares > 1


@pytest.mark.parametrize("most", [1, 3])
def test_short_rows_still_give_a_packing(monkeypatch, most):
    monkeypatch.setattr(short_cycles, "MOST_IN_TRIANGLES", most)
    monkeypatch.setattr(short_cycles, "MOST_IN_SQUARES", most)
    problem = random_problem(12, 1.0, seed=2)
    left = left_of(problem, Sweeps()) * np.abs(problem.costs).max()
    assert (left >= 0).all()
    assert problem.costs[problem.costs < 0].sum() < -left[problem.costs < 0].sum() <= -1e-9


def test_costs_that_are_lost_are_noticed():
    assert whole_graph(batch_of(mc.Problem([[0, 1], [1, 2]], [1.0, 1e-9])))[1]
    assert not whole_graph(batch_of(mc.Problem([[0, 1], [1, 2]], [1.0, 1e-30])))[1]
