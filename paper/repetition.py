"""The quickest of some repetitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Outcome = TypeVar("Outcome")

_REPEATS = 3
# What takes longer than this is not repeated.
_SHORT_SECONDS = 1.0
# And after this, there is nothing that a warm-up would make much shorter.
_LONG_SECONDS = 8.0


def quickest(
    work: Callable[[], Outcome],
    seconds_of: Callable[[Outcome], float],
    *,
    warm_up: bool = False,
) -> Outcome:
    """Return the outcome that took the least time.

    Parameters
    ----------
    work
        Runs once.
    seconds_of
        How long that took.
    warm_up
        Whether the first run is not to count, as it compiles kernels; if it is long, it does.
    """
    runs = [work()]
    if warm_up and seconds_of(runs[0]) <= _LONG_SECONDS:
        runs = [work()]
    while len(runs) < _REPEATS and seconds_of(runs[-1]) <= _SHORT_SECONDS:
        runs.append(work())
    return min(runs, key=seconds_of)
