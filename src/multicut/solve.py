"""One call from a problem to its result."""

from __future__ import annotations

import math
import sys
import threading
import time
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeGuard, cast, overload

import numpy as np

from multicut import _core
from multicut._arrays import BoolArray, frozen
from multicut._checks import check_seed
from multicut._threads import available_processors, check_threads
from multicut.bound import bound_from_below
from multicut.interrupts import obeying_interrupts
from multicut.partition import (
    as_labels,
    cut_of_labels,
    labels_of_cut,
    lifted_cut_of,
    objective,
)
from multicut.problem import Problem, check_problem
from multicut.proof import certify
from multicut.result import Result
from multicut.solvers import check_lifted, get_solver, list_solvers
from multicut.solvers.protocol import Outcome, check_labels
from multicut.stop import Callback, Progress, Stop, StopReason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from multicut._arrays import IntArray
    from multicut.nn.batch import GraphBatch
    from multicut.nn.device_result import DeviceResult
    from multicut.solvers.protocol import SolverRecord

# Of a time limit, what the solver gets where a bound is wanted, too.
_SHARE_OF_SOLVER = 2 / 3
_NO_CUT: BoolArray = frozen(np.zeros(0, dtype=np.bool_))


@overload
def solve(
    problem: Problem,
    solver: str = "auto",
    time_limit: float | None = None,
    seed: SupportsIndex = 0,
    callback: Callback | None = None,
    *,
    initial: ArrayLike | None = None,
    bound: bool = False,
    **options: Any,
) -> Result: ...


@overload
def solve(
    problem: GraphBatch,
    solver: str = "auto",
    time_limit: float | None = None,
    seed: SupportsIndex = 0,
    **options: Any,
) -> DeviceResult: ...


def solve(
    problem: Problem | GraphBatch,
    solver: str = "auto",
    time_limit: float | None = None,
    seed: SupportsIndex = 0,
    callback: Callback | None = None,
    *,
    initial: ArrayLike | None = None,
    bound: bool = False,
    **options: Any,
) -> Result | DeviceResult:
    """Find a partition that makes the cost of the cut edges small.

    Parameters
    ----------
    problem
        The graph and its costs. Or a :class:`multicut.nn.GraphBatch` with one graph that is on a
        device, for the solver ``learned``; then labels stay there, in a
        :class:`multicut.nn.DeviceResult`.
    solver
        A name from :func:`multicut.list_solvers`.
    time_limit
        Seconds after which the solver returns the best solution it has.
    seed
        Seeds the solvers that draw random numbers. Same seed, same labels.
    callback
        Called with the :class:`multicut.Progress` so far while the solver runs; a true return value
        stops it. So does Ctrl-C: either way the best solution so far comes back.
    initial
        Labels to start from, one integer per node: a warm start. The result is never worse. Solvers
        that contract greedily contract these clusters first; all others improve them. ``gnn``
        and the solvers of agglomeration cannot start from labels.
    bound
        Whether to compute a lower bound, too, as :func:`multicut.lower_bound` does, where the
        solver has none of its own. Of a time limit, the solver then gets two thirds. If the option
        `device` of the solver names a GPU, the bound is computed there.
    **options
        Options of the chosen solver; :func:`multicut.list_solvers` names them.
    """
    if _is_on_device(problem):
        if problem.num_graphs != 1:
            raise ValueError(
                f"problem must be one graph, got a batch of {problem.num_graphs}; "
                "use mc.solve_batch for it"
            )
        options |= {"callback": callback, "initial": initial, "bound": bound or None}
        return _solve_on_device(problem, solver, Stop(time_limit), seed, options)
    check_problem(problem)
    problem = cast(Problem, problem)
    record = get_solver(solver)
    if initial is not None:
        options["initial"] = _check_initial(problem, record, initial)
    parsed = record.parse_options(options)
    check_lifted(problem, record)
    stop = Stop(time_limit, callback)
    return _solve_one(problem, record, parsed, stop, check_seed(seed), bound, _threads_of(parsed))


def _is_on_device(value: object) -> TypeGuard[GraphBatch]:
    """Whether a value is a batch of graphs on a device; torch is imported for it by then."""
    module = sys.modules.get("multicut.nn.batch")
    return module is not None and isinstance(value, module.GraphBatch)


