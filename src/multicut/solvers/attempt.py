"""One problem on its way to a solution, by one solver after the other."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut import _core
from multicut._arrays import plain
from multicut.exact.reduction import Reduction, reduce_until
from multicut.partition import objective
from multicut.solvers import fusion, gaec, klj
from multicut.solvers.protocol import NoOptions, Outcome
from multicut.stop import Stop
from multicut.watch import Watch

if TYPE_CHECKING:
    from multicut._arrays import IntArray
    from multicut.problem import Problem
    from multicut.stop import Progress

_SHARE_OF_REDUCTION = 0.2


class Attempt:
    """The best partition so far, and who found it: never worse than that of ``gaec``.

    Parameters
    ----------
    problem, stop
        As the solver gets them.
    listens
        Whether solvers report on their way; without it they end at the deadline only, and the trace
        has their ends only. Where many small problems are solved in threads, these would mostly
        wait for each other to report.

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

    def __init__(self, problem: Problem, stop: Stop, *, listens: bool = True) -> None:
        self.problem = problem
        self.watch = Watch(stop)
        self.reduction = Reduction.trivial(problem)
        self.floor: IntArray | None = None
        self.labels: IntArray | None = None
        self._objective = math.inf
        self.objectives: dict[str, float] = {}
        self.seconds: dict[str, float] = {}
        self.details: dict[str, Any] = {}
        self._listens = listens

    @property
    def core(self) -> Problem:
        """What is left to solve."""
        return self.reduction.problem

    def lay_floor(self) -> None:
        """Run ``gaec``, even if there is no time: it always has a partition."""
        outcome = self._timed("gaec", lambda stop: gaec.run(self.problem, NoOptions(), stop, 0))
        self.floor = self.labels = outcome.labels
        self._objective = self.objectives["gaec"] = outcome.objective
        self.watch.improved(outcome.objective)

    def reduce(self) -> None:
        """Make the problem smaller; the core then gets a start of its own."""
        if self.is_over():
            return
        start = time.perf_counter()
        hear = (lambda _: self.is_over()) if self._listens else None
        limit = Stop(_SHARE_OF_REDUCTION * self.watch.seconds_left, hear)
        reduction, stopped_by = reduce_until(self.problem, limit)
        self.seconds["reduce"] = time.perf_counter() - start
        if stopped_by == "interrupt":
            self.watch.stopped_by = "interrupt"
        if reduction.problem.num_nodes == self.problem.num_nodes:
            return
        self.reduction = reduction
        found = gaec.run(self.core, NoOptions(), Stop(self.watch.seconds_left), 0)
        self.labels, self._objective = found.labels, found.objective
        self.details["reduced_nodes"] = self.core.num_nodes

    def search_locally(self, seed: int) -> None:
        """Run ``klj`` from where things stand."""
        options = klj.KljOptions(initial=self.labels)
        self._advance("klj", lambda stop: klj.run(self.core, options, stop, seed))

    def search_from(self, name: str, initial: IntArray) -> None:
        """Run ``klj`` from labels of the core, and take what it finds, region by region."""
        if self.is_over():
            return
        assert self.labels is not None
        options = klj.KljOptions(initial=initial)
        other = self._timed(name, lambda stop: klj.run(self.core, options, stop, 0))
        both = _core.better_regions(self.core.graph, self.core.costs, self.labels, other.labels)
        self._take(name, plain(both.labels), both.objective)

    def fuse(
        self,
        name: str,
        seed: int,
        seconds: float = math.inf,
        *,
        max_proposals: int,
        patience: int,
        num_threads: int,
    ) -> None:
        """Make fusion moves from where things stand, for at most so many seconds."""
        options = fusion.FusionOptions(
            initial=self.labels,
            max_proposals=max_proposals,
            patience=patience,
            num_threads=num_threads,
        )
        self._advance(
            name, lambda stop: fusion.search(self.core, options, stop, seed, reduces=False), seconds
        )

    def finish(self) -> Outcome:
        """Return the better of what was found and the floor, region by region."""
        assert self.floor is not None
        assert self.labels is not None
        problem = self.problem
        labels = self.floor
        found = self.objectives["gaec"]
        others = [self.reduction.lift(self.labels)]
        if not np.array_equal(others[0], labels):
            both = _core.better_regions(problem.graph, problem.costs, labels, others[0])
            others.append(plain(both.labels))
        # Sums by region are rounded; the exact objective has the last word.
        for other in others:
            value = objective(problem, other)
            if value < found:
                labels, found = other, value
        self.watch.improved(found)
        self.watch.finish(found)
        return Outcome.of_labels(
            problem,
            labels,
            trace=self.watch.trace,
            stopped_by=self.watch.stopped_by,
            details={**self.details, "objectives": self.objectives, "seconds": self.seconds},
        )

    def is_over(self) -> bool:
        """Whether there is no time left for anything else."""
        return self.watch.should_stop()

    def is_enough(self, value: float) -> bool:  # noqa: ARG002
        """Whether no partition of the core can cost less than `value`."""
        return False

    def _advance(
        self, name: str, run: Callable[[Stop], Outcome], seconds: float = math.inf
    ) -> None:
        if self.is_over():
            return
        outcome = self._timed(name, run, seconds)
        self._take(name, outcome.labels, outcome.objective)

    def _take(self, name: str, labels: IntArray, value: float) -> None:
        # Solvers that never get worse may still do so by rounding.
        if value <= self._objective:
            self.labels, self._objective = labels, value
        self.objectives[name] = self._objective + self.reduction.offset
        self.watch.improved(self.objectives[name])

    def _timed(
        self, name: str, run: Callable[[Stop], Outcome], seconds: float = math.inf
    ) -> Outcome:
        """Run a solver until the deadline, or for so many seconds of the time there is."""
        left = self.watch.seconds_left

        def hear(progress: Progress) -> bool:
            self.watch.improved(progress.objective + self.reduction.offset)
            return self.is_over() or self.is_enough(progress.objective)

        start = time.perf_counter()
        outcome = run(Stop(min(seconds, left), hear if self._listens else None))
        self.seconds[name] = time.perf_counter() - start
        ends_all = outcome.stopped_by == "interrupt" or (
            outcome.stopped_by == "time_limit" and left <= seconds
        )
        if ends_all and not self.is_over():
            self.watch.stopped_by = outcome.stopped_by
        return outcome
