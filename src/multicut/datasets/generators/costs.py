"""Random signed costs, for families whose structure says nothing about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._options import option

if TYPE_CHECKING:
    from multicut._arrays import FloatArray

DISTRIBUTIONS = ("gaussian", "laplace", "uniform", "signs")


def distribution_option() -> Any:
    """Declare which sizes costs have."""
    return option("gaussian", "sizes of the costs; signs: all are 1", choices=DISTRIBUTIONS)


def attractive_option() -> Any:
    """Declare how many edges attract."""
    return option(0.5, "probability that an edge attracts", least=0, most=1)


def draw_costs(
    rng: np.random.Generator, count: int, distribution: str, attractive_share: float
) -> FloatArray:
    """Draw independent sizes, and for each a sign."""
    signs = np.where(rng.random(count) < attractive_share, 1.0, -1.0)
    if distribution == "gaussian":
        return signs * np.abs(rng.normal(0, 1, count))
    if distribution == "laplace":
        return signs * rng.exponential(1, count)
    if distribution == "uniform":
        return signs * rng.random(count)
    return signs


def draw_size(rng: np.random.Generator, least: int, most: int) -> int:
    """Draw a whole number, all from `least` to `most` alike."""
    # One double is all that is used of the stream, whatever the range.
    return least + int(rng.random() * (most - least + 1))
