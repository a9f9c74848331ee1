"""How good objectives are beside the best ones known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from multicut._arrays import FloatArray
    from multicut.datasets import LabelledProblem

# Objectives that differ by less, relative to the larger one, differ by rounding.
_ROUNDING = 1e-9


def objective_ratios(objectives: ArrayLike, optima: ArrayLike) -> FloatArray:
    """Return max(0, c(y) / c(optimal y)) of each graph; where nothing is to be gained, 1 or 0."""
    found = np.asarray(objectives, dtype=np.float64)
    best = np.asarray(optima, dtype=np.float64)
    scaled = np.maximum(0.0, found / np.where(best < 0, best, 1.0)) + 0.0  # no negative zero
    return np.where(best < 0, scaled, np.where(found <= 0, 1.0, 0.0))


def optima_of(problems: Iterable[LabelledProblem]) -> list[float]:
    """Return the objectives that problems are labelled with; one without raises an error."""
    found = []
    for number, problem in enumerate(problems):
        if problem.objective is None:
            raise ValueError(f"problem {number} has no objective; label it with a solver first")
        found.append(float(problem.objective))
    return found


def num_worse(objectives: ArrayLike, others: ArrayLike) -> int:
    """Count the graphs on which objectives are higher than others by more than rounding."""
    found = np.asarray(objectives, dtype=np.float64)
    other = np.asarray(others, dtype=np.float64)
    return int((found > other + _ROUNDING * np.maximum(np.abs(found), np.abs(other))).sum())
