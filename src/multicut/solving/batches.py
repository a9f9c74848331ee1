"""Many problems for one solver: in threads, in tasks of the native core, or in one pass."""

from __future__ import annotations

import threading
import time
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import TYPE_CHECKING

from multicut import _core
from multicut.interrupts import obeying_interrupts
from multicut.problem import check_problem
from multicut.solvers import check_lifted
from multicut.solvers.protocol import Outcome
from multicut.solving.bounds import with_bound
from multicut.solving.fallbacks import no_worse_than_trivial
from multicut.solving.run import Run, result_of, solve_one
from multicut.stop import Stop, StopReason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from multicut.problem import Problem
    from multicut.result import Result


def solve_each(
    problems: Iterable[Problem], run: Run, *, num_workers: int, bound: bool
) -> list[Result]:
    """Solve problems one by one, in several threads of Python."""
    interrupted = threading.Event()
    run = replace(run, stop=Stop(run.stop.time_limit, lambda _: interrupted.is_set()))

    def solve_next(problem: Problem) -> Result:
        _check(problem, run)
        result = solve_one(problem, run, bound=bound)
        reason = result.stopped_by
        if reason == StopReason.CALLBACK:
            reason = StopReason.INTERRUPT
        # Many problems would take much memory if their results kept them.
        return replace(result, stopped_by=reason, problem=None)

    with obeying_interrupts(interrupted), ThreadPoolExecutor(num_workers) as pool:
        # Problems may be made as they are asked for, while the first ones are solved.
        futures = [pool.submit(solve_next, problem) for problem in problems]
        try:
            # Python sees Ctrl-C only between waits, if another thread gets the signal.
            while wait(futures, timeout=0.1, return_when=FIRST_EXCEPTION).not_done:
                if any(future.done() and future.exception() for future in futures):
                    break
        except KeyboardInterrupt:
            pass
        if not all(future.done() for future in futures):
            interrupted.set()
        return [future.result() for future in futures]


def solve_side_by_side(problems: Iterable[Problem], run: Run, *, num_workers: int) -> list[Result]:
    """Solve problems by tasks of the native core, without Python in between."""
    problems, seconds = _listed(problems, run), run.stop.seconds
    interrupted = threading.Event()
    with obeying_interrupts(interrupted):
        tasks = [run.record.task_for(each, run.options, seconds, run.seed) for each in problems]
        solutions = _core.run_all(
            tasks,
            num_threads=num_workers,
            time_limit=seconds,
            callback=lambda *_: interrupted.is_set(),
        )
        results = [
            result_of(problem, run, Outcome.of_native(solution), solution.seconds)
            for problem, solution in zip(problems, solutions, strict=True)
        ]
    # Ctrl-C must not be lost, even if it came when all were done.
    if interrupted.is_set() and all(r.stopped_by != StopReason.INTERRUPT for r in results):
        results[-1:] = [replace(r, stopped_by=StopReason.INTERRUPT) for r in results[-1:]]
    return results


def solve_together(problems: Iterable[Problem], run: Run, *, bound: bool) -> list[Result]:
    """Solve problems by a solver that takes many of them in one pass."""
    problems = _listed(problems, run)
    start = time.perf_counter()
    assert run.record.run_batch is not None
    found = run.record.run_batch(problems, run.options, run.stop, run.seed)
    outcomes = [
        no_worse_than_trivial(problem, outcome, start)
        for problem, outcome in zip(problems, found, strict=True)
    ]
    if bound:
        outcomes = _with_bounds(problems, outcomes, run)
    share = (time.perf_counter() - start) / max(len(problems), 1)
    return [
        result_of(problem, run, outcome, share)
        for problem, outcome in zip(problems, outcomes, strict=True)
    ]


def _with_bounds(problems: list[Problem], outcomes: list[Outcome], run: Run) -> list[Outcome]:
    bounded = []
    is_interrupted = False
    for problem, outcome in zip(problems, outcomes, strict=True):
        if is_interrupted:  # Ctrl-C is meant for all bounds, not for one
            outcome = replace(outcome, stopped_by=StopReason.INTERRUPT)
        bounded.append(with_bound(problem, outcome, run.stop, 0.0, run.num_threads, run.gpu))
        is_interrupted |= bounded[-1].stopped_by is StopReason.INTERRUPT
    return bounded


def _listed(problems: Iterable[Problem], run: Run) -> list[Problem]:
    """Return all problems, checked."""
    listed = list(problems)
    for problem in listed:
        _check(problem, run)
    return listed


def _check(problem: Problem, run: Run) -> None:
    check_problem(problem)
    check_lifted(problem, run.record)
