from __future__ import annotations

import numpy as np
import pytest

from multicut.benchmark import CONTESTS, EdgeArrays, InstanceSet, plan_runs, run_benchmark
from multicut.benchmark.contests import Contender, peer_is_installed
from multicut.benchmark.instances import TINY as TRIANGLE
from multicut.benchmark.measure import measure
from multicut.benchmark.memory import peak_memory

needs_peer = pytest.mark.skipif(not peer_is_installed(), reason="bioimage-cpp is not installed")


def triangle_set() -> InstanceSet:
    return InstanceSet("triangle", lambda: [TRIANGLE, TRIANGLE])


def test_objective_counts_cut_edges():
    assert TRIANGLE.objective(np.array([0, 1, 1])) == -3
    assert TRIANGLE.objective(np.array([0, 0, 0])) == 0


def test_contenders_take_turns_and_the_best_repetition_counts():
    calls = []

    def contender(name):
        def solve(built):
            calls.append(name)
            return np.zeros(built.num_nodes, dtype=np.int64)

        return Contender(lambda arrays: arrays, lambda prepared: prepared, solve)

    one, other = measure([contender("a"), contender("b")], TRIANGLE, budget=60, max_repeats=3)
    assert calls == ["a", "b", "b", "a", "a", "b"]
    assert one.objective == other.objective == 0
    assert one.num_clusters == 1


def test_budget_ends_repetitions():
    calls = []
    contender = Contender(
        lambda a: a, lambda p: p, lambda b: (calls.append(0), np.zeros(b.num_nodes, dtype=int))[1]
    )
    measure([contender], TRIANGLE, budget=-1, max_repeats=5)
    assert len(calls) == 1


def test_row_without_peer():
    (row,) = run_benchmark(plan_runs([triangle_set()], ["gaec"]), with_peer=False, budget=0)
    assert (row.num_graphs, row.num_nodes, row.num_edges) == (2, 6, 6)
    assert row.ours.objective == -6
    assert row.ours.num_clusters == 4
    assert row.peer is row.speedup is row.ratio is None


@needs_peer
@pytest.mark.parametrize("name", CONTESTS)
def test_peer_solves_the_same_problem(name):
    contender = CONTESTS[name].peer()
    labels = contender.solve(contender.build(contender.prepare(TRIANGLE)))
    assert TRIANGLE.objective(labels) == -3


@needs_peer
def test_row_with_peer():
    (row,) = run_benchmark(plan_runs([triangle_set()], ["gaec"]), budget=0)
    assert row.peer.objective == -6
    assert row.ratio == 1
    assert row.speedup > 0
    assert (row.num_better, row.num_worse) == (0, 0)


def test_peak_memory_grows_with_what_is_needed():
    rng = np.random.default_rng(0)
    num_nodes, num_edges = 50_000, 200_000
    edges = rng.integers(0, num_nodes, (num_edges, 2))
    needed = peak_memory("gaec", "ours", EdgeArrays(num_nodes, edges, rng.normal(size=num_edges)))
    assert 8 * num_edges < needed < 1000 * num_edges


def test_sets_for_one_contest_only():
    small = InstanceSet("small", lambda: [TRIANGLE], contests=("fusion",))
    assert plan_runs([small], ["gaec"]) == []
