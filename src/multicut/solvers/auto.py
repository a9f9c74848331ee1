"""The choice of a solver by the size of the problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicut.solvers import fusion, klj
from multicut.solvers.protocol import NoOptions, Outcome, SolverRecord

if TYPE_CHECKING:
    from multicut.problem import Problem
    from multicut.stop import Stop

# Up to here fusion moves take about a second; with a time limit they stop by themselves.
_FUSION_EDGES = 20_000


def run(problem: Problem, options: NoOptions, stop: Stop, seed: int) -> Outcome:  # noqa: ARG001
    """Run ``fusion`` on small problems and whenever there is a time limit, else ``klj``."""
    if stop.time_limit is not None:
        chosen, reason = fusion.RECORD, f"it uses all of the {stop.time_limit:g} s there are"
    elif problem.num_edges <= _FUSION_EDGES:
        chosen, reason = fusion.RECORD, f"{problem.num_edges} edges are few"
    else:
        chosen, reason = klj.RECORD, f"{problem.num_edges} edges are many"
    outcome = chosen.run(problem, chosen.options(), stop, seed)
    details = {"chosen": f"{chosen.name}, since {reason}"} | dict(outcome.details)
    return Outcome(outcome.solution, details, solver=chosen.name)


RECORD = SolverRecord(
    name="auto",
    description="the best of the others for the size of the problem and the time there is",
    run=run,
    uses_seed=True,
)
