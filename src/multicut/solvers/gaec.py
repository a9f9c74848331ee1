"""Greedy additive edge contraction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicut import _core
from multicut.solvers.protocol import NoOptions, Outcome, SolverRecord

if TYPE_CHECKING:
    from multicut.problem import Problem
    from multicut.stop import Stop


def run(problem: Problem, options: NoOptions, stop: Stop, seed: int) -> Outcome:  # noqa: ARG001
    """Contract the most attractive edge until none attracts."""
    return Outcome.of_native(
        _core.gaec(
            problem.graph, problem.costs, time_limit=stop.seconds, callback=stop.native_callback
        )
    )


RECORD = SolverRecord(
    name="gaec",
    description="greedy additive edge contraction: fastest; a good partition of any graph",
    run=run,
)
