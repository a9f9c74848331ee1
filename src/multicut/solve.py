"""One call from a problem to its result."""

from __future__ import annotations

import operator
import os
import threading
import time
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from multicut import _core
from multicut._arrays import frozen
from multicut._checks import check_integer
from multicut.bound import bound_from_below
from multicut.interrupts import obeying_interrupts
from multicut.problem import Problem, check_problem
from multicut.proof import certify
from multicut.result import Result
from multicut.solvers import get_solver
from multicut.solvers.protocol import Outcome
from multicut.stop import Callback, Progress, Stop

if TYPE_CHECKING:
    from collections.abc import Iterable

    from multicut.solvers.protocol import SolverRecord

# Of a time limit, what the solver gets where a bound is wanted, too.
_SHARE_OF_SOLVER = 2 / 3


def solve(
    problem: Problem,
    solver: str = "auto",
    time_limit: float | None = None,
    seed: SupportsIndex = 0,
    callback: Callback | None = None,
    *,
    bound: bool = False,
    **options: Any,
) -> Result:
    """Find a partition that makes the cost of the cut edges small.

    Parameters
    ----------
    problem
        The graph and its costs.
    solver
        A name from :func:`multicut.list_solvers`.
    time_limit
        Seconds after which the solver returns the best solution it has.
    seed
        Seeds the solvers that draw random numbers. Same seed, same labels.
    callback
        Called with the :class:`multicut.Progress` so far while the solver runs; a true return value
        stops it. So does Ctrl-C: either way the best solution so far comes back.
    bound
        Whether to compute a lower bound, too, as :func:`multicut.lower_bound` does, where the
        solver has none of its own. Of a time limit, the solver then gets two thirds.
    **options
        Options of the chosen solver; :func:`multicut.list_solvers` names them.
    """
    check_problem(problem)
    start = time.perf_counter()
    stop = Stop(time_limit, callback)
    seed = _as_seed(seed)
    record = get_solver(solver)
    parsed = record.parse_options(options)
    if bound and "lower_bound" not in record.returns:
        outcome = _run_and_bound(record, problem, parsed, stop, seed)
    else:
        outcome = record.run(problem, parsed, stop, seed)
    outcome = _no_worse_than_trivial(problem, outcome, start)
    return _result(problem, record, outcome, seed, time.perf_counter() - start)


def _no_worse_than_trivial(problem: Problem, outcome: Outcome, start: float) -> Outcome:
    """Return the outcome, or a partition that needs no search, if that costs less."""
    if outcome.is_sound:
        return outcome
    trivial = Outcome.without_search(problem)
    if trivial.objective >= outcome.objective:
        return outcome
    last = [[time.perf_counter() - start, trivial.objective]]
    bound = outcome.lower_bound
    return replace(
        outcome,
        labels=trivial.labels,
        cut=trivial.cut,
        objective=trivial.objective,
        lower_bound=None if bound is None else certify(problem, trivial.objective, bound),
        num_clusters=trivial.num_clusters,
        trace=np.concatenate([outcome.trace, last]),
    )


def _run_and_bound(
    record: SolverRecord, problem: Problem, options: Any, stop: Stop, seed: int
) -> Outcome:
    """Run a solver, then compute a lower bound in the time that is left."""
    start = time.perf_counter()
    shorter = Stop(_SHARE_OF_SOLVER * stop.seconds, stop.callback)
    outcome = record.run(problem, options, shorter, seed)
    return _with_bound(problem, outcome, stop, time.perf_counter() - start)


def _with_bound(problem: Problem, outcome: Outcome, stop: Stop, spent: float) -> Outcome:
    """Add a lower bound, unless there is one; of the time there is, some is `spent`."""
    if outcome.lower_bound is not None:
        return outcome
    start = time.perf_counter()
    callback = stop.callback

    def report(lower_bound: float, elapsed: float) -> Any:
        assert callback is not None
        return callback(Progress(outcome.objective, spent + elapsed, lower_bound))

    # Who has told the solver to stop does not want to wait: the bound that takes no time will do.
    is_stopped = outcome.stopped_by in ("callback", "interrupt")
    found, stopped_by = bound_from_below(
        problem,
        Stop(0.0 if is_stopped else max(stop.seconds - spent, 0.0)),
        None if is_stopped or callback is None else report,
    )
    return replace(
        outcome,
        lower_bound=certify(problem, outcome.objective, found),
        stopped_by=outcome.stopped_by if is_stopped or stopped_by == "converged" else stopped_by,
        details={**outcome.details, "bound_seconds": time.perf_counter() - start},
    )


