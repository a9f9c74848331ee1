"""Figure of objectives and bounds over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from multicut.plotting.frame import new_axes, quieten
from multicut.plotting.frontier import format_seconds
from multicut.plotting.palette import CLUSTERS, NODE
from multicut.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from multicut._arrays import FloatArray

# From this ratio of the longest to the shortest time on, the scale of time is logarithmic.
_WIDE = 30


def plot_trace(
    results: Result | Sequence[Result] | Mapping[str, Result], ax: Axes | None = None
) -> Axes:
    """Draw the objective of one or more results over time, with a dot at the end of each.

    Lower bounds are dashed, in the colour of their result; the optimal objective lies between bound
    and objective.

    Parameters
    ----------
    results
        A result, several, or several by name; by default the name is that of the solver.
    ax
        Where to draw; by default the axes of a new figure.
    """
    named = _by_name(results)
    ax = new_axes(6.4, 4.2) if ax is None else ax
    curves = [_curve(result) for _, result in named]
    low, top = _objective_range([result for _, result in named], curves)
    # The time axis begins where the first curve enters the axes.
    first = min(curve[curve[:, 1] <= top, 0].min() for curve in curves)
    last = max(curve[-1, 0] for curve in curves)
    wide = last > _WIDE * first
    ax.set_xscale("log" if wide else "linear")
    end = last * (1.6 if wide else 1.06)
    ax.set_xlim(first / 2 if wide else 0.0, end)
    for number, ((name, result), curve) in enumerate(zip(named, curves, strict=True)):
        colour = CLUSTERS[number % len(CLUSTERS)]
        seconds, objectives = curve.T
        ax.step(seconds, objectives, where="post", color=colour, linewidth=2.0, zorder=3)
        ax.plot([], [], "o-", color=colour, linewidth=2.0, markersize=6, label=name)
        ax.plot(seconds[-1], objectives[-1], "o", color=colour, markersize=7, zorder=5)
        ax.hlines(
            objectives[-1], seconds[-1], end, color=colour, linewidth=0.8, alpha=0.45, zorder=2
        )
        if result.lower_bound is not None and np.isfinite(result.lower_bound):
            bound = ax.axhline(result.lower_bound, color=colour, linewidth=1.3, zorder=4)
            bound.set_linestyle((0, (5, 3)))
            if len(named) == 1:
                ax.axhspan(result.lower_bound, result.objective, color=colour, alpha=0.08, zorder=1)
    if any(result.lower_bound is not None for _, result in named):
        ax.plot([], [], color=NODE, linestyle=(0, (5, 3)), linewidth=1.3, label="lower bound")
    ax.set_ylim(low, top)
    ax.xaxis.set_major_formatter(lambda value, _: format_seconds(value) if value > 0 else "0")
    ax.set_xlabel("time")
    ax.set_ylabel("objective")
    quieten(ax)
    ax.legend(frameon=False, fontsize=9, labelcolor=NODE, loc="upper right")
    return ax


def _by_name(
    results: Result | Sequence[Result] | Mapping[str, Result],
) -> list[tuple[str, Result]]:
    if isinstance(results, Result):
        return [(results.solver, results)]
    if isinstance(results, Mapping):
        named = list(results.items())
    else:
        named = [(getattr(result, "solver", ""), result) for result in results]
    for name, result in named:
        if not isinstance(result, Result):
            raise TypeError(f"results must be what multicut.solve returns, got {result!r} {name}")
    if not named:
        raise ValueError("results must not be empty")
    return named


def _curve(result: Result) -> FloatArray:
    """Return rows (seconds, objective) up to the end of the solve, with positive times."""
    rows = np.vstack([result.trace.reshape(-1, 2), [result.runtime, result.objective]])
    rows[:, 0] = np.maximum.accumulate(np.maximum(rows[:, 0], 1e-6))
    return np.asarray(rows[np.isfinite(rows[:, 1])])


def _objective_range(
    results: Sequence[Result], curves: Sequence[FloatArray]
) -> tuple[float, float]:
    """Return limits that show ends and bounds, and as much again of the descent before."""
    bounds = [result.lower_bound for result in results if result.lower_bound is not None]
    ends = [result.objective for result in results]
    low = min([*ends, *(bound for bound in bounds if np.isfinite(bound))])
    worst, highest = max(ends), max(float(curve[:, 1].max()) for curve in curves)
    span = worst - low if worst > low else highest - low
    top = min(highest, worst + 1.5 * span)
    margin = 0.08 * (top - low) or 0.05 * abs(low) or 1.0
    return low - margin, top + margin
