"""Solvers of the native core, one by one and side by side."""

from __future__ import annotations

import gc
import sys
import time

import numpy as np
import pytest

import multicut as mc
from multicut import _core
from multicut.solvers import fusion
from tests.problems import random_problem


def gaec_of(problem: mc.Problem) -> _core.Task:
    return _core.gaec(problem.graph, problem.costs)


def endless(problem: mc.Problem) -> _core.Task:
    options = fusion.FusionOptions(max_proposals=10**6, patience=10**6, num_threads=1)
    return fusion.search_task(problem, options, 0, reduces=False)


@pytest.mark.parametrize("num_threads", [1, 3, 100])
def test_tasks_side_by_side_find_what_each_finds_alone(num_threads):
    problems = [random_problem(25, 0.4, seed) for seed in range(20)]
    together = _core.run_all([gaec_of(problem) for problem in problems], num_threads=num_threads)
    for problem, solution in zip(problems, together, strict=True):
        alone = gaec_of(problem).run()
        assert np.array_equal(solution.labels, alone.labels)
        assert solution.objective == alone.objective
        assert solution.stopped_by == "converged"
        assert solution.seconds >= solution.trace[-1, 0] >= 0


def test_constraints_hold_side_by_side():
    costs = [np.inf, 1.0, -np.inf]
    problem = mc.Problem([[0, 1], [1, 2], [0, 2]], costs, num_nodes=3)
    (solution,) = _core.run_all([gaec_of(problem)], num_threads=2)
    assert list(solution.labels) == [0, 0, 1]


def test_a_task_keeps_graph_and_costs_alive():
    problem = random_problem(200, 0.3, seed=1)
    counts = [sys.getrefcount(each) for each in (problem.graph, problem.costs)]
    task = gaec_of(problem)
    with_task = [sys.getrefcount(each) for each in (problem.graph, problem.costs)]
    assert all(after > before for before, after in zip(counts, with_task, strict=True))
    expected = task.run().objective
    del problem
    gc.collect()
    assert task.run().objective == expected


def test_tasks_may_come_from_anything_that_can_be_iterated():
    problems = [random_problem(25, 0.4, seed) for seed in range(5)]
    assert len(_core.run_all((gaec_of(problem) for problem in problems), num_threads=2)) == 5
    assert _core.run_all([], num_threads=1) == []


def test_the_time_of_all_together_is_limited():
    problems = [mc.datasets.randommp(2_000, seed=seed) for seed in range(8)]
    tasks = [endless(problem) for problem in problems]
    start = time.perf_counter()
    solutions = _core.run_all(tasks, num_threads=1, total_time_limit=0.5)
    assert time.perf_counter() - start < 10  # each of them alone would go on for hours
    assert {solution.stopped_by for solution in solutions} == {"time_limit"}
    assert solutions[0].objective < 0


def test_a_callback_ends_all_of_them():
    tasks = [endless(mc.datasets.randommp(2_000, seed=seed)) for seed in range(4)]
    heard = []

    def enough(objective: float, seconds: float) -> bool:
        heard.append((objective, seconds))
        return len(heard) >= 3

    solutions = _core.run_all(tasks, num_threads=2, callback=enough, time_limit=60)
    assert {solution.stopped_by for solution in solutions} == {"interrupt"}
    assert len(heard) >= 3
    assert all(np.isnan(objective) for objective, _ in heard)


def test_what_a_callback_raises_comes_back():
    def refuse(_objective: float, _seconds: float) -> bool:
        raise RuntimeError("the caller's own")

    with pytest.raises(RuntimeError, match="the caller's own"):
        _core.run_all(
            [endless(mc.datasets.randommp(2_000))], num_threads=1, callback=refuse, time_limit=60
        )


@pytest.mark.parametrize("num_threads", [0, -1])
def test_there_is_at_least_one_thread(num_threads):
    with pytest.raises(ValueError, match=f"num_threads must be at least 1, got {num_threads}"):
        _core.run_all([gaec_of(random_problem(5, 0.5, seed=0))], num_threads=num_threads)


