"""Pictures of problems and results that come without an image."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multicut._words import count
from multicut.app.canvas import INK, draw, plain_axes
from multicut.app.subjects import GraphSubject
from multicut.plotting import plot_problem, plot_solution
from multicut.plotting.palette import ATTRACTIVE, REPULSIVE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from multicut.problem import Problem
    from multicut.result import Result

_BINS = 60


def picture_of_problem(subject: GraphSubject, dark: bool = False) -> NDArray[np.uint8]:
    """Draw attraction blue and repulsion red; how costs are distributed, if there is too much."""
    positions = subject.positions
    if positions is None:
        return picture_of_costs(subject.problem, dark)
    return draw(lambda ax: plot_problem(subject.problem, positions, ax), dark=dark)


def picture_of_clusters(
    subject: GraphSubject, result: Result, dark: bool = False
) -> NDArray[np.uint8]:
    """Draw clusters in colours; how large they are, if there are too many nodes."""
    positions = subject.positions
    if positions is None:
        return picture_of_sizes(result, dark)
    return draw(lambda ax: plot_solution(subject.problem, result, positions, ax), dark=dark)


def picture_of_costs(problem: Problem, dark: bool = False) -> NDArray[np.uint8]:
    """Draw how many edges attract and repel, and how much."""
    finite = problem.costs[np.isfinite(problem.costs)]

    def paint(ax: Axes) -> None:
        plain_axes(ax, "cost of an edge", "edges")
        if len(finite) == 0:
            _say(ax, "no edge has a finite cost")
            return
        # A few extreme costs would squeeze all others into one bar.
        low, high = np.quantile(finite, [0.002, 0.998])
        low, high = (low, high) if low < high else (low - 1, high + 1)
        shown = np.clip(finite, low, high)
        edges = np.linspace(low, high, _BINS + 1)
        for part, colour, name in (
            (shown[shown > 0], ATTRACTIVE, "attractive"),
            (shown[shown <= 0], REPULSIVE, "repulsive"),
        ):
            ax.hist(part, bins=list(edges), color=colour, label=f"{len(part):,} {name}")
        # Matplotlib would search for the best place, and warn where that takes long.
        ax.legend(frameon=False, labelcolor=INK, loc="upper right")

    return draw(paint, dark=dark)


def picture_of_sizes(result: Result, dark: bool = False) -> NDArray[np.uint8]:
    """Draw how many clusters have how many nodes."""
    sizes = np.bincount(result.labels) if len(result.labels) else np.empty(0, dtype=np.int64)

    def paint(ax: Axes) -> None:
        plain_axes(ax, "nodes of a cluster", "clusters")
        if len(sizes) == 0:
            _say(ax, "no nodes")
            return
        largest = int(sizes.max())
        edges = np.unique(np.geomspace(1, largest + 1, 40).astype(int))
        edges = edges if len(edges) > 1 else np.array([1, 2])
        ax.hist(sizes, bins=list(edges), color=ATTRACTIVE, edgecolor="white", linewidth=0.4)
        ax.set_xscale("log")
        ax.set_yscale("symlog")
        ax.set_title(
            f"{count(len(sizes), 'cluster')}, the largest of {count(largest, 'node')}",
            color=INK,
            fontsize=11,
        )

    return draw(paint, dark=dark)


def _say(ax: Axes, text: str) -> None:
    ax.text(0.5, 0.5, text, ha="center", va="center", color=INK, transform=ax.transAxes)