def _solve_on_device(
    batch: GraphBatch, solver: str, stop: Stop, seed: SupportsIndex, options: dict[str, Any]
) -> DeviceResult:
    """Let a solver work where the graphs are."""
    record = get_solver(solver)
    if record.run_on_device is None:
        able = ", ".join(one.name for one in list_solvers() if one.run_on_device is not None)
        raise TypeError(f"solver {solver!r} takes a Problem, got a GraphBatch; use {able}")
    for name in ("bound", "callback", "initial", "num_workers"):
        if options.pop(name, None) is not None:
            raise TypeError(f"{name} is for problems of the host; leave it out for a GraphBatch")
    return record.run_on_device(batch, record.parse_options(options), stop, check_seed(seed))


def _solve_one(
    problem: Problem,
    record: SolverRecord,
    options: Any,
    stop: Stop,
    seed: int,
    bound: bool,
    num_threads: int | None,
) -> Result:
    """Run a solver and, if it is wanted, compute a lower bound with so many threads."""
    start = time.perf_counter()
    if bound and "lower_bound" not in record.returns:
        outcome = _run_and_bound(record, problem, options, stop, seed, num_threads)
    else:
        outcome = record.run(problem, options, stop, seed)
    outcome = _no_worse_than_trivial(problem, outcome, start)
    initial = check_labels(problem, getattr(options, "initial", None))
    if initial is not None:
        outcome = _no_worse_than_initial(problem, outcome, initial, start)
    runtime = time.perf_counter() - start
    return _result(problem, record, outcome, seed, runtime, keeps_problem=True)


def _check_initial(problem: Problem, record: SolverRecord, initial: ArrayLike) -> IntArray:
    """Check labels to start from, once for all solvers."""
    check_can_start(record)
    return as_labels(initial, problem.num_nodes, "initial")


def check_can_start(record: SolverRecord) -> None:
    """Raise TypeError if a solver cannot start from labels."""
    if not record.can_start_from_labels:
        able = ", ".join(one.name for one in list_solvers() if one.can_start_from_labels)
        raise TypeError(f"solver {record.name!r} cannot start from `initial` labels; use {able}")


def _threads_of(options: Any) -> int | None:
    """Return the threads that options name; None if they leave that open."""
    threads: int | None = getattr(options, "num_threads", None)
    return threads


def _no_worse_than_trivial(problem: Problem, outcome: Outcome, start: float) -> Outcome:
    """Return the outcome, or a partition that needs no search, if that costs less."""
    if outcome.is_sound:
        return outcome
    return _better(problem, outcome, Outcome.without_search(problem), start)


def _no_worse_than_initial(
    problem: Problem, outcome: Outcome, initial: IntArray, start: float
) -> Outcome:
    """Return the outcome, or the partition that the solver was given, if that costs less."""
    if objective(problem, initial) >= outcome.objective:
        return outcome
    labels = labels_of_cut(problem, cut_of_labels(problem, initial))
    given = Outcome.of_labels(problem, labels, trace=np.zeros((0, 2)))
    return _better(problem, outcome, given, start)


def _better(problem: Problem, outcome: Outcome, other: Outcome, start: float) -> Outcome:
    """Return the outcome, with the partition of another one if that costs less."""
    if other.objective >= outcome.objective:
        return outcome
    last = [[time.perf_counter() - start, other.objective]]
    bound = outcome.lower_bound
    return replace(
        outcome,
        labels=other.labels,
        cut=other.cut,
        lifted_cut=other.lifted_cut,
        objective=other.objective,
        lower_bound=None if bound is None else certify(problem, other.objective, bound),
        num_clusters=other.num_clusters,
        trace=np.concatenate([outcome.trace, last]),
    )


def _run_and_bound(
    record: SolverRecord,
    problem: Problem,
    options: Any,
    stop: Stop,
    seed: int,
    num_threads: int | None,
) -> Outcome:
    """Run a solver, then compute a lower bound in the time that is left."""
    start = time.perf_counter()
    shorter = Stop(_SHARE_OF_SOLVER * stop.seconds, stop.callback)
    outcome = record.run(problem, options, shorter, seed)
    spent = time.perf_counter() - start
    return _with_bound(problem, outcome, stop, spent, num_threads, _gpu_of(options))


def _gpu_of(options: Any) -> str | None:
    """Return the GPU that options name; None if they leave that open, or name another device."""
    device = getattr(options, "device", None)
    return device if str(device).startswith("cuda") else None


