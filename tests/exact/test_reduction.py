from __future__ import annotations

import signal
import threading

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

import multicut as mc
from multicut import _core
from tests.problems import optimum, random_problem, small_problems


@settings(max_examples=300, deadline=None)
@given(small_problems(constrained=True))
def test_the_optimum_stays(problem):
    reduction = mc.reduce(problem)
    assert reduction.problem.num_nodes <= problem.num_nodes
    best = mc.solve(reduction.problem, "ilp")
    assert best.optimal
    found = mc.objective(problem, reduction.lift(best.labels))
    scale = np.abs(problem.costs[np.isfinite(problem.costs)]).sum()
    assert found == pytest.approx(optimum(problem), abs=1e-9 * scale)


def test_objectives_differ_by_a_constant():
    for seed in range(20):
        problem = random_problem(12, 0.3, seed)
        reduction = mc.reduce(problem)
        rng = np.random.default_rng(seed)
        attractive = reduction.problem.costs > 0
        differences = set()
        for _ in range(5):
            cut = np.where(attractive, rng.random(len(attractive)) < 0.5, True)
            labels = _core.connected_components(reduction.problem.graph, cut)
            lifted = mc.objective(problem, reduction.lift(labels))
            differences.add(round(lifted - mc.objective(reduction.problem, labels), 9))
        assert len(differences) == 1


def test_sure_joins_and_cuts():
    # The first edge outweighs the rest of node 0; no attraction leads to node 3.
    problem = mc.Problem([[0, 1], [0, 2], [1, 2], [2, 3]], [5.0, -1.5, 1.0, -2.0])
    reduction = mc.reduce(problem)
    assert reduction.node_of_input[0] == reduction.node_of_input[1]
    assert reduction.problem.num_edges == 0
    assert reduction.lift(mc.solve(reduction.problem).labels).tolist() == [0, 0, 1, 2]


def test_constrained_problems_come_back_as_they_are():
    problem = mc.Problem([[0, 1], [1, 2]], [np.inf, 1.0])
    assert mc.reduce(problem).problem is problem


def test_ctrl_c_is_raised():
    problem = mc.datasets.randommp(100_000)
    timer = threading.Timer(0.1, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            mc.reduce(problem)
    finally:
        timer.cancel()


def test_lift_checks_its_argument():
    reduction = mc.reduce(random_problem(10, 0.5, seed=0))
    with pytest.raises(ValueError, match="one label per node"):
        reduction.lift([0])


def test_blocks_are_those_of_networkx():
    for seed in range(40):
        graph = nx.gnp_random_graph(20, 0.12, seed=seed)
        if graph.number_of_edges() == 0:
            continue
        edges = np.array(graph.edges)
        problem = mc.Problem(edges, np.ones(len(edges)), num_nodes=20)
        block = _core.blocks(problem.graph)
        found = {frozenset(map(tuple, edges[block == b].tolist())) for b in set(block.tolist())}
        expected = {
            frozenset(tuple(sorted(edge)) for edge in component)
            for component in nx.biconnected_component_edges(graph)
        }
        assert {frozenset(tuple(sorted(e)) for e in part) for part in found} == expected
