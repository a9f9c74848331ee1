"""A lower bound beside what a solver found."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from multicut.bound import bound_from_below
from multicut.proof import certify
from multicut.stop import Progress, Stop, StopReason

if TYPE_CHECKING:
    from multicut.problem import Problem
    from multicut.solvers.protocol import Outcome


def with_bound(
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

    # A user who stopped the solver does not wait for a bound: the one that takes no time will do.
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
