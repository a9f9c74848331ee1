"""Lower bounds of the optimum, for problems of any size."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from multicut import _core
from multicut.problem import Problem
from multicut.solvers.protocol import check_integer
from multicut.stop import Stop

if TYPE_CHECKING:
    from multicut.stop import NativeCallback

# An objective this close to the bound, relative to the sum of all costs, differs by rounding only.
_ROUNDING = 1e-14


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
        By default one per processor. The bound does not depend on their number, unless the time
        limit ends the search.
    """
    if not isinstance(problem, Problem):
        raise TypeError(f"problem must be a multicut.Problem, got {type(problem).__name__}")
    return bound_from_below(problem, Stop(time_limit), None, num_threads)[0]


def bound_from_below(
    problem: Problem,
    stop: Stop,
    callback: NativeCallback | None = None,
    num_threads: int | None = None,
) -> tuple[float, str]:
    """Compute a lower bound; return it and why the search ended.

    `callback` hears the bound so far and the seconds elapsed.
    """
    threads = check_integer(1, num_threads=os.cpu_count() if num_threads is None else num_threads)
    bound, _, _, stopped_by = _core.pack_cycles(
        problem.graph,
        problem.costs,
        num_threads=threads,
        time_limit=stop.seconds,
        callback=callback,
    )
    return bound, stopped_by


def certify(problem: Problem, objective: float, bound: float) -> float:
    """Return the bound, or the objective where the two differ by no more than rounding."""
    costs = problem.costs
    is_finite = np.isfinite(costs)
    # Most are far apart; to see that takes no copy of all costs, which takes long if they are many.
    largest = costs.max(initial=0.0, where=is_finite) - costs.min(initial=0.0, where=is_finite)
    if objective - bound > _ROUNDING * len(costs) * largest:
        return bound
    rounding = float((_ROUNDING * np.abs(costs[is_finite])).sum())
    return objective if bound >= objective - rounding else bound
