"""The cycle relaxation: a lower bound, and a partition rounded from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicut.solvers.exact_solve import ExactOptions
from multicut.solvers.ilp import solve_exactly
from multicut.solvers.protocol import Outcome, SolverRecord

if TYPE_CHECKING:
    from multicut.problem import Problem
    from multicut.stop import Stop


def run(problem: Problem, options: ExactOptions, stop: Stop, seed: int) -> Outcome:
    """Solve the linear program over all cycle inequalities and round its solution.

    If there are lifted edges, their cut inequalities are in it, too. The partition that ``gaec``
    finds stays where rounding gives none that is better.
    """
    return solve_exactly(problem, options, stop, seed, integer=False)


RECORD = SolverRecord(
    name="lp",
    description="the cycle relaxation on HiGHS: a tight lower bound and a rounded partition",
    run=run,
    options=ExactOptions,
    returns=("lower_bound",),
    needs=("highspy",),
    takes_lifted=True,
)
