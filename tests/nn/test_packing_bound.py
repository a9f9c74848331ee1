"""Lower bounds on a device; here it is the processor, with torch."""

from __future__ import annotations

import heapq
import signal
import threading
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings

import multicut as mc
from multicut.bound import bound_from_below
from multicut.nn.search import cheap_cycles, short_cycles
from multicut.nn.search.cheap_cycles import Found, find_cheap_cycles
from multicut.nn.search.cycle_pool import CyclePool
from multicut.nn.search.packing_bound import PackingBound
from multicut.nn.search.short_cycles import WholeGraph
from multicut.stop import Stop, StopReason
from tests.problems import optimum, random_lifted_problem, random_problem, small_problems


def bound_of(problem: mc.Problem, time_limit: float | None = None) -> float:
    return mc.lower_bound(problem, time_limit, device="cpu")


def graph_of(problem: mc.Problem) -> WholeGraph:
    costs = torch.from_numpy(np.sign(problem.costs)).to(torch.int64)
    edges = torch.from_numpy(problem.edges.T.copy())
    return WholeGraph(
        num_nodes=problem.num_nodes,
        ends=edges.amin(0) << 32 | edges.amax(0),
        costs=costs,
        num_attractive=int((costs > 0).sum()),
        local=costs[:0],
        largest=1,
    )


def ring(num_nodes: int) -> mc.Problem:
    """Return a cycle with one repulsive edge; its weakest edge attracts by 2."""
    nodes = np.arange(num_nodes)
    costs = np.full(num_nodes, 5.0)
    costs[0], costs[-1] = 2.0, -3.0
    return mc.Problem(np.column_stack([nodes, (nodes + 1) % num_nodes]), costs)


@settings(max_examples=40, deadline=None)
@given(small_problems(constrained=True))
def test_no_partition_costs_less(problem):
    best = optimum(problem)
    finite = problem.costs[np.isfinite(problem.costs)]
    bound = bound_of(problem)
    assert bound <= best + 1e-12 * np.abs(finite).sum()
    assert bound >= mc.lower_bound(problem, 0) - 1e-12 * np.abs(finite).sum()


def test_is_that_of_the_cycle_relaxation():
    for seed in range(2):
        problem = mc.datasets.randommp(100, seed=seed)
        relaxed = mc.solve(problem, "lp").lower_bound
        best = mc.solve(problem, "ilp").objective
        bound = bound_of(problem)
        assert relaxed - 5e-5 * abs(relaxed) <= bound <= relaxed + 1e-6 * abs(relaxed)
        assert bound <= best


def test_grows_with_the_time():
    problem = mc.datasets.randommp(1_000)
    bounds = [bound_of(problem, limit) for limit in (0, 0.05, 1.0)]
    assert bounds[0] == mc.lower_bound(problem, 0)
    assert bounds == sorted(bounds)
    assert bounds[-1] > bounds[0]
    found = bound_from_below(problem, Stop(0.05), device="cpu")
    assert found[1] == StopReason.TIME_LIMIT


def test_repeats():
    problem = mc.datasets.randommp(60, seed=2)
    assert bound_of(problem) == bound_of(problem)


@pytest.mark.parametrize("num_nodes", [3, 4, 5, 9, 90])
def test_finds_long_cycles(num_nodes):
    assert bound_of(ring(num_nodes)) == pytest.approx(-1.0, abs=1e-6)


def test_scales_with_the_costs():
    problem = random_problem(12, 0.5, seed=0)
    bound = bound_of(problem)
    for scale in (2.0**-1000, 2.0**1000):
        scaled = mc.Problem(problem.edges, problem.costs * scale, num_nodes=12)
        assert bound_of(scaled) == bound * scale
    for scale in (1e-300, 1e300):
        scaled = mc.Problem(problem.edges, problem.costs * scale, num_nodes=12)
        assert bound_of(scaled) == pytest.approx(bound * scale, rel=1e-6)


def test_constraints_count():
    # Nodes 0 and 1 must be together, 1 and 2 apart: the attraction between 0 and 2 has to be paid.
    problem = mc.Problem([[0, 1], [1, 2], [0, 2], [2, 3]], [np.inf, -np.inf, 5.0, -1.0])
    assert bound_of(problem) == pytest.approx(4.0)


