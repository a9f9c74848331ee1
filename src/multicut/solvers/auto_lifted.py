"""The choice between solvers for lifted problems."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from multicut._words import count
from multicut.solvers import fusion, ilp, klj
from multicut.stop import Stop, StopReason

if TYPE_CHECKING:
    from multicut.problem import Problem
    from multicut.solvers.protocol import Outcome, SolverRecord

# Up to so many edges of both kinds a proof is tried for so many seconds: where evidence is clear,
# it takes a tenth of a second; where it is not, it may take hours.
_EDGES_TO_PROVE = 1_500
_SECONDS_TO_PROVE = 5.0
# More take fusion minutes, which are for those who know how long they want to wait.
_EDGES_TO_FUSE = 200_000


def run(problem: Problem, num_threads: int, stop: Stop, seed: int) -> Outcome:
    """Try to prove what is small, search what is not; of the rest, improve a greedy start."""
    record, reason = _choose(problem, stop)
    options = record.parse_options({"num_threads": num_threads})
    is_cut_short = record is ilp.RECORD and stop.seconds > _SECONDS_TO_PROVE
    own = Stop(_SECONDS_TO_PROVE, stop.callback) if is_cut_short else stop
    outcome = record.run(problem, options, own, seed)
    if is_cut_short and outcome.stopped_by is StopReason.TIME_LIMIT:
        # The limit was not the caller's.
        outcome = replace(outcome, stopped_by=StopReason.CONVERGED)
        reason = f"{reason}, which {_SECONDS_TO_PROVE:g} s did not suffice for"
    details = {"chosen": f"{record.name}: {reason}", **outcome.details}
    return replace(outcome, solver=record.name, details=details)


def _choose(problem: Problem, stop: Stop) -> tuple[SolverRecord, str]:
    size = problem.num_edges + problem.num_lifted_edges
    kinds = (
        f"{count(problem.num_edges, 'edge')} and {count(problem.num_lifted_edges, 'lifted edge')}"
    )
    if size <= _EDGES_TO_PROVE:
        return ilp.RECORD, f"{kinds}, few enough for a proof"
    if math.isfinite(stop.seconds) or size <= _EDGES_TO_FUSE:
        return fusion.RECORD, kinds
    return klj.RECORD, f"{kinds} and no time limit"
