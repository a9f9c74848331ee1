"""Weights of losses and the learning rate in the course of training."""

from __future__ import annotations

import math
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


@dataclass(frozen=True)
class LearningRate:
    """Rises linearly over `warm_up` instances to `peak`; with `decays`, falls as a cosine to 0."""

    peak: float
    warm_up: int
    total: int
    decays: bool

    def at(self, instances: int) -> float:
        """Return the rate of a step before which so many instances were seen."""
        rate = self.peak * min(1.0, (instances + 1) / max(self.warm_up, 1))
        if self.decays:
            rate *= (1 + math.cos(math.pi * min(1.0, instances / self.total))) / 2
        return rate