def test_huge_costs_do_not_hide_small_ones():
    problem = random_problem(12, 0.5, seed=1)
    edges = np.concatenate([problem.edges, [[12, 13], [13, 14]]])
    bounds = [
        bound_of(mc.Problem(edges, [*problem.costs, size, size])) for size in (1.0, 1e12, 1e200)
    ]
    assert bounds[1:] == pytest.approx([bounds[0]] * 2)
    # Beyond their capacity in units, huge costs are worth less, but what they say still holds.
    huge = mc.Problem([[0, 1], [1, 2], [0, 2], [3, 4]], [1e30, 1e30, -1e29, 1e-9])
    assert -1e29 <= bound_of(huge) <= 0.0


@pytest.mark.parametrize(
    ("edges", "costs", "expected"),
    [
        ([], [], 0.0),
        ([[0, 1]], [2.0], 0.0),
        ([[0, 1]], [-2.0], -2.0),
        ([[0, 1], [1, 2], [0, 2]], [0.0, 1.0, -3.0], -3.0),
        ([[0, 1], [1, 2], [0, 2]], [0.0, 0.0, 0.0], 0.0),
        ([[0, 1], [1, 2], [0, 2]], [1.0, 2.0, 4.0], 0.0),
        ([[0, 1], [1, 2], [0, 2]], [1.0, 2.0, -4.0], -3.0),
        ([[0, 1], [1, 2], [2, 3], [0, 3]], [1.0, 2.0, 4.0, -4.0], -3.0),
    ],
)
def test_small_graphs(edges, costs, expected):
    problem = mc.Problem(np.reshape(edges, (-1, 2)).astype(int), costs, num_nodes=4)
    assert bound_of(problem) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_lifted_problems(seed):
    problem = random_lifted_problem(7, 0.5, 0.4, seed=seed)
    bound = bound_of(problem)
    assert mc.lower_bound(problem, 0) <= bound <= optimum(problem) + 1e-9


def test_ctrl_c_returns_the_best_bound_so_far():
    problem = mc.datasets.randommp(20_000)
    bound_of(ring(4))  # imports what it needs
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        bound = bound_of(problem)
    finally:
        timer.cancel()
    assert bound >= mc.lower_bound(problem, 0)


def test_a_callback_hears_the_bound_and_stops():
    heard = []

    def stop_soon(bound: float, seconds: float) -> bool:
        heard.append((bound, seconds))
        return len(heard) == 5

    problem = mc.datasets.randommp(500)
    bound, reason = bound_from_below(problem, Stop(), stop_soon, device="cpu")
    assert reason == StopReason.CALLBACK
    assert heard == sorted(heard)
    assert heard[-1][0] == bound > heard[0][0]


def test_solvers_that_are_told_a_gpu_take_the_bound_from_there(monkeypatch):
    problem = mc.datasets.randommp(200, seed=0)
    seen = []

    def note(*arguments, device=None):
        seen.append(device)
        return bound_from_below(*arguments)

    monkeypatch.setattr("multicut.solving.bounds.bound_from_below", note)
    monkeypatch.setattr("multicut.solving.run.Run.gpu", "cuda:1")
    assert mc.solve(problem, "gaec", bound=True).gap < 0.1
    assert seen == ["cuda:1"]


def test_arguments_are_checked():
    problem = ring(3)
    with pytest.raises(ValueError, match=r"device must be 'cpu' or 'cuda', got 'tape'"):
        mc.lower_bound(problem, device="tape")
    with pytest.raises(TypeError, match=r"num_threads=2 is for bounds without a device"):
        mc.lower_bound(problem, num_threads=2, device="cpu")


def test_a_packing_is_no_more_than_edges_hold():
    """The rounding of weights in single precision is not lost."""
    graph = graph_of(random_problem(20, 0.5, seed=4))
    rows = short_cycles.attractive_rows(graph)
    capacities = torch.randint(1, 2**32, (graph.num_edges,))
    pool = CyclePool(capacities)
    caps = short_cycles.caps_of(graph)
    pool.add(short_cycles.find_triangles(graph, rows, caps))
    pool.add(short_cycles.find_squares(graph, rows, caps, capacities))
    for group in pool.groups.values():
        group.weights = torch.rand(len(group.weights))
    packing = pool.pack(2)
    loads = torch.zeros(graph.num_edges + 1, dtype=torch.int64)
    for group, weights in zip(pool.groups.values(), packing.weights, strict=True):
        assert (weights >= 0).all()
        for edges in group.edges:
            loads.index_add_(0, edges, weights)
    assert (loads[:-1] <= capacities).all()
    assert packing.total == sum(int(weights.sum()) for weights in packing.weights) > 0


