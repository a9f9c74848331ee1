"""When a solve has to end before it converges."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Callback = Callable[[float, float], Any]


@dataclass(frozen=True)
class Stop:
    """A deadline, and a callback that hears of progress and may end the solve.

    Parameters
    ----------
    time_limit
        Seconds; None means no limit.
    callback
        Called now and then with the best objective so far and the seconds elapsed; a true return
        value stops the solver, which then returns its best solution.
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
