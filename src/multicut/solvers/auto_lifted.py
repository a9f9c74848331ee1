"""The choice between solvers for lifted problems."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from multicut._words import count
from multicut.solvers import fusion, ilp, klj
from multicut.solvers.exact_solve import ExactOptions

if TYPE_CHECKING:
    from multicut._arrays import IntArray
    from multicut.problem import Problem
    from multicut.solvers.protocol import Outcome
    from multicut.stop import Stop

# Up to so many edges of both kinds a proof is tried: most of those of up to 500 are proven within
# a second. It begins with the partition of fusion, so a proof in vain costs no quality.
_EDGES_TO_PROVE = 3_000
# More take fusion minutes, which are for those who know how long they want to wait.
_EDGES_TO_FUSE = 200_000
# Without a time limit the amount of work is bounded, not the time: then no result depends on a
# clock. As many simplex iterations of a proof, or what takes as long, take ten seconds or so.
_ITERATIONS_OF_PROOF = 120_000


def run(
    problem: Problem, initial: IntArray | None, num_threads: int, stop: Stop, seed: int
) -> Outcome:
    """Prove what is small, search what is not, and only improve greedy contraction of the rest."""
    size = problem.num_edges + problem.num_lifted_edges
    if size <= _EDGES_TO_PROVE:
        return _prove(problem, ExactOptions(initial, num_threads), stop, seed)
    given: dict[str, Any] = {"initial": initial}
    if math.isfinite(stop.seconds) or size <= _EDGES_TO_FUSE:
        record, reason = fusion.RECORD, f"{_size_of(problem)} are too many for a proof"
        given |= {"num_threads": num_threads, "max_proposals": fusion.MOST_PROPOSALS}
        options = record.parse_options(given)
    else:
        record, reason = klj.RECORD, f"{_size_of(problem)} and no time limit"
        options = record.parse_options(given)
    return _told(record.run(problem, options, stop, seed), record.name, reason)


def _prove(problem: Problem, options: ExactOptions, stop: Stop, seed: int) -> Outcome:
    """Search by fusion, then prove or improve what that found."""
    from multicut.exact.work import Work

    is_limited = math.isfinite(stop.seconds)
    outcome = ilp.solve_exactly(
        problem,
        options,
        stop,
        seed,
        integer=True,
        work=Work(math.inf if is_limited else _ITERATIONS_OF_PROOF),
    )
    if outcome.lower_bound == outcome.objective:
        return _told(outcome, "ilp", f"proven optimal, {_size_of(problem)}")
    programs = count(outcome.details["linear_programs"], "linear program")
    return _told(outcome, "ilp", f"not proven optimal by {programs} on {_size_of(problem)}")


def _size_of(problem: Problem) -> str:
    lifted = count(problem.num_lifted_edges, "lifted edge")
    return f"{count(problem.num_edges, 'edge')} and {lifted}"


def _told(outcome: Outcome, solver: str, reason: str) -> Outcome:
    details = {"chosen": f"{solver}: {reason}", **outcome.details}
    return replace(outcome, solver=solver, details=details)
