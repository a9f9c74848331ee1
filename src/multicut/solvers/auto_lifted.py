"""The choice between solvers for lifted problems."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from multicut._words import count
from multicut.solvers import fusion, ilp, klj

if TYPE_CHECKING:
    from multicut.problem import Problem
    from multicut.solvers.protocol import Outcome, SolverRecord
    from multicut.stop import Stop

# Up to so many edges of both kinds most problems are proven within seconds, and up to the second
# number in some minutes, so that a time limit has to say how long that may take.
_EDGES_TO_PROVE = 500
_EDGES_TO_TRY = 1_500
# More take fusion minutes, which are for those who know how long they want to wait.
_EDGES_TO_FUSE = 200_000


def run(problem: Problem, num_threads: int, stop: Stop, seed: int) -> Outcome:
    """Prove what is small, search what is not, and only improve greedy contraction of the rest."""
    record, reason = _choose(problem, math.isfinite(stop.seconds))
    options = record.parse_options({"num_threads": num_threads})
    outcome = record.run(problem, options, stop, seed)
    details = {"chosen": f"{record.name}: {reason}", **outcome.details}
    return replace(outcome, solver=record.name, details=details)


def _choose(problem: Problem, has_limit: bool) -> tuple[SolverRecord, str]:
    size = problem.num_edges + problem.num_lifted_edges
    kinds = (
        f"{count(problem.num_edges, 'edge')} and {count(problem.num_lifted_edges, 'lifted edge')}"
    )
    if size <= (_EDGES_TO_TRY if has_limit else _EDGES_TO_PROVE):
        return ilp.RECORD, f"{kinds}, few enough for a proof"
    if has_limit or size <= _EDGES_TO_FUSE:
        return fusion.RECORD, kinds
    return klj.RECORD, f"{kinds} and no time limit"
