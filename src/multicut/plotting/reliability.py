"""Figure of how often probabilities are right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from multicut._checks import check_integer
from multicut.plotting.frame import new_axes, quieten
from multicut.plotting.palette import CLUSTERS, NODE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from multicut._arrays import FloatArray


def plot_reliability(
    probabilities: ArrayLike | Mapping[str, ArrayLike],
    is_right: ArrayLike | Mapping[str, ArrayLike],
    ax: Axes | None = None,
    *,
    num_bins: int = 10,
) -> Axes:
    """Draw how often edges are treated as in the truth, against the probability that they are.

    Calibrated probabilities lie on the diagonal. Each dot stands for as many edges as any other.

    Parameters
    ----------
    probabilities
        What was predicted for each edge, such as ``result.confidence``; or several by name.
    is_right
        Whether each edge is treated as in the truth; by the same names.
    ax
        Where to draw; by default the axes of a new figure.
    num_bins
        The number of dots.
    """
    count = check_integer(1, num_bins=num_bins)
    named = probabilities if isinstance(probabilities, Mapping) else {"": probabilities}
    truths = is_right if isinstance(is_right, Mapping) else {"": is_right}
    if named.keys() != truths.keys():
        raise ValueError("probabilities and is_right must have the same names")
    ax = new_axes(4.6, 4.4) if ax is None else ax
    least = 1.0
    for number, (name, values) in enumerate(named.items()):
        predicted, observed = _bins(values, truths[name], count)
        least = min(least, float(predicted.min()), float(observed.min()))
        colour = CLUSTERS[number % len(CLUSTERS)]
        ax.plot(predicted, observed, "o-", color=colour, linewidth=1.6, markersize=6, label=name)
    low = max(0.0, least - 0.05)
    ax.plot([low, 1.0], [low, 1.0], color=NODE, linewidth=1.0, linestyle=(0, (5, 3)), zorder=1)
    ax.set_xlim(low, 1.02)
    ax.set_ylim(low, 1.02)
    ax.set_xlabel("probability")
    ax.set_ylabel("share of edges as in the truth")
    quieten(ax)
    if any(named):
        ax.legend(frameon=False, fontsize=9, labelcolor=NODE, loc="upper left")
    return ax


def _bins(values: ArrayLike, is_right: ArrayLike, count: int) -> tuple[FloatArray, FloatArray]:
    """Return means of probabilities and of what is right, over bins of equal numbers of edges."""
    predicted = np.asarray(values, dtype=np.float64).ravel()
    right = np.asarray(is_right, dtype=np.float64).ravel()
    if predicted.shape != right.shape or predicted.size == 0:
        raise ValueError(
            f"probabilities and is_right must hold one value per edge, got {predicted.size} and "
            f"{right.size}"
        )
    order = np.argsort(predicted, kind="stable")
    parts = [part for part in np.array_split(order, count) if part.size]
    return (
        np.array([predicted[part].mean() for part in parts]),
        np.array([right[part].mean() for part in parts]),
    )
