"""Exact solutions by branch and cut on HiGHS."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from multicut.partition import objective
from multicut.proof import certify
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
# From so many edges on, a packing of cycles gives a bound long before the linear programs do: it
# gets a share of what is left then. With a time limit, which may end the linear programs early,
# that pays from fewer edges on. Below, the packing takes milliseconds, and is made if nothing else
# has given a proof.
_EDGES_FOR_PACKING, _EDGES_WITH_LIMIT = 5_000, 500
_SHARE_OF_PACKING = 0.5
_SECONDS_OF_PACKING = 5e-6  # for each edge, where there is no limit
_SECONDS_OF_LATE_PACKING = 0.02


def solve_exactly(problem: Problem, stop: Stop, seed: int, *, integer: bool) -> Outcome:
    """Reduce the problem, find a good partition, then prove or improve it block by block."""
    from multicut.bound import bound_from_below
    from multicut.exact.decomposition import BlockwiseSearch
    from multicut.exact.reduction import Reduction, reduce_until
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
    labels = start.labels
    if reduction.hides(start.objective + offset):
        labels, reduction = reduction.lift(labels), Reduction.trivial(problem)
    core = reduction.problem
    is_limited = math.isfinite(stop.seconds)
    packs_first = core.num_edges >= (_EDGES_WITH_LIMIT if is_limited else _EDGES_FOR_PACKING)
    packing = -math.inf
    if packs_first and not watch.should_stop():
        seconds = _SHARE_OF_PACKING * watch.seconds_left
        packing, stopped_by = bound_from_below(
            core,
            Stop(seconds if is_limited else _SECONDS_OF_PACKING * core.num_edges),
            lambda *_: watch.should_stop(),
        )
        if stopped_by == "interrupt":
            watch.stopped_by = "interrupt"
    search = BlockwiseSearch(core, labels, watch, reduction.offset, reduction.error, packing)
    try:
        search.run(integer=integer)
    except KeyboardInterrupt:
        watch.stopped_by = "interrupt"
    labels = reduction.lift(search.labels)
    found = objective(problem, labels)
    watch.finish(found)
    if not packs_first and watch.stopped_by != "converged":
        packing, _ = bound_from_below(core, Stop(_SECONDS_OF_LATE_PACKING), num_threads=1)
        search.take_bound(packing)
    bound = found if search.is_proof_of(found) else search.total_bound
    return Outcome.of_labels(
        problem,
        labels,
        trace=watch.trace,
        stopped_by=watch.stopped_by,
        lower_bound=certify(problem, found, bound),
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
