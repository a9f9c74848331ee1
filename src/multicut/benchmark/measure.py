"""Times and answers of one contender on one graph."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multicut.benchmark.contests import Contender


@dataclass(frozen=True)
class Measurement:
    """One contender on one graph: seconds of its best repetition, and what it found."""

    build_seconds: float
    solve_seconds: float
    objective: float
    num_clusters: int

    @property
    def total_seconds(self) -> float:
        """From edge arrays to labels."""
        return self.build_seconds + self.solve_seconds


def measure_once(
    contender: Contender, arrays: Any, clock: Callable[[], float] = time.perf_counter
) -> Measurement:
    """Build and solve once; the arrays have a method `objective`."""
    prepared = contender.prepare(arrays)
    start = clock()
    built = contender.build(prepared)
    middle = clock()
    labels = contender.solve(built)
    end = clock()
    return Measurement(
        middle - start, end - middle, arrays.objective(labels), len(set(labels.tolist()))
    )


def measure(
    contenders: list[Contender],
    arrays: Any,
    budget: float,
    max_repeats: int,
    clock: Callable[[], float] = time.perf_counter,
) -> list[Measurement]:
    """Take the best of several repetitions of each, in turns, so that all see the same machine.

    Parameters
    ----------
    contenders, arrays
        Who runs, on what.
    budget
        Seconds after which no further repetition begins; one is always made.
    max_repeats
        The most repetitions.
    clock
        What seconds are: of the world, or, where others use the machine, too, of this process.
    """
    best: list[Measurement | None] = [None] * len(contenders)
    start = time.perf_counter()
    for repeat in range(max_repeats):
        if repeat > 0 and time.perf_counter() - start > budget:
            break
        # Whoever comes second finds warmer caches: they take turns at that, too.
        order = range(len(contenders)) if repeat % 2 == 0 else range(len(contenders) - 1, -1, -1)
        for i in order:
            now = measure_once(contenders[i], arrays, clock)
            before = best[i]
            if before is None or now.total_seconds < before.total_seconds:
                best[i] = now
    return [measurement for measurement in best if measurement is not None]
