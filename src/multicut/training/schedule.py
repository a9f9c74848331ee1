"""The weight of the cycle consistency loss in the course of training."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AlphaSchedule:
    """0 up to `start` instances, then a line up to `alpha` over `ramp` instances, then held.

    The paper has start = 3 M and ramp = 100 k, and goes on for another 50 k instances.
    """

    alpha: float
    start: int
    ramp: int

    def at(self, instances: int) -> float:
        """Return α for a step before which so many instances were seen."""
        if self.alpha == 0 or instances < self.start:
            return 0.0
        if instances >= self.start + self.ramp:
            return self.alpha
        return self.alpha * (instances - self.start) / self.ramp
