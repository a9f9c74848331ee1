"""One problem on its way to a solution, by one solver after the other."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut import _core
from multicut._arrays import plain
from multicut.exact.reduction import Reduction, can_be_reduced
from multicut.partition import cut_of_labels, objective
from multicut.proof import excess
from multicut.solvers import fusion, gaec, klj
from multicut.solvers.dual_greedy import solver as dual_greedy
from multicut.solvers.protocol import Outcome, run_task
from multicut.stop import Stop, StopReason
from multicut.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Callable

    from multicut._arrays import IntArray
    from multicut.problem import Problem
    from multicut.stop import Progress

_SHARE_OF_REDUCTION = 0.2
_SHARE_OF_CONTRACTION = 0.8
# For each node and edge, what lifting labels from a reduced problem takes: several passes.
_SECONDS_TO_LIFT = 1e-7


class Attempt:
    """The best partition so far, and who found it: never worse than that of ``gaec``.

    Parameters
    ----------
    problem, stop
        As the solver gets them.
    initial
        Labels of the problem that the solution must not be worse than, either.
    hears_all
        Whether to hear of every improvement at once, or, which costs less, of those of a solver
        when that has ended.

    Attributes
    ----------
    problem, core
        The problem, and what is left of it after its reduction.
    watch
        Deadline, callback and trace.
    floor
        Labels of the problem that the solution must not be worse than.
    labels
        The best labels of the core so far.
    objectives, seconds
        By stage: what was reached after it, and how long it took.
    details
        What else there is to say.
    """

    #: Tells whether Ctrl-C was pressed, where a handler of signals takes note of it; else None.
    is_interrupted: Callable[[], bool] | None = None

    def __init__(
        self,
        problem: Problem,
        stop: Stop,
        initial: IntArray | None = None,
        *,
        hears_all: bool = True,
    ) -> None:
        self._hears_all = hears_all
        self._initial = initial
        self.problem = problem
        self.watch = Watch(stop)
        self.reduction = Reduction.trivial(problem)
        self.floor: IntArray | None = None
        self.labels: IntArray | None = None
        self._outcome: Outcome | None = None  # whose labels those of the core are, if it is known
        self._objective = self._floor_objective = math.inf
        self._holds_floor = False  # whether each region is known to be no worse than the floor's
        self.objectives: dict[str, float] = {}
        self.seconds: dict[str, float] = {}
        self.details: dict[str, Any] = {}

    @property
    def core(self) -> Problem:
        """What is left to solve."""
        return self.reduction.problem

    def lay_floor(self) -> None:
        """Run ``gaec``, even if there is no time: it always has a partition."""
        self.take_floor("gaec", self.carry_out("gaec", self.gaec_task()))

    def gaec_task(self) -> _core.Task:
        """Return ``gaec`` for the problem."""
        return gaec.task(self.problem)

    def take_floor(self, name: str, outcome: Outcome) -> None:
        """Begin with a solution of the problem."""
        self.floor = self.labels = outcome.labels
        self._outcome = outcome
        self._objective = self._floor_objective = self.objectives[name] = outcome.objective
        self.watch.improved(outcome.objective)
        if self._initial is not None:
            # Also if the time is up: what the caller has is not to be lost.
            self._take_regions("initial", self._initial)
            self.floor, self._floor_objective = self.labels, self._objective

    def reduce(self) -> None:
        """Make the problem smaller; the core then gets a start of its own."""
        if self.is_over() or not can_be_reduced(self.problem):
            return
        reduced = _core.reduce(
            self.problem.graph,
            self.problem.costs,
            time_limit=self.seconds_for_reduction,
            callback=lambda *_: self.is_over(),
            is_interrupted=self.is_interrupted,
        )
        self.take_reduction(reduced)
        if self.is_reduced:
            self.take_start("core_gaec", self.carry_out("core_gaec", self.core_gaec_task()))

    @property
    def seconds_for_reduction(self) -> float:
        """How long a reduction may take."""
        return _SHARE_OF_REDUCTION * self.watch.seconds_left

    def take_reduction(self, reduced: _core.Reduced) -> None:
        """Go on with a smaller problem, if it is smaller; it needs a start of its own then."""
        self.seconds["reduce"] = reduced.seconds
        self.watch.hear_of(StopReason(reduced.stopped_by))
        if reduced.graph.num_nodes < self.problem.num_nodes:
            self.reduction = Reduction.of_native(reduced)
            # Labels have to be lifted and compared with the floor.
            self.watch.reserve = _SECONDS_TO_LIFT * (
                self.problem.num_nodes + self.problem.num_edges
            )
            self.details["reduced_nodes"] = self.core.num_nodes

    @property
    def is_reduced(self) -> bool:
        """Whether the core is smaller than the problem."""
        return self.core is not self.problem

    def lift(self) -> None:
        """Go on with the problem itself, from the best of what was found so far."""
        assert self.floor is not None
        assert self.labels is not None
        labels = self.reduction.lift(self.labels)
        value = objective(self.problem, labels)
        if value > self._floor_objective:
            labels, value = self.floor, self._floor_objective
        self.reduction = Reduction.trivial(self.problem)
        self.labels, self._objective, self._outcome = labels, value, None
        del self.details["reduced_nodes"]

    def core_gaec_task(self) -> _core.Task:
        """Return ``gaec`` for the core."""
        return gaec.task(self.core)

    def take_start(self, _name: str, outcome: Outcome) -> None:
        """Begin with a solution of the core, which may be worse than the floor."""
        self.labels, self._objective = outcome.labels, outcome.objective
        self._outcome = outcome
        self.watch.improved(outcome.objective + self.reduction.offset)
        if self._initial is not None:
            self._take_regions("core_initial", self.reduction.lower(self._initial))

    @property
    def seconds_for_dual_greedy(self) -> float:
        """How long ``dual-greedy`` may take; zero if local search makes more of the time left."""
        seconds = _SHARE_OF_CONTRACTION * self.watch.seconds_left
        return seconds if seconds >= _core.seconds_to_guide(self.core.graph) else 0.0

    def dual_greedy_task(
        self, num_threads: int = 1, *, is_quick: bool = False, policy: str = "balanced"
    ) -> _core.Task:
        """Return ``dual-greedy`` for the core; if it is to be quick, as ``klj`` starts with it."""
        if is_quick:
            return _core.quick_dual_greedy(
                self.core.graph, self.core.costs, num_threads=num_threads
            )
        options = dual_greedy.DualGreedyOptions(policy=policy, num_threads=num_threads)
        return dual_greedy.task(self.core, options)

    def klj_task(self, initial: IntArray | None = None) -> _core.Task:
        """Return ``klj`` from labels of the core, by default from where things stand."""
        labels = self.labels if initial is None else initial
        return klj.task(self.core, klj.KljOptions(initial=labels), checks_initial=False)

    def fusion_task(
        self, seed: int, *, max_proposals: int, patience: int, num_threads: int
    ) -> _core.Task:
        """Return fusion moves from where things stand."""
        options = fusion.FusionOptions(
            initial=self.labels,
            max_proposals=max_proposals,
            patience=patience,
            num_threads=num_threads,
        )
        return fusion.search_task(self.core, options, seed, reduces=False, checks_initial=False)

    def advance(self, name: str, task: _core.Task, seconds: float = math.inf) -> None:
        """Run a solver of the core for at most so many seconds; take what it finds."""
        if not self.is_over():
            self.take(name, self.carry_out(name, task, seconds))

    def take(self, name: str, outcome: Outcome) -> None:
        """Take what a solver of the core has found, if it is better."""
        self._take(name, outcome.labels, outcome.objective, outcome)

    def take_regions(self, name: str, outcome: Outcome) -> None:
        """Take what a solver of the core has found where it is better, region by region."""
        if self.is_over():  # there is no time left to compare regions
            self.take(name, outcome)
        else:
            self._take_regions(name, outcome.labels)

    def _take_regions(self, name: str, labels: IntArray) -> None:
        assert self.labels is not None
        is_floor = self.labels is self.floor and not self.is_reduced
        both = _core.better_regions(
            self.core.graph,
            self.core.costs,
            self.labels,
            labels,
            is_interrupted=self.is_interrupted,
        )
        self.watch.hear_of(StopReason(both.stopped_by))
        self._take(name, plain(both.labels), both.objective)
        self._holds_floor = is_floor

    def _take(
        self, name: str, labels: IntArray, value: float, outcome: Outcome | None = None
    ) -> None:
        # Solvers that never get worse may still do so by rounding.
        if value <= self._objective:
            self.labels, self._objective, self._outcome = labels, value, outcome
            self._holds_floor = False
        self.objectives[name] = self._objective + self.reduction.offset
        self.watch.improved(self.objectives[name])

    def finish(self, *, compares_regions: bool = True) -> Outcome:
        """Return the better of what was found and the floor, by default region by region."""
        assert self.floor is not None
        assert self.labels is not None
        details = {**self.details, "objectives": self.objectives, "seconds": self.seconds}
        # Each stage began with what the one before it had found, so the last one has the best: if
        # the time is up, that has to do.
        is_enough = self.watch.is_stopped or self.labels is self.floor or self._holds_floor
        if (is_enough or not compares_regions) and not self.is_reduced:
            found_last = self._outcome or Outcome.of_labels(
                self.problem, self.labels, trace=np.zeros((0, 2)), is_sound=True
            )
            if found_last.objective <= self._floor_objective:
                self.watch.finish(found_last.objective)
                return replace(
                    found_last,
                    trace=self.watch.trace,
                    stopped_by=self.watch.stopped_by,
                    details=details,
                )
        problem = self.problem
        labels = self.floor
        found = self._floor_objective
        others = [self.reduction.lift(self.labels)]
        if not np.array_equal(others[0], labels):
            both = _core.better_regions(
                problem.graph,
                problem.costs,
                labels,
                others[0],
                is_interrupted=self.is_interrupted,
            )
            self.watch.hear_of(StopReason(both.stopped_by))
            others.append(plain(both.labels))
        # Sums by region are rounded; the exact objective has the last word.
        for other in others:
            value = objective(problem, other)
            if value < found or (value == found and self._is_better(other, labels)):
                labels, found = other, value
        self.watch.improved(found)
        self.watch.finish(found)
        return Outcome.of_labels(
            problem,
            labels,
            trace=self.watch.trace,
            stopped_by=self.watch.stopped_by,
            details=details,
            is_sound=True,
        )

    def _is_better(self, labels: IntArray, others: IntArray) -> bool:
        """Whether labels cost less than others, though not by as much as objectives are rounded."""
        problem = self.problem
        cut, other_cut = cut_of_labels(problem, labels), cut_of_labels(problem, others)
        return excess(problem.costs, cut, other_cut) < 0.0

    def is_over(self) -> bool:
        """Whether there is no time left for anything else."""
        return self.watch.should_stop()

    def is_enough(self, value: float) -> bool:  # noqa: ARG002
        """Whether no partition of the core can cost less than `value`."""
        return False

    def carry_out(self, name: str, task: _core.Task, seconds: float = math.inf) -> Outcome:
        """Run a solver until the deadline, or for so many seconds of the time there is."""
        left = self.watch.seconds_left
        offset = self.reduction.offset

        def hear(progress: Progress) -> bool:
            if self._hears_all:
                self.watch.improved(progress.objective + offset)
            return self.is_over() or self.is_enough(progress.objective)

        start = self.watch.elapsed
        limit = Stop(min(seconds, left), hear)
        outcome = run_task(
            task, limit, every_improvement=self._hears_all, is_interrupted=self.is_interrupted
        )
        if not self._hears_all:
            self.watch.follow(outcome.trace, start, offset)
        self.note(name, outcome, self.watch.elapsed - start, had_all_time=left <= seconds)
        return outcome

    def note(
        self, name: str, outcome: Outcome, seconds: float, *, had_all_time: bool = True
    ) -> None:
        """Note how long a solver took; after Ctrl-C, or if it had all of the time, that was all."""
        self.seconds[name] = seconds
        self.watch.hear_of(outcome.stopped_by)
        if outcome.stopped_by is StopReason.TIME_LIMIT and had_all_time and not self.is_over():
            self.watch.stop(StopReason.TIME_LIMIT)
