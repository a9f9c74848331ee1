"""Figure of quality against time, with the Pareto front."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from multicut.plotting.frame import new_axes, quieten
from multicut.plotting.palette import CLUSTERS, NODE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKERS = "osD^vPX"
_FRONT = "#c3c8d0"
# Ratios that differ from 1 by less than this are drawn as 1: rounding is not a loss of quality.
_OPTIMAL = 1e-7
_TIME_UNITS = ((1e-6, "µs"), (1e-3, "ms"), (1.0, "s"), (float("inf"), ""))


@dataclass(frozen=True)
class FrontierPoint:
    """Time and quality of one solver in one setting.

    Attributes
    ----------
    name
        The solver and its setting.
    seconds
        Time for one graph.
    ratio
        Its objective divided by the best known one, at most 1.
    group
        The solver: points of a group share a colour and a line; by default the name.
    """

    name: str
    seconds: float
    ratio: float
    group: str | None = None

    def __post_init__(self) -> None:
        if not (math.isfinite(self.seconds) and self.seconds > 0):
            raise ValueError(f"points: {self.name!r} must take a positive time, got {self.seconds}")
        if not 0 <= self.ratio <= 1 + _OPTIMAL:
            raise ValueError(
                f"points: the ratio of {self.name!r} must lie between 0 and 1, got {self.ratio}"
            )

    @property
    def loss(self) -> float:
        """Relative distance to the best known objective: 1 - ratio."""
        loss = 1.0 - self.ratio
        return loss if loss > _OPTIMAL else 0.0


def plot_frontier(points: Iterable[Any], ax: Axes | None = None) -> Axes:
    """Draw the quality of solvers against their time, and the Pareto front through the best.

    Both scales are logarithmic; that of quality is logarithmic in 1 - ratio, so that 0.99 and 0.999
    lie as far apart as 0.9 and 0.99. Points on the front (no other is as fast and better) are
    filled and named; a line joins the settings of a solver.

    Parameters
    ----------
    points
        :class:`FrontierPoint`, rows ``(name, seconds, ratio)`` or ``(name, seconds, ratio,
        group)``, or any objects with attributes of these names.
    ax
        Where to draw; by default the axes of a new figure.
    """
    given = [as_point(point) for point in points]
    if not given:
        raise ValueError("points must not be empty")
    ax = new_axes(7.2, 4.6) if ax is None else ax
    _scale(ax, given)
    front = pareto_front(given)
    ax.step(
        [*(point.seconds for point in front), 1.6 * max(point.seconds for point in given)],
        [*(point.loss for point in front), front[-1].loss],
        where="post",
        color=_FRONT,
        linewidth=6,
        alpha=0.55,
        solid_capstyle="round",
        zorder=1,
        label="_front",
    )
    groups = list(dict.fromkeys(point.group or point.name for point in given))
    for number, group in enumerate(groups):
        members = [point for point in given if (point.group or point.name) == group]
        members.sort(key=lambda point: point.seconds)
        marker = _MARKERS[number // len(CLUSTERS) % len(_MARKERS)]
        _draw_group(ax, group, members, front, CLUSTERS[number % len(CLUSTERS)], marker)
    for point in front:
        _name(ax, point)
    quieten(ax)
    ax.legend(
        loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9, labelcolor=NODE
    )
    return ax


def as_point(point: Any) -> FrontierPoint:
    """Convert a row, or an object with the same attributes, to a point."""
    if isinstance(point, FrontierPoint):
        return point
    if all(hasattr(point, name) for name in ("name", "seconds", "ratio")):
        row = (point.name, point.seconds, point.ratio, getattr(point, "group", None))
    elif isinstance(point, tuple | list) and len(point) in (3, 4):
        row = (*point, None)[:4]
    else:
        raise TypeError(f"points must contain rows (name, seconds, ratio), got {point!r}")
    name, seconds, ratio, group = row
    return FrontierPoint(
        str(name), float(seconds), float(ratio), None if group is None else str(group)
    )


def pareto_front(points: Iterable[FrontierPoint]) -> list[FrontierPoint]:
    """Return the points that are better than all others as fast, from fast to slow."""
    front: list[FrontierPoint] = []
    for point in sorted(points, key=lambda point: (point.seconds, point.loss)):
        if not front or point.loss < front[-1].loss:
            front.append(point)
    return front


def _draw_group(
    ax: Axes,
    group: str,
    members: list[FrontierPoint],
    front: list[FrontierPoint],
    colour: str,
    marker: str,
) -> None:
    seconds, losses = [p.seconds for p in members], [p.loss for p in members]
    ax.plot(seconds, losses, color=colour, linewidth=1.1, alpha=0.6, zorder=2, label="_settings")
    ax.scatter(
        seconds,
        losses,
        s=46,
        marker=marker,
        facecolors=[colour if point in front else "white" for point in members],
        edgecolors=colour,
        linewidths=1.5,
        zorder=3,
    )
    ax.scatter([], [], s=46, marker=marker, color=colour, label=group)


def _name(ax: Axes, point: FrontierPoint) -> None:
    """Write a name above and to the left of its point, where there are no other points."""
    from matplotlib.patheffects import withStroke

    ax.annotate(
        point.name,
        (point.seconds, point.loss),
        xytext=(-5, 5),
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize=8.5,
        color=NODE,
        zorder=4,
        annotation_clip=False,
        path_effects=[withStroke(linewidth=2.5, foreground="white")],
    )


def _scale(ax: Axes, points: list[FrontierPoint]) -> None:
    """Set a logarithmic scale of losses with zero loss at the top."""
    from matplotlib.ticker import NullLocator

    losses = [point.loss for point in points if point.loss > 0]
    finest = 10.0 ** math.floor(math.log10(min(losses, default=0.01)))
    worst = max(losses, default=0.1)
    ax.set_xscale("log")
    ax.set_yscale("symlog", linthresh=finest, linscale=0.5)
    times = [point.seconds for point in points]
    ax.set_xlim(min(times) / 3, max(times) * 2)
    ax.set_ylim(min(1.6 * worst, 1.1), -0.7 * finest)
    exponents = range(math.ceil(math.log10(worst) - 1e-9), math.floor(math.log10(finest)) - 1, -1)
    ticks = [10.0**exponent for exponent in exponents if exponent <= 0]
    names = ["0" if tick == 1 else f"{1 - tick:.{round(-math.log10(tick))}f}" for tick in ticks]
    ax.set_yticks([*ticks, 0.0], [*names, "1"])
    ax.yaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(lambda seconds, _: format_seconds(seconds))
    ax.set_xlabel("time per graph")
    ax.set_ylabel("objective ratio")


def format_seconds(seconds: float) -> str:
    """Format a time with a suitable unit: 1 ms, 10 s."""
    for unit, name in _TIME_UNITS[:-1]:
        if seconds < 999 * unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds:,.3g} s"
