"""Weights of losses in the course of training."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Ramp:
    """`before` up to `start` instances, then a line to `after` over `length` instances, then held.

    The paper's α goes from 0 to 0.01 with start = 3 M and length = 100 k, and is then held for
    another 50 k instances.
    """

    before: float
    after: float
    start: int
    length: int

    def at(self, instances: int) -> float:
        """Return the weight in a step before which so many instances were seen."""
        if instances >= self.start + self.length:
            return self.after
        share = max(0, instances - self.start) / max(self.length, 1)
        return self.before + (self.after - self.before) * share
