"""One run of a solver, and the result that is made of it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._arrays import BoolArray, frozen
from multicut.partition import lifted_cut_of
from multicut.proof import certify
from multicut.result import Result
from multicut.solvers.protocol import Outcome, check_labels
from multicut.solving.bounds import with_bound
from multicut.solving.fallbacks import no_worse_than_initial, no_worse_than_trivial
from multicut.stop import Stop

if TYPE_CHECKING:
    from multicut.problem import Problem
    from multicut.solvers.protocol import SolverRecord

# Of a time limit, what the solver gets where a bound is wanted, too.
_SHARE_OF_SOLVER = 2 / 3
_NO_CUT: BoolArray = frozen(np.zeros(0, dtype=np.bool_))


@dataclass(frozen=True)
class Run:
    """A solver, its options, and what it may use."""

    record: SolverRecord
    options: Any
    stop: Stop
    seed: int
    num_threads: int | None

    @property
    def gpu(self) -> str | None:
        """The GPU that the options name; None if they leave that open, or name another device."""
        device = getattr(self.options, "device", None)
        return device if str(device).startswith("cuda") else None


def solve_one(problem: Problem, run: Run, *, bound: bool) -> Result:
    """Run a solver on a problem and, if it is wanted, compute a lower bound."""
    start = time.perf_counter()
    if bound and "lower_bound" not in run.record.returns:
        outcome = _run_and_bound(problem, run)
    else:
        outcome = run.record.run(problem, run.options, run.stop, run.seed)
    outcome = no_worse_than_trivial(problem, outcome, start)
    initial = check_labels(problem, getattr(run.options, "initial", None))
    if initial is not None:
        outcome = no_worse_than_initial(problem, outcome, initial, start)
    runtime = time.perf_counter() - start
    return result_of(problem, run, outcome, runtime, keeps_problem=True)


def _run_and_bound(problem: Problem, run: Run) -> Outcome:
    """Run a solver, then compute a lower bound in the time that is left."""
    start = time.perf_counter()
    shorter = Stop(_SHARE_OF_SOLVER * run.stop.seconds, run.stop.callback)
    outcome = run.record.run(problem, run.options, shorter, run.seed)
    spent = time.perf_counter() - start
    return with_bound(problem, outcome, run.stop, spent, run.num_threads, run.gpu)


def result_of(
    problem: Problem, run: Run, outcome: Outcome, runtime: float, *, keeps_problem: bool = False
) -> Result:
    """Return the result of a run; many results that kept their problems would take much memory."""
    bound = outcome.lower_bound
    if bound is not None and outcome.bound_is_quick:
        bound = certify(problem, outcome.objective, bound)
    return Result(
        labels=frozen(outcome.labels),
        cut=frozen(outcome.cut),
        lifted_cut=_lifted_cut(problem, outcome),
        objective=outcome.objective,
        lower_bound=bound,
        num_clusters=outcome.num_clusters,
        trace=frozen(outcome.trace),
        solver=outcome.solver or run.record.name,
        seed=run.seed,
        stopped_by=outcome.stopped_by,
        node_ids=problem.node_ids,
        details=outcome.details,
        runtime=runtime,
        problem=problem if keeps_problem else None,
    )


def _lifted_cut(problem: Problem, outcome: Outcome) -> BoolArray:
    if not problem.is_lifted:
        return _NO_CUT
    if outcome.lifted_cut is not None:
        return frozen(outcome.lifted_cut)
    return frozen(lifted_cut_of(problem, outcome.labels))