def _with_bound(
    problem: Problem,
    outcome: Outcome,
    stop: Stop,
    spent: float,
    num_threads: int | None,
    gpu: str | None,
) -> Outcome:
    """Add a lower bound, unless there is a good one; of the time there is, some is `spent`."""
    quick = -math.inf
    if outcome.lower_bound is not None:
        if not outcome.bound_is_quick:
            return outcome
        quick = outcome.lower_bound
    start = time.perf_counter()
    callback = stop.callback

    def report(lower_bound: float, elapsed: float) -> Any:
        assert callback is not None
        return callback(Progress(outcome.objective, spent + elapsed, lower_bound))

    # Who has told the solver to stop does not want to wait: the bound that takes no time will do.
    is_stopped = outcome.stopped_by in (StopReason.CALLBACK, StopReason.INTERRUPT)
    found, stopped_by = bound_from_below(
        problem,
        Stop(0.0 if is_stopped else max(stop.seconds - spent, 0.0)),
        None if is_stopped or callback is None else report,
        num_threads,
        device=None if is_stopped else gpu,
    )
    return replace(
        outcome,
        lower_bound=certify(problem, outcome.objective, max(found, quick)),
        bound_is_quick=False,
        stopped_by=outcome.stopped_by
        if is_stopped or stopped_by is StopReason.CONVERGED
        else stopped_by,
        details={**outcome.details, "bound_seconds": time.perf_counter() - start},
    )


@overload
def solve_batch(
    problems: Iterable[Problem],
    solver: str = "auto",
    time_limit: float | None = None,
    seed: SupportsIndex = 0,
    num_workers: int | None = None,
    *,
    bound: bool = False,
    **options: Any,
) -> list[Result]: ...


@overload
def solve_batch(
    problems: GraphBatch,
    solver: str = "auto",
    time_limit: float | None = None,
    seed: SupportsIndex = 0,
    **options: Any,
) -> DeviceResult: ...


