"""When a solve has to end before it converges, and what it tells on the way."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class StopReason(StrEnum):
    """Why a solve ended: it equals its text, which files and JSON hold."""

    CONVERGED = "converged"
    TIME_LIMIT = "time_limit"
    CALLBACK = "callback"
    INTERRUPT = "interrupt"  # Ctrl-C

    def __repr__(self) -> str:
        return repr(self.value)


@dataclass(frozen=True)
class Progress:
    """What a running solver has reached.

    Attributes
    ----------
    objective
        Of the best partition so far.
    elapsed
        Seconds since the solver began.
    lower_bound
        No partition costs less; None where no bound is known yet.
    details
        What else the solver counts, such as cutting planes.
    """

    objective: float
    elapsed: float
    lower_bound: float | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def gap(self) -> float | None:
        """How far the objective can be from optimal, relative to it; None without a bound."""
        return relative_gap(self.objective, self.lower_bound)


def relative_gap(objective: float, lower_bound: float | None) -> float | None:
    """Return the distance of an objective from its bound, relative to the objective."""
    if lower_bound is None:
        return None
    distance = max(objective - lower_bound, 0.0)
    return distance / abs(objective) if distance > 0 and objective else distance


Callback = Callable[[Progress], Any]
NativeCallback = Callable[[float, float], Any]


@dataclass(frozen=True)
class Stop:
    """A deadline, and a callback that hears of progress and may end the solve.

    Parameters
    ----------
    time_limit
        Seconds; None means no limit.
    callback
        Called now and then with the :class:`Progress` so far; a true return value stops the solver,
        which then returns its best solution.
    """

    time_limit: float | None = None
    callback: Callback | None = None

    def __post_init__(self) -> None:
        if self.time_limit is not None:
            if isinstance(self.time_limit, bool) or not isinstance(self.time_limit, numbers.Real):
                raise TypeError(f"time_limit must be seconds or None, got {self.time_limit!r}")
            if not self.time_limit >= 0:
                raise ValueError(f"time_limit must be at least 0 seconds, got {self.time_limit!r}")
        if self.callback is not None and not callable(self.callback):
            raise TypeError(f"callback must be callable, got {self.callback!r}")

    @property
    def seconds(self) -> float:
        """The time limit as a number."""
        return math.inf if self.time_limit is None else float(self.time_limit)

    @property
    def native_callback(self) -> NativeCallback | None:
        """The callback as solvers of the native core call it."""
        callback = self.callback
        if callback is None:
            return None
        return lambda objective, elapsed: callback(Progress(objective, elapsed))
