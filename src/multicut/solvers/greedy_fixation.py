"""Greedy fixation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicut import _core
from multicut.solvers.protocol import NoOptions, Outcome, SolverRecord

if TYPE_CHECKING:
    from multicut.problem import Problem
    from multicut.stop import Stop


def run(problem: Problem, options: NoOptions, stop: Stop, seed: int) -> Outcome:  # noqa: ARG001
    """Decide the edge of the largest absolute cost, again and again: contract it or keep it cut."""
    return Outcome.of_native(
        _core.greedy_fixation(
            problem.graph, problem.costs, time_limit=stop.seconds, callback=stop.native_callback
        )
    )


RECORD = SolverRecord(
    name="greedy-fixation",
    description="greedy contraction that also fixes repulsive edges: fast, for strong repulsion",
    run=run,
)
