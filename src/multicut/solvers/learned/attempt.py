"""One problem of the solver ``learned`` on its way through the stages."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING

import numpy as np

from multicut.exact.reduction import can_be_reduced
from multicut.partition import objective
from multicut.solvers import fusion
from multicut.solvers.attempt import Attempt
from multicut.solvers.gnn.plain_problem import is_constrained
from multicut.solvers.protocol import Outcome
from multicut.stop import StopReason

if TYPE_CHECKING:
    from multicut._arrays import IntArray
    from multicut.problem import Problem
    from multicut.stop import Stop

# Stages that are not named as what finds the partition.
_SOLVERS_OF_STAGES = {
    "regions": "network",
    "packing_regions": "packing",
    "greedy_klj": "klj",
    "dual_greedy": "dual-greedy",
    "quick_dual_greedy": "dual-greedy",
}
# Of an objective, what rounding may make of it.
_ROUNDING = 1e-12
# From here on, a GPU that has found more than ``gaec`` is left alone with the problem.
_MANY_EDGES_FOR_KLJ = 1_000_000


class LearnedAttempt(Attempt):
    """One problem to which a network proposes a partition.

    Parameters
    ----------
    problem, stop
        As the solver gets them.
    interrupted
        Set once Ctrl-C was pressed, for all problems of a batch.
    initial
        Labels that the solution must not be worse than.

    Attributes
    ----------
    greedy
        Labels of the core that the network's proposal was compared with, once there was one.
    gpu_has_won
        Whether a GPU has found a better partition than ``gaec``, or there was no ``gaec``.
    """

    def __init__(
        self,
        problem: Problem,
        stop: Stop,
        interrupted: threading.Event,
        initial: IntArray | None = None,
    ) -> None:
        super().__init__(problem, stop, initial, hears_all=stop.callback is not None)
        self.greedy: IntArray | None = None
        self.gpu_has_won = False
        self._interrupted = interrupted
        self.is_interrupted = interrupted.is_set
        self._start = math.inf  # what the core began with
        self._started_by = "gaec"

    @property
    def is_large(self) -> bool:
        """Whether local search on a processor takes much longer than all that a GPU does."""
        return self.core.num_edges > _MANY_EDGES_FOR_KLJ

    @property
    def has_proposal(self) -> bool:
        """Whether a network or a GPU has proposed a partition."""
        return self.gpu_has_won or self.greedy is not None

    def note_start(self) -> None:
        """Note what the core begins with, after a reduction."""
        self._start = self._objective + self.reduction.offset

    def reduction_pays(self) -> bool:
        """Whether the problem can be made smaller, and that saves time."""
        return can_be_reduced(self.problem) and fusion.reduction_pays(
            self.problem, self.watch.seconds_left
        )

    def propose(self, labels: IntArray, source: str = "network") -> None:
        """Take labels of the core where they are better, region by region."""
        self.greedy = self.labels
        self.objectives[source] = objective(self.core, labels) + self.reduction.offset
        self._take_regions("regions" if source == "network" else f"{source}_regions", labels)

    def outcome_of(self, labels: IntArray) -> Outcome:
        """Return a partition of the problem that a GPU has found, with what it costs."""
        # Without constraints, a search there compares with what needs no search.
        is_sound = not is_constrained(self.problem)
        return Outcome.of_labels(self.problem, labels, trace=np.zeros((0, 2)), is_sound=is_sound)

    def take_from_gpu(self, found: Outcome, *, compares_regions: bool) -> None:
        """Take a partition of the problem that a GPU has found, if it is better than the floor.

        Parameters
        ----------
        found
            The partition.
        compares_regions
            Whether to take it region by region; else, and where there is no floor, all or none.
        """
        if self.floor is None:
            self.gpu_has_won = True
            self._started_by = "packing"
            self.take_floor("packing", found)
            self.note_start()
            return
        before = self._objective
        if compares_regions:
            self.propose(found.labels, "packing")
        else:
            self.take("packing", found)
            self.floor, self._floor_objective = self.labels, self._objective
        self.gpu_has_won = self.objectives["packing"] < before

    def finish(self, *, compares_regions: bool = True) -> Outcome:
        """Return the better of what was found and the floor, by default region by region."""
        self._hear_interrupt()
        self.details["found_by"] = self._found_by()
        return super().finish(compares_regions=compares_regions)

    def _found_by(self) -> str:
        """Return the stage after which nothing got better."""
        best, found_by = self._start, self._started_by
        for stage, value in self.objectives.items():
            # What is proposed counts where it is kept, which "regions" tells.
            is_proposed = f"{stage}_regions" in self.objectives or stage == "network"
            if not is_proposed and value < best - _ROUNDING * abs(value):
                best, found_by = value, stage
        return _SOLVERS_OF_STAGES.get(found_by, found_by)

    def is_over(self) -> bool:
        """Whether there is no time left for anything else."""
        self._hear_interrupt()
        return super().is_over()

    def _hear_interrupt(self) -> None:
        if self._interrupted.is_set():
            self.watch.stop(StopReason.INTERRUPT)
