"""Deadline, callback and trace of one solve, and the one place that notes why it ends."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut.stop import Progress, StopReason

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from multicut._arrays import FloatArray
    from multicut.stop import Stop

_SECONDS_BETWEEN_CALLS = 0.02
# Of an objective, what rounding may make of it.
_ROUNDING = 1e-12


class Watch:
    """Deadline, callback and trace of one solve.

    Attributes
    ----------
    best
        The objective of the best partition so far.
    describe
        Tells the lower bound and other details at any time, for the callback.
    reserve
        Seconds before the deadline in which to end, for what comes after the search.
    """

    def __init__(self, stop: Stop) -> None:
        self._stop = stop
        self._start = time.perf_counter()
        self._last_call = 0.0
        self._trace: list[tuple[float, float]] = []
        self._bound: float | None = None
        self._stopped_by = StopReason.CONVERGED
        self.best = np.inf
        self.reserve = 0.0
        self.describe: Callable[[], tuple[float | None, Mapping[str, Any]]] = lambda: (None, {})

    @property
    def stopped_by(self) -> StopReason:
        """Why the solve has to end; ``"converged"`` while nothing ends it."""
        return self._stopped_by

    @property
    def is_stopped(self) -> bool:
        """Whether something has ended the solve; unlike `should_stop`, without a look around."""
        return self._stopped_by is not StopReason.CONVERGED

    def stop(self, reason: StopReason) -> None:
        """End the solve; the first reason stays."""
        if not self.is_stopped:
            self._stopped_by = reason

    def hear_of(self, reason: StopReason) -> None:
        """Take note of why a stage ended: Ctrl-C ends all, any other reason the stage alone."""
        if reason is StopReason.INTERRUPT:
            self.stop(reason)

    @property
    def elapsed(self) -> float:
        """Seconds since the solve began."""
        return time.perf_counter() - self._start

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline."""
        return max(self._stop.seconds - self.reserve - self.elapsed, 0.0)

    @property
    def trace(self) -> FloatArray:
        """One row (seconds, objective) for each improvement."""
        return np.array(self._trace, dtype=np.float64).reshape(-1, 2)

    def improved(self, objective: float) -> None:
        """Take note of a better partition."""
        if objective < self.best:
            self.best = objective
            self._trace.append((self.elapsed, objective))
            self.report()

    def follow(self, trace: FloatArray, start: float, offset: float) -> None:
        """Take over what a solver that began at `start` tells of its way, afterwards.

        Its objectives lack `offset`.
        """
        for seconds, objective in trace.tolist():
            # A sum that the solver kept and the exact one differ by rounding.
            if objective + offset < self.best - _ROUNDING * abs(objective):
                self.best = objective + offset
                self._trace.append((start + seconds, self.best))

    def finish(self, objective: float) -> None:
        """End the trace with the objective of what the caller gets, which is exact."""
        while self._trace and self._trace[-1][1] <= objective:
            self._trace.pop()
        self._trace.append((self.elapsed, objective))

    def should_stop(self) -> bool:
        """Whether the solve has to end now."""
        if self.seconds_left == 0.0:
            self.stop(StopReason.TIME_LIMIT)
        if self.elapsed - self._last_call > _SECONDS_BETWEEN_CALLS:
            self.report()
        return self.is_stopped

    def report(self) -> None:
        """Tell the callback how things stand."""
        callback = self._stop.callback
        if callback is None or self.is_stopped:
            return
        self._last_call = self.elapsed
        bound, details = self.describe()
        # A sum over blocks may fall by rounding; a bound that held once holds for ever.
        if bound is not None:
            self._bound = bound if self._bound is None else max(self._bound, bound)
        try:
            if callback(Progress(self.best, self._last_call, self._bound, details)):
                self.stop(StopReason.CALLBACK)
        except KeyboardInterrupt:
            self.stop(StopReason.INTERRUPT)
