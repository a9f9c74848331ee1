"""The choice of a solver by the size of the problem."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from multicut.solvers import fusion, klj
from multicut.solvers.protocol import Outcome, SolverRecord, check_integer

if TYPE_CHECKING:
    from multicut.problem import Problem
    from multicut.stop import Stop

# Up to here fusion moves take about a second; with a time limit they stop by themselves.
_FUSION_EDGES = 20_000


@dataclass(frozen=True)
class AutoOptions:
    """Options of the solver ``auto``.

    Attributes
    ----------
    num_threads
        Threads for the solver that is chosen, by default one per processor. The result does not
        depend on their number.
    """

    num_threads: int | None = None

    def __post_init__(self) -> None:
        if self.num_threads is not None:
            check_integer(1, num_threads=self.num_threads)


def run(problem: Problem, options: AutoOptions, stop: Stop, seed: int) -> Outcome:
    """Run ``fusion`` on small problems and whenever there is a time limit, else ``klj``."""
    if math.isfinite(stop.seconds):
        reason = f"fusion, since it uses all of the {stop.seconds:g} s there are"
    elif problem.num_edges <= _FUSION_EDGES:
        reason = f"fusion, since {problem.num_edges} edges are few"
    else:
        reason = f"klj, since {problem.num_edges} edges are many"
    if reason.startswith("fusion"):
        chosen, chosen_options = fusion.RECORD, {"num_threads": options.num_threads}
    else:
        chosen, chosen_options = klj.RECORD, {}
    outcome = chosen.run(problem, chosen.parse_options(chosen_options), stop, seed)
    return replace(outcome, solver=chosen.name, details={"chosen": reason, **outcome.details})


RECORD = SolverRecord(
    name="auto",
    description="the best of the others for the size of the problem and the time there is",
    run=run,
    options=AutoOptions,
    uses_seed=True,
)
