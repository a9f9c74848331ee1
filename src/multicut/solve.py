"""One call from a problem to its result."""

from __future__ import annotations

import operator
import os
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, SupportsIndex

from multicut._arrays import frozen, plain
from multicut.problem import Problem
from multicut.result import Result
from multicut.solvers import get_solver
from multicut.stop import Callback, Stop

if TYPE_CHECKING:
    from collections.abc import Iterable


def solve(
    problem: Problem,
    solver: str = "auto",
    time_limit: float | None = None,
    seed: SupportsIndex = 0,
    callback: Callback | None = None,
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
        Called as ``callback(objective, elapsed)`` while the solver runs; a true return value stops
        it. So does Ctrl-C: either way the best solution so far comes back.
    **options
        Options of the chosen solver; :func:`multicut.list_solvers` names them.
    """
    if not isinstance(problem, Problem):
        raise TypeError(f"problem must be a multicut.Problem, got {type(problem).__name__}")
    start = time.perf_counter()
    stop = Stop(time_limit, callback)
    seed = _as_seed(seed)
    record = get_solver(solver)
    outcome = record.run(problem, record.parse_options(options), stop, seed)
    solution = outcome.solution
    return Result(
        labels=frozen(plain(solution.labels)),
        cut=frozen(solution.cut),
        objective=solution.objective,
        num_clusters=solution.num_clusters,
        trace=frozen(solution.trace),
        solver=outcome.solver or record.name,
        seed=seed,
        stopped_by=solution.stopped_by,
        node_ids=problem.node_ids,
        details=outcome.details,
        runtime=time.perf_counter() - start,
    )


def solve_batch(
    problems: Iterable[Problem],
    solver: str = "auto",
    time_limit: float | None = None,
    seed: SupportsIndex = 0,
    num_threads: int | None = None,
    **options: Any,
) -> list[Result]:
    """Solve many problems at once, each as :func:`solve` would.

    `time_limit` is per problem. `num_threads` is the number of problems solved side by side, by
    default one per processor; it does not change any result.
    """
    workers = os.cpu_count() or 1 if num_threads is None else operator.index(num_threads)
    if workers < 1:
        raise ValueError(f"num_threads must be at least 1, got {num_threads}")
    with ThreadPoolExecutor(workers) as pool:
        return list(
            pool.map(lambda p: solve(p, solver, time_limit, seed, None, **options), problems)
        )


def _as_seed(seed: SupportsIndex) -> int:
    try:
        value = operator.index(seed)
    except TypeError:
        raise TypeError(f"seed must be an integer, got {seed!r}") from None
    if not 0 <= value < 2**64:
        raise ValueError(f"seed must be at least 0 and below 2^64, got {value}")
    return value
