"""The stages of an exact solve, which ``ilp`` and ``lp`` share."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from multicut._options import Options, initial_option, threads_option
from multicut._threads import check_threads
from multicut.partition import objective
from multicut.proof import bound_of_total, certify
from multicut.solvers import fusion, gaec
from multicut.solvers.protocol import ContractionOptions, Outcome, check_labels, run_task
from multicut.stop import Stop, StopReason

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from multicut._arrays import IntArray
    from multicut.exact.decomposition import BlockwiseSearch
    from multicut.exact.work import Work
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
# Without a limit it is the amount of work that is bounded: then no result depends on a clock.
_ROUNDS_OF_PACKING = 6
_SECONDS_OF_LATE_PACKING = 0.02
# Seconds for each edge that pass before a reduction can be stopped, that a search by blocks takes
# before it begins, and that the end takes. On millions of edges a short limit leaves no time for
# the first two.
_REDUCTION_SECONDS, _SET_UP_SECONDS, _FINISH_SECONDS = 3e-7, 5e-7, 4e-8
_SHARE_OF_FINISH = 0.3
# For each edge, how long a step of a linear program takes that cannot be stopped.
_STEP_SECONDS = 3e-7


@dataclass(frozen=True)
class ExactOptions(Options):
    """Options of the solvers ``ilp`` and ``lp``."""

    initial: ArrayLike | None = initial_option("those that `fusion` (ilp) or `gaec` (lp) finds")
    num_threads: int | None = threads_option()


class ExactSolve:
    """The stages of an exact solve, and what each leaves to the next."""

    def __init__(
        self, problem: Problem, options: ExactOptions, stop: Stop, work: Work | None = None
    ) -> None:
        from multicut.exact.reduction import Reduction
        from multicut.watch import Watch

        self._problem = problem
        self._num_threads = check_threads(options.num_threads)
        self._work = work
        self._watch = Watch(stop)
        self._initial = check_labels(problem, options.initial)
        self._reduction = Reduction.trivial(problem)
        self._bound = -math.inf  # of the core, by a packing
        self._is_limited = math.isfinite(stop.seconds)
        self._most_reserved = _SHARE_OF_FINISH * stop.seconds
        self._reserve(_FINISH_SECONDS * problem.num_edges)

    def _reserve(self, seconds: float) -> None:
        """End that long before a deadline, unless that is too much of the time there is."""
        if self._is_limited:
            self._watch.reserve = max(self._watch.reserve, min(seconds, self._most_reserved))

    def reduce(self) -> None:
        """Make the problem smaller, if there is time for it."""
        from multicut.exact.reduction import reduce_until

        seconds = _SHARE_OF_REDUCTION * self._watch.seconds_left
        if _REDUCTION_SECONDS * self._problem.num_edges <= seconds:
            self._reduction, stopped_by = reduce_until(self._problem, Stop(seconds, self._hear))
            self._watch.hear_of(stopped_by)

    def find_start(self, seed: int, *, integer: bool) -> None:
        """Find a partition to start from."""
        core = self._reduction.problem
        left = self._watch.seconds_left
        left_to_search = (1.0 - _SHARE_OF_START) * (1.0 - _SHARE_OF_PACKING) * left
        self._can_search = left_to_search >= _SET_UP_SECONDS * core.num_edges
        stop = Stop(_SHARE_OF_START * left, self._hear)
        if self._watch.is_stopped:
            self._start = replace(Outcome.without_search(core), stopped_by=self._watch.stopped_by)
        else:
            self._start = self._run_heuristic(core, stop, seed, integer=integer)
        self._watch.hear_of(self._start.stopped_by)
        self._labels = self._start.labels
        found = self._start.objective + self._reduction.offset
        self._watch.improved(found)
        if self._reduction.hides(self._problem, found):
            self._labels = self._reduction.lift(self._labels)
            self._reduction = type(self._reduction).trivial(self._problem)
            self._start = Outcome.of_labels(self._problem, self._labels, trace=self._start.trace)

    def _run_heuristic(self, core: Problem, stop: Stop, seed: int, *, integer: bool) -> Outcome:
        if not integer:
            return run_task(gaec.task(core, ContractionOptions(self._lowered_initial())), stop)
        own = fusion.FusionOptions(initial=self._lowered_initial(), num_threads=self._num_threads)
        return run_task(fusion.search_task(core, own, seed, reduces=False), stop)

    def _lowered_initial(self) -> IntArray | None:
        """Return the labels that the caller gave, for the core."""
        return None if self._initial is None else self._reduction.lower(self._initial)

    def pack_cycles(self) -> None:
        """Bound large problems from below, in all of the time left if it is too short to search."""
        from multicut.bound import bound_from_below

        core = self._reduction.problem
        self._packs_first = core.num_edges >= (
            _EDGES_WITH_LIMIT if self._is_limited else _EDGES_FOR_PACKING
        )
        if not self._packs_first or self._watch.should_stop():
            return
        share = _SHARE_OF_PACKING if self._can_search else 1.0
        self._bound, stopped_by = bound_from_below(
            core,
            Stop(share * self._watch.seconds_left),
            lambda *_: self._watch.should_stop(),
            self._num_threads,
            max_rounds=None if self._is_limited else _ROUNDS_OF_PACKING,
        )
        self._watch.hear_of(stopped_by)

    def leaves_time_to_search(self) -> bool:
        """Whether there is time for what comes before a search by blocks."""
        if not self._can_search:
            self._watch.stop(StopReason.TIME_LIMIT)
        return not self._watch.should_stop()

    def search(self, *, integer: bool) -> Outcome:
        """Prove the partition optimal, or improve it."""
        self._reserve(_STEP_SECONDS * self._reduction.problem.num_edges)
        search = self._blockwise_search()
        try:
            search.run(integer=integer)
        except KeyboardInterrupt:
            self._watch.stop(StopReason.INTERRUPT)
        labels = self._reduction.lift(self._labels_of(search))
        found = objective(self._problem, labels)
        self._watch.finish(found)
        if not self._packs_first and self._watch.is_stopped:
            search.take_bound(self._late_bound())
        is_proven = search.is_proof_of(found)
        return Outcome.of_labels(
            self._problem,
            labels,
            trace=self._watch.trace,
            stopped_by=self._watch.stopped_by,
            lower_bound=certify(self._problem, found, found if is_proven else search.total_bound),
            details=search.details,
            is_sound=True,
        )

    def _blockwise_search(self) -> BlockwiseSearch:
        """Return a search that begins with the start."""
        from multicut.exact.decomposition import BlockwiseSearch

        reduction = self._reduction
        return BlockwiseSearch(
            reduction.problem,
            self._labels,
            self._watch,
            reduction.offset,
            reduction.error,
            self._bound,
            self._num_threads,
            self._work,
        )

    def _labels_of(self, search: BlockwiseSearch) -> IntArray:
        """Return the best partition of the core that a search has found."""
        return search.labels

    def start_and_bound(self) -> Outcome:
        """Return the start and the bound at hand: large problems have no time for another pass."""
        reduction = self._reduction
        if not math.isfinite(self._bound):
            self._bound = self._late_bound()
        outcome = self._start
        if reduction.problem is not self._problem:
            labels = reduction.lift(self._labels)
            outcome = Outcome.of_labels(self._problem, labels, trace=outcome.trace, is_sound=True)
        self._watch.finish(outcome.objective)
        bound = bound_of_total(self._bound, reduction.offset, reduction.error)
        return replace(
            outcome,
            trace=self._watch.trace,
            stopped_by=self._watch.stopped_by,
            lower_bound=certify(self._problem, outcome.objective, bound),
            details=self._no_details(),
        )

    def _no_details(self) -> dict[str, int]:
        """Return what a search tells that was never begun."""
        from multicut.exact.decomposition import BlockwiseSearch

        return dict.fromkeys(BlockwiseSearch.counters, 0)

    def _late_bound(self) -> float:
        """Bound the core when the time is up: on small ones that takes milliseconds."""
        from multicut.bound import bound_from_below

        seconds = _SECONDS_OF_LATE_PACKING if self._is_limited else math.inf
        return bound_from_below(
            self._reduction.problem,
            Stop(0.0 if self._packs_first else seconds),
            num_threads=1,
            max_rounds=None if self._is_limited else _ROUNDS_OF_PACKING,
        )[0]

    # Also where the caller has no callback: what has stopped the watch has to stop the stages.
    def _hear(self, progress: Progress) -> bool:
        self._watch.improved(progress.objective + self._reduction.offset)
        return self._watch.should_stop()
