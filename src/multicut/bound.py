"""Lower bounds of the optimum, for problems of any size."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

from multicut import _core
from multicut._threads import check_threads
from multicut.exact.union import Union
from multicut.problem import Problem, check_problem
from multicut.stop import Stop, StopReason

if TYPE_CHECKING:
    from multicut.stop import NativeCallback

_ENDLESS = 200  # rounds: it ends by itself long before


def lower_bound(
    problem: Problem, time_limit: float | None = None, *, num_threads: int | None = None
) -> float:
    """Compute a number that no partition costs less than.

    Cycles with one repulsive edge are packed into the graph; each forces every partition to pay.
    Given time, the bound comes within about 0.01 % of that of the cycle relaxation (what ``lp``
    computes), at a fraction of its cost; it grows with the time there is, and is tight enough to be
    useful after a fraction of a second on 100,000 nodes.

    Parameters
    ----------
    problem
        The graph and its costs.
    time_limit
        Seconds after which the best bound so far is returned. So does Ctrl-C.
    num_threads
        By default as many as this process may use. The bound does not depend on their number,
        unless the time limit ends the search.
    """
    check_problem(problem)
    return bound_from_below(problem, Stop(time_limit), None, num_threads)[0]


def bound_from_below(
    problem: Problem,
    stop: Stop,
    callback: NativeCallback | None = None,
    num_threads: int | None = None,
    max_rounds: int | None = None,
    max_steps: float = math.inf,
) -> tuple[float, StopReason]:
    """Compute a lower bound; return it and why the search ended.

    Where it should not take all the time there is, `max_rounds` or `max_steps` limits the work; a
    step takes about a nanosecond. `callback` hears the bound so far and the seconds elapsed.
    """
    if problem.is_lifted:
        return _bound_lifted(problem, stop, callback, num_threads, max_rounds, max_steps)
    bound, _, _, stopped_by = _core.pack_cycles(
        problem.graph,
        problem.costs,
        num_threads=check_threads(num_threads),
        max_rounds=_ENDLESS if max_rounds is None else max_rounds,
        max_steps=max_steps,
        time_limit=stop.seconds,
        callback=callback,
    )
    return bound, StopReason(stopped_by)


def _bound_lifted(
    problem: Problem, stop: Stop, callback: NativeCallback | None, *limits: Any
) -> tuple[float, StopReason]:
    """Bound the problem in which lifted edges are edges like others.

    It allows all partitions, also into clusters that only lifted edges connect, and each costs the
    same in both. So its optimum is no more than that of the lifted problem.
    """
    start = time.perf_counter()
    union = Union.of(problem)
    spent = time.perf_counter() - start

    def report(bound: float, elapsed: float) -> Any:
        assert callback is not None
        return callback(union.bound_of_lifted(bound), elapsed + spent)

    left = Stop(None if math.isinf(stop.seconds) else max(stop.seconds - spent, 0.0))
    hears = None if callback is None else report
    bound, stopped_by = bound_from_below(union.problem, left, hears, *limits)
    return union.bound_of_lifted(bound), stopped_by
