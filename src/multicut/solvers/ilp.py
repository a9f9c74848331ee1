"""Exact solutions by branch and cut on HiGHS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicut.partition import objective
from multicut.solvers import fusion, gaec
from multicut.solvers.protocol import NoOptions, Outcome, SolverRecord, run_task
from multicut.stop import Stop

if TYPE_CHECKING:
    from multicut.problem import Problem
    from multicut.stop import Progress

# Of the time there is, the shares in which the problem is made smaller, and in which a good
# partition to start from is looked for.
_SHARE_OF_REDUCTION = 0.2
_SHARE_OF_START = 0.4


def solve_exactly(problem: Problem, stop: Stop, seed: int, *, integer: bool) -> Outcome:
    """Reduce the problem, find a good partition, then prove or improve it block by block."""
    from multicut.exact.decomposition import BlockwiseSearch
    from multicut.exact.reduction import reduce_until
    from multicut.watch import Watch

    watch = Watch(stop)
    offset = 0.0

    # Even where nobody wants to hear: what has stopped the watch has to stop the rest, too.
    def hear(progress: Progress) -> bool:
        watch.improved(progress.objective + offset)
        return watch.should_stop()

    limit = Stop(_SHARE_OF_REDUCTION * watch.seconds_left, hear)
    reduction, stopped_by = reduce_until(problem, limit)
    if stopped_by == "interrupt":
        watch.stopped_by = "interrupt"
    offset = reduction.offset
    limit = Stop(_SHARE_OF_START * watch.seconds_left, hear)
    if integer:
        task = fusion.search_task(reduction.problem, fusion.FusionOptions(), seed, reduces=False)
    else:
        task = gaec.task(reduction.problem)
    start = run_task(task, limit)
    if start.stopped_by == "interrupt":
        watch.stopped_by = "interrupt"
    watch.improved(start.objective + offset)
    search = BlockwiseSearch(reduction.problem, start.labels, watch, offset)
    try:
        search.run(integer=integer)
    except KeyboardInterrupt:
        watch.stopped_by = "interrupt"
    labels = reduction.lift(search.labels)
    found = objective(problem, labels)
    watch.finish(found)
    return Outcome.of_labels(
        problem,
        labels,
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