def solve_batch(
    problems: Iterable[Problem] | GraphBatch,
    solver: str = "auto",
    time_limit: float | None = None,
    seed: SupportsIndex = 0,
    num_workers: int | None = None,
    *,
    bound: bool = False,
    **options: Any,
) -> list[Result] | DeviceResult:
    """Solve many problems at once, each as :func:`solve` would.

    After Ctrl-C the best solutions so far come back, for problems not yet begun the trivial ones,
    marked ``stopped_by="interrupt"``.

    Solvers with a network (``gnn``, ``learned``) take many problems in one pass; then `time_limit`
    is per pass, and `runtime` each problem's share.

    Parameters
    ----------
    problems
        The problems; the results come in the same order. Or a :class:`multicut.nn.GraphBatch` on a
        device, for the solver ``learned``, with one :class:`multicut.nn.DeviceResult` for all.
    solver
        A name from :func:`multicut.list_solvers`.
    time_limit
        Seconds for each problem.
    seed
        The seed for each problem.
    num_workers
        Problems solved side by side. By default as many as keep the processors busy that this
        process may use, each with one thread or with as many as the option `num_threads` says.
        Solvers with a network take all problems at once, with so many threads. No result depends
        on it.
    bound
        Whether to compute lower bounds, too.
    **options
        Options of the chosen solver.
    """
    if _is_on_device(problems):
        options |= {"bound": bound or None, "num_workers": num_workers}
        return _solve_on_device(problems, solver, Stop(time_limit), seed, options)
    problems = cast("Iterable[Problem]", problems)
    if isinstance(problems, Problem):
        raise TypeError("problems must be a list of problems, got one; use solve for it")
    if "callback" in options:
        raise TypeError("solve_batch takes no callback; use solve for each problem")
    record = get_solver(solver)
    together = record.run_batch is not None
    threads = _threads_of(record.parse_options(options))
    if num_workers is not None or together:
        workers = check_threads(num_workers, "num_workers")
    else:
        workers = max(available_processors() // (threads or 1), 1)
    if threads is None:
        threads = workers if together else 1
        if "num_threads" in record.option_defaults:
            options["num_threads"] = threads
    parsed = record.parse_options(options)
    batch = _Batch(problems, record, parsed, Stop(time_limit), check_seed(seed), workers, threads)
    if together:
        return _solve_together(batch, bound=bound)
    if record.task is not None and not bound:
        return _solve_side_by_side(batch)
    return _solve_each(batch, bound=bound)


@dataclass(frozen=True)
class _Batch:
    """Problems for one solver, and how many of them it works on at once, with how many threads."""

    problems: Iterable[Problem]
    record: SolverRecord
    options: Any
    stop: Stop
    seed: int
    num_workers: int
    num_threads: int

    def listed(self) -> list[Problem]:
        """Return all problems, checked."""
        problems = list(self.problems)
        for problem in problems:
            check_problem(problem)
            check_lifted(problem, self.record)
        return problems


def _solve_each(batch: _Batch, *, bound: bool) -> list[Result]:
    """Solve problems one by one, in several threads of Python."""
    interrupted = threading.Event()
    stop = Stop(batch.stop.time_limit, lambda _: interrupted.is_set())

    def solve_one(problem: Problem) -> Result:
        check_problem(problem)
        check_lifted(problem, batch.record)
        result = _solve_one(
            problem, batch.record, batch.options, stop, batch.seed, bound, batch.num_threads
        )
        reason = result.stopped_by
        if reason == StopReason.CALLBACK:
            reason = StopReason.INTERRUPT
        # Many problems would take much memory if their results kept them.
        return replace(result, stopped_by=reason, problem=None)

    with obeying_interrupts(interrupted), ThreadPoolExecutor(batch.num_workers) as pool:
        # Problems may be made as they are asked for, while the first ones are solved.
        futures = [pool.submit(solve_one, problem) for problem in batch.problems]
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


def _solve_side_by_side(batch: _Batch) -> list[Result]:
    """Solve problems by tasks of the native core, without Python in between."""
    problems, record, seconds = batch.listed(), batch.record, batch.stop.seconds
    interrupted = threading.Event()
    with obeying_interrupts(interrupted):
        tasks = [
            record.task_for(problem, batch.options, seconds, batch.seed) for problem in problems
        ]
        solutions = _core.run_all(
            tasks,
            num_threads=batch.num_workers,
            time_limit=seconds,
            callback=lambda *_: interrupted.is_set(),
        )
        results = [
            _result(problem, record, Outcome.of_native(solution), batch.seed, solution.seconds)
            for problem, solution in zip(problems, solutions, strict=True)
        ]
    # Ctrl-C must not be lost, even if it came when all were done.
    if interrupted.is_set() and all(r.stopped_by != StopReason.INTERRUPT for r in results):
        results[-1:] = [replace(r, stopped_by=StopReason.INTERRUPT) for r in results[-1:]]
    return results


def _solve_together(batch: _Batch, *, bound: bool) -> list[Result]:
    """Solve problems by a solver that takes many of them in one pass."""
    problems, record = batch.listed(), batch.record
    start = time.perf_counter()
    assert record.run_batch is not None
    outcomes = [
        _no_worse_than_trivial(problem, outcome, start)
        for problem, outcome in zip(
            problems,
            record.run_batch(problems, batch.options, batch.stop, batch.seed),
            strict=True,
        )
    ]
    if bound:
        stopped_by, gpu = None, _gpu_of(batch.options)
        for i, (problem, outcome) in enumerate(zip(problems, outcomes, strict=True)):
            known = outcome if stopped_by is None else replace(outcome, stopped_by=stopped_by)
            outcomes[i] = _with_bound(problem, known, batch.stop, 0.0, batch.num_threads, gpu)
            if outcomes[i].stopped_by is StopReason.INTERRUPT:
                stopped_by = StopReason.INTERRUPT  # Ctrl-C is meant for all bounds, not for one
    share = (time.perf_counter() - start) / max(len(problems), 1)
    return [
        _result(problem, record, outcome, batch.seed, share)
        for problem, outcome in zip(problems, outcomes, strict=True)
    ]


def _result(
    problem: Problem,
    record: SolverRecord,
    outcome: Outcome,
    seed: int,
    runtime: float,
    *,
    keeps_problem: bool = False,
) -> Result:
    bound = outcome.lower_bound
    if bound is not None and outcome.bound_is_quick:
        bound = certify(problem, outcome.objective, bound)
    return Result(
        labels=frozen(outcome.labels),
        cut=frozen(outcome.cut),
        lifted_cut=_lifted_cut(problem, outcome),
        objective=outcome.objective,
        lower_bound=bound,
        num_clusters=outcome.num_clusters,
        trace=frozen(outcome.trace),
        solver=outcome.solver or record.name,
        seed=seed,
        stopped_by=outcome.stopped_by,
        node_ids=problem.node_ids,
        details=outcome.details,
        runtime=runtime,
        problem=problem if keeps_problem else None,
    )


def _lifted_cut(problem: Problem, outcome: Outcome) -> BoolArray:
    if not problem.is_lifted:
        return _NO_CUT
    if outcome.lifted_cut is not None:
        return frozen(outcome.lifted_cut)
    return frozen(lifted_cut_of(problem, outcome.labels))