def solve_batch(
    problems: Iterable[Problem],
    solver: str = "auto",
    time_limit: float | None = None,
    seed: SupportsIndex = 0,
    num_workers: int | None = None,
    *,
    bound: bool = False,
    **options: Any,
) -> list[Result]:
    """Solve many problems at once, each as :func:`solve` would.

    After Ctrl-C the best solutions so far come back, for problems not yet begun the trivial ones,
    marked ``stopped_by="interrupt"``.

    Solvers with a network (``gnn``, ``learned``) take many problems in one pass; then `time_limit`
    is per pass, and `runtime` each problem's share.

    Parameters
    ----------
    problems
        The problems; the results come in the same order.
    solver
        A name from :func:`multicut.list_solvers`.
    time_limit
        Seconds for each problem.
    seed
        The seed for each problem.
    num_workers
        Problems solved side by side, by default one per processor; it does not change any result.
        Networks compute as they like; the option `num_threads` of ``learned`` takes precedence.
    bound
        Whether to compute lower bounds, too.
    **options
        Options of the chosen solver.
    """
    if isinstance(problems, Problem):
        raise TypeError("problems must be a list of problems, got one; use solve for it")
    if "callback" in options:
        raise TypeError("solve_batch takes no callback; use solve for each problem")
    workers = check_integer(1, num_workers=os.cpu_count() if num_workers is None else num_workers)
    record = get_solver(solver)
    together = record.run_batch is not None
    if "num_threads" in record.option_defaults:
        options.setdefault("num_threads", workers if together else 1)
    if together:
        return _solve_together(list(problems), record, time_limit, seed, options, bound=bound)
    if record.task is not None and not bound:
        return _solve_side_by_side(list(problems), record, time_limit, seed, options, workers)
    interrupted = threading.Event()

    def solve_one(problem: Problem) -> Result:
        result = solve(
            problem,
            solver,
            time_limit,
            seed,
            lambda _: interrupted.is_set(),
            bound=bound,
            **options,
        )
        if result.stopped_by == "callback":
            return replace(result, stopped_by="interrupt")
        return result

    with obeying_interrupts(interrupted), ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(solve_one, problem) for problem in problems]
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


def _solve_side_by_side(
    problems: list[Problem],
    record: SolverRecord,
    time_limit: float | None,
    seed: SupportsIndex,
    options: dict[str, Any],
    num_workers: int,
) -> list[Result]:
    for problem in problems:
        check_problem(problem)
    seed = _as_seed(seed)
    seconds = Stop(time_limit).seconds
    parsed = record.parse_options(options)
    assert record.task is not None
    interrupted = threading.Event()
    with obeying_interrupts(interrupted):
        tasks = [record.task(problem, parsed, seconds, seed) for problem in problems]
        solutions = _core.run_all(
            tasks,
            num_threads=num_workers,
            time_limit=seconds,
            callback=lambda *_: interrupted.is_set(),
        )
        results = [
            _result(problem, record, Outcome.of_native(solution), seed, solution.seconds)
            for problem, solution in zip(problems, solutions, strict=True)
        ]
    # Ctrl-C must not be lost, even if it came when all were done.
    if interrupted.is_set() and all(result.stopped_by != "interrupt" for result in results):
        results[-1:] = [replace(result, stopped_by="interrupt") for result in results[-1:]]
    return results


def _solve_together(
    problems: list[Problem],
    record: SolverRecord,
    time_limit: float | None,
    seed: SupportsIndex,
    options: dict[str, Any],
    *,
    bound: bool,
) -> list[Result]:
    for problem in problems:
        check_problem(problem)
    start = time.perf_counter()
    seed = _as_seed(seed)
    stop = Stop(time_limit)
    assert record.run_batch is not None
    outcomes = [
        _no_worse_than_trivial(problem, outcome, start)
        for problem, outcome in zip(
            problems,
            record.run_batch(problems, record.parse_options(options), stop, seed),
            strict=True,
        )
    ]
    if bound:
        stopped_by = None
        for i, (problem, outcome) in enumerate(zip(problems, outcomes, strict=True)):
            known = outcome if stopped_by is None else replace(outcome, stopped_by=stopped_by)
            outcomes[i] = _with_bound(problem, known, stop, 0.0)
            if outcomes[i].stopped_by == "interrupt":
                stopped_by = "interrupt"  # who has pressed Ctrl-C does not mean one bound alone
    share = (time.perf_counter() - start) / max(len(problems), 1)
    return [
        _result(problem, record, outcome, seed, share)
        for problem, outcome in zip(problems, outcomes, strict=True)
    ]


def _result(
    problem: Problem, record: SolverRecord, outcome: Outcome, seed: int, runtime: float
) -> Result:
    return Result(
        labels=frozen(outcome.labels),
        cut=frozen(outcome.cut),
        objective=outcome.objective,
        lower_bound=outcome.lower_bound,
        num_clusters=outcome.num_clusters,
        trace=frozen(outcome.trace),
        solver=outcome.solver or record.name,
        seed=seed,
        stopped_by=outcome.stopped_by,
        node_ids=problem.node_ids,
        details=outcome.details,
        runtime=runtime,
    )


def _as_seed(seed: SupportsIndex) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int | SupportsIndex):
        raise TypeError(f"seed must be an integer, got {seed!r}")
    value = operator.index(seed)
    if not 0 <= value < 2**64:
        raise ValueError(f"seed must be at least 0 and below 2^64, got {value}")
    return value
