"""Exact solutions by branch and cut on HiGHS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicut.partition import cut_of_labels, objective
from multicut.solvers import fusion, gaec
from multicut.solvers.protocol import NoOptions, Outcome, SolverRecord
from multicut.stop import Stop

if TYPE_CHECKING:
    from multicut.problem import Problem

# Of the time there is, the share in which a good partition to start from is looked for.
_SHARE_OF_START = 0.4
# Reducing more edges takes seconds that a deadline may not leave.
_MANY_EDGES = 1_000_000


def solve_exactly(problem: Problem, stop: Stop, seed: int, *, integer: bool) -> Outcome:
    """Reduce the problem, find a good partition, then prove or improve it block by block."""
    from multicut.exact.decomposition import BlockwiseSearch
    from multicut.exact.reduction import Reduction, reduce
    from multicut.watch import Watch

    watch = Watch(stop)
    is_large = problem.num_edges > _MANY_EDGES
    reduction = Reduction.trivial(problem) if is_large else reduce(problem)
    limit = Stop(_SHARE_OF_START * watch.seconds_left)
    if integer:
        start = fusion.search(reduction.problem, fusion.FusionOptions(), limit, seed, reduces=False)
    else:
        start = gaec.run(reduction.problem, NoOptions(), limit, seed)
    offset = reduction.offset
    watch.improved(start.objective + offset)
    search = BlockwiseSearch(reduction.problem, start.labels, watch, offset)
    try:
        if start.stopped_by == "interrupt":
            raise KeyboardInterrupt
        search.run(integer=integer)
    except KeyboardInterrupt:
        watch.stopped_by = "interrupt"
    labels = reduction.lift(search.labels)
    found = objective(problem, labels)
    watch.improved(found)
    return Outcome(
        labels=labels,
        cut=cut_of_labels(problem, labels),
        objective=found,
        num_clusters=int(labels.max(initial=-1)) + 1,
        trace=watch.trace,
        stopped_by=watch.stopped_by,
        lower_bound=found if search.is_proven else min(search.lower_bound + offset, found),
        details=search.details,
    )


def run(problem: Problem, options: NoOptions, stop: Stop, seed: int) -> Outcome:  # noqa: ARG001
    """Solve to proven optimality."""
    return solve_exactly(problem, stop, seed, integer=True)


RECORD = SolverRecord(
    name="ilp",
    description="exact: branch and cut on HiGHS; proves optimality, or bounds the gap",
    run=run,
    returns=("lower_bound", "optimal"),
    needs=("highspy",),
    uses_seed=True,
)
