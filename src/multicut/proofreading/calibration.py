"""From margins to probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from multicut._arrays import BoolArray, FloatArray


def logistic(odds: FloatArray) -> FloatArray:
    """Return the probability of log odds."""
    probability: FloatArray = 1.0 / (1.0 + np.exp(-np.clip(odds, -700.0, 700.0)))
    return probability


@dataclass(frozen=True)
class Calibration:
    """How margins become probabilities.

    The log odds that an edge is treated as in the truth are ``intercept + slope · (margin / typical
    cost) ** power / (frustration + least_frustration)``. A margin says more where few costs had to
    be overruled: the frustration is their share of all |costs|.
    """

    intercept: float
    slope: float
    power: float
    least_frustration: float

    def probabilities(self, margins: FloatArray, scale: float, frustration: float) -> FloatArray:
        """Return the probability that edges of such margins are treated as in the truth."""
        ratio = np.minimum(np.maximum(margins, 0.0) / scale, 1e6)
        odds = self.intercept + self.slope * ratio**self.power / (
            frustration + self.least_frustration
        )
        return np.where(np.isposinf(margins), 1.0, logistic(odds))


# Fitted by benchmarks/edge_confidence.py on planted partitions and Voronoi region graphs.
DEFAULT = Calibration(intercept=-0.0843, slope=0.0836, power=0.816, least_frustration=0.0102)


def scale_of(costs: FloatArray) -> float:
    """Return the size of a typical cost: the median of what is finite and not zero."""
    sizes = np.abs(costs[np.isfinite(costs) & (costs != 0)])
    return float(np.median(sizes)) if sizes.size else 1.0


def frustration_of(costs: FloatArray, cut: BoolArray) -> float:
    """Return the share of all |costs| that a partition treats against their sign."""
    sizes = np.where(np.isfinite(costs), np.abs(costs), 0.0)
    total = float(sizes.sum())
    return float(sizes[(costs > 0) == cut].sum()) / total if total > 0 else 0.0