def found_in(graph: WholeGraph, prices: torch.Tensor, hops: int) -> Found:
    parts = list(find_cheap_cycles(graph, short_cycles.attractive_rows(graph), prices, hops))
    cycles = torch.cat([part.cycles for part in parts], dim=1)
    return Found(cycles, all(part.is_complete for part in parts))


def cheapest_path(problem: mc.Problem, prices: np.ndarray, start: int, end: int) -> float:
    """The price of the cheapest path of attractive edges, each of which costs 0.01 more."""
    distance = {start: 0.0}
    queue = [(0.0, start)]
    while queue:
        d, node = heapq.heappop(queue)
        if node == end:
            return d
        for (u, v), cost, price in zip(problem.edges.tolist(), problem.costs, prices, strict=True):
            if cost > 0 and node in (u, v):
                other = v if node == u else u
                longer = d + price + 0.01
                if longer < distance.get(other, np.inf):
                    distance[other] = longer
                    heapq.heappush(queue, (longer, other))
    return np.inf


@pytest.mark.parametrize("most_places", [2**22, 300, 20])
def test_cheap_cycles_are_the_cheapest(monkeypatch, most_places):
    monkeypatch.setattr(cheap_cycles, "_MOST_PLACES", {"cpu": most_places})
    problem = random_problem(20, 0.2, seed=5)
    graph = graph_of(problem)
    prices = np.random.default_rng(0).choice([0.0, 0.05, 0.2, 0.3], problem.num_edges)
    padded = torch.from_numpy(np.append(prices, 0.0)).float()
    found = found_in(graph, padded, 10)
    owners, cycles = found.cycles[0].tolist(), found.cycles.T.tolist()
    assert len(set(owners)) == len(owners)
    expected = {}
    for edge in np.flatnonzero(problem.costs < 0):
        path = cheapest_path(problem, prices, *problem.edges[edge])
        if path < 1 - 0.02 - prices[edge]:
            expected[int(edge)] = path
    assert found.is_complete == (most_places > 20)
    if found.is_complete:
        assert set(owners) == set(expected)
    for owner, cycle in zip(owners, cycles, strict=True):
        path = [edge for edge in cycle[1:] if edge < problem.num_edges]
        price = sum(prices[edge] + 0.01 for edge in path)
        assert price >= expected[owner] - 1e-5
        assert price <= expected[owner] + 1e-5 or not found.is_complete
        assert (problem.costs[path] > 0).all()
        # All nodes have two edges.
        ends = np.bincount(problem.edges[[owner, *path]].ravel(), minlength=20)
        assert set(ends.tolist()) == {0, 2}


def test_few_hops_find_short_cycles_only():
    problem = ring(8)
    graph = graph_of(problem)
    for hops, number in ((3, 0), (4, 1)):
        found = found_in(graph, torch.zeros(9), hops)
        assert found.cycles.shape[1] == number
        assert not found.is_complete
    assert found_in(graph, torch.zeros(9), 8).is_complete


def test_longer_rows_than_are_looked_at_still_give_a_bound(monkeypatch):
    monkeypatch.setattr(cheap_cycles, "_MOST_OF_ROW", 2)
    monkeypatch.setattr(short_cycles, "MOST_IN_TRIANGLES", 2)
    monkeypatch.setattr(short_cycles, "MOST_IN_SQUARES", 2)
    problem = random_problem(8, 1.0, seed=0)
    assert mc.lower_bound(problem, 0) < bound_of(problem) <= optimum(problem) + 1e-9


def test_sums_are_rounded_down():
    packing = PackingBound(torch.tensor([[0], [1]]), torch.tensor([-1.0], dtype=torch.float64), 2)
    for total in (2**70 + 1, 2**70 - 1, 2**90 - 1):
        packing._total = total
        exact = total * Fraction(2) ** packing._exponent - 1
        assert exact * (1 - Fraction(1, 2**50)) <= Fraction(packing.bound) <= exact


@pytest.mark.parametrize("costs", [[-0.1] * 10, [-1e200, -1.0, -1e-200], [-3.0, -1e-9, -1e9]])
def test_the_sum_of_repulsive_costs_is_rounded_down(costs):
    num_edges = len(costs)
    edges = torch.stack([torch.zeros(num_edges, dtype=torch.int64), torch.arange(num_edges) + 1])
    bound = PackingBound(edges, torch.tensor(costs, dtype=torch.float64), num_edges + 1).bound
    exact = sum(map(Fraction, costs))
    assert exact * (1 + Fraction(1, 2**50)) <= Fraction(bound) <= exact