def test_only_tasks_can_be_run():
    with pytest.raises(TypeError, match="tasks must be Task objects"):
        _core.run_all([None], num_threads=1)


def test_an_interrupt_marks_who_was_stopped_by_it():
    small, large = random_problem(5, 0.5, seed=0), mc.datasets.randommp(2_000)
    calls = iter(range(1000))
    solutions = _core.run_all(
        [endless(large), gaec_of(small)],
        num_threads=2,
        callback=lambda *_: next(calls) >= 5,
        time_limit=60,
    )
    assert [solution.stopped_by for solution in solutions] == ["interrupt", "converged"]


@pytest.mark.parametrize("num_threads", [1, 3])
def test_reductions_side_by_side_are_what_each_is_alone(num_threads):
    problems = [mc.datasets.randommp(seed=seed) for seed in range(6)]
    together = _core.reduce_all(
        [problem.graph for problem in problems],
        [problem.costs for problem in problems],
        num_threads=num_threads,
    )
    for problem, reduced in zip(problems, together, strict=True):
        alone = mc.reduce(problem)
        assert reduced.graph.num_nodes == alone.problem.num_nodes < problem.num_nodes
        assert np.array_equal(reduced.node_of_input, alone.node_of_input)
        assert np.array_equal(reduced.costs, alone.problem.costs)
        assert reduced.offset == alone.offset
        assert reduced.stopped_by == "converged"
        assert reduced.seconds >= 0


def test_reductions_that_are_not_begun_leave_problems_as_they_are():
    problems = [mc.datasets.randommp(seed=seed) for seed in range(6)]
    graphs = [problem.graph for problem in problems]
    costs = [problem.costs for problem in problems]
    late = _core.reduce_all(graphs, costs, num_threads=2, total_time_limit=0)
    unwanted = _core.reduce_all(graphs, costs, num_threads=2, callback=lambda *_: True)
    assert {reduced.stopped_by for reduced in late} == {"time_limit"}
    assert {reduced.stopped_by for reduced in unwanted} == {"interrupt"}
    for problem, *both in zip(problems, late, unwanted, strict=True):
        assert {reduced.graph.num_nodes for reduced in both} == {problem.num_nodes}


def test_reductions_need_costs_for_each_graph():
    problem = random_problem(5, 0.5, seed=0)
    with pytest.raises(ValueError, match="graphs and costs must be as many, got 1 and 0"):
        _core.reduce_all([problem.graph], [], num_threads=1)


def test_reductions_keep_alive_what_they_work_on():
    """A sequence that makes graphs as it is asked for them, and a callback that clears it."""

    class Graphs:
        def __len__(self) -> int:
            return 5

        def __getitem__(self, index: int) -> _core.Graph:
            if index >= 5:
                raise IndexError
            return mc.datasets.randommp(seed=index).graph

    costs = [mc.datasets.randommp(seed=seed).costs for seed in range(5)]
    sizes = [mc.reduce(mc.datasets.randommp(seed=seed)).problem.num_nodes for seed in range(5)]
    found = _core.reduce_all(Graphs(), costs, num_threads=2)
    assert [reduced.graph.num_nodes for reduced in found] == sizes
    graphs = list(Graphs())
    found = _core.reduce_all(graphs, costs, num_threads=1, callback=lambda *_: graphs.clear())
    assert [reduced.graph.num_nodes for reduced in found] == sizes


def test_what_a_callback_of_a_reduction_raises_comes_back():
    problem = mc.datasets.randommp()

    def refuse(_objective: float, _seconds: float) -> bool:
        raise RuntimeError("the caller's own")

    with pytest.raises(RuntimeError, match="the caller's own"):
        _core.reduce_all([problem.graph], [problem.costs], num_threads=1, callback=refuse)
    with pytest.raises(ValueError, match="num_threads must be at least 1, got 0"):
        _core.reduce_all([problem.graph], [problem.costs], num_threads=0)
    with pytest.raises(TypeError, match="graphs must be Graph objects"):
        _core.reduce_all([None], [problem.costs], num_threads=1)
