"""Exact solutions by branch and cut on HiGHS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicut.solvers.exact_solve import ExactOptions, ExactSolve
from multicut.solvers.lifted_exact_solve import LiftedExactSolve
from multicut.solvers.protocol import Outcome, SolverRecord

if TYPE_CHECKING:
    from multicut.problem import Problem
    from multicut.stop import Stop


def solve_exactly(
    problem: Problem, options: ExactOptions, stop: Stop, seed: int, *, integer: bool
) -> Outcome:
    """Reduce the problem, find a good partition, then prove or improve it block by block."""
    kind = LiftedExactSolve if problem.is_lifted else ExactSolve
    solve = kind(problem, options, stop)
    solve.reduce()
    solve.find_start(seed, integer=integer)
    solve.pack_cycles()
    if solve.leaves_time_to_search():
        return solve.search(integer=integer)
    return solve.start_and_bound()


def run(problem: Problem, options: ExactOptions, stop: Stop, seed: int) -> Outcome:
    """Solve to proven optimality."""
    return solve_exactly(problem, options, stop, seed, integer=True)


RECORD = SolverRecord(
    name="ilp",
    description="exact: branch and cut on HiGHS; proves optimality, or bounds the gap",
    run=run,
    options=ExactOptions,
    returns=("lower_bound", "optimal"),
    needs=("highspy",),
    uses_seed=True,
    takes_lifted=True,
)
