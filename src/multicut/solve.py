"""One call from a problem to its result, or from many to theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex, cast, overload

from multicut._checks import check_seed
from multicut._threads import available_processors, check_threads
from multicut.partition import as_labels
from multicut.problem import Problem, check_problem
from multicut.solvers import check_lifted, get_solver, list_solvers
from multicut.solving.batches import solve_each, solve_side_by_side, solve_together
from multicut.solving.device import is_on_device, solve_on_device
from multicut.solving.run import Run, solve_one
from multicut.stop import Callback, Stop

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from multicut.nn.batch import GraphBatch
    from multicut.nn.device_result import DeviceResult
    from multicut.result import Result
    from multicut.solvers.protocol import SolverRecord


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
    if is_on_device(problem):
        if problem.num_graphs != 1:
            raise ValueError(
                f"problem must be one graph, got a batch of {problem.num_graphs}; "
                "use mc.solve_batch for it"
            )
        options |= {"callback": callback, "initial": initial, "bound": bound or None}
        return solve_on_device(problem, solver, Stop(time_limit), seed, options)
    check_problem(problem)
    problem = cast(Problem, problem)
    record = get_solver(solver)
    if initial is not None:
        check_can_start(record)
        options["initial"] = as_labels(initial, problem.num_nodes, "initial")
    parsed = record.parse_options(options)
    check_lifted(problem, record)
    stop = Stop(time_limit, callback)
    run = Run(record, parsed, stop, check_seed(seed), _threads_of(parsed))
    return solve_one(problem, run, bound=bound)


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
    is per pass, and `runtime` each problem's share. On a GPU, ``learned`` searches for all problems
    of a pass together, so labels may differ from those of :func:`solve` there.

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
    if is_on_device(problems):
        options |= {"bound": bound or None, "num_workers": num_workers}
        return solve_on_device(problems, solver, Stop(time_limit), seed, options)
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
    run = Run(record, parsed, Stop(time_limit), check_seed(seed), threads)
    if together:
        return solve_together(problems, run, bound=bound)
    if record.task is not None and not bound:
        return solve_side_by_side(problems, run, num_workers=workers)
    return solve_each(problems, run, num_workers=workers, bound=bound)


def check_can_start(record: SolverRecord) -> None:
    """Raise TypeError if a solver cannot start from labels."""
    if not record.can_start_from_labels:
        able = ", ".join(one.name for one in list_solvers() if one.can_start_from_labels)
        raise TypeError(f"solver {record.name!r} cannot start from `initial` labels; use {able}")


def _threads_of(options: Any) -> int | None:
    """Return the threads that options name; None if they leave that open."""
    threads: int | None = getattr(options, "num_threads", None)
    return threads
