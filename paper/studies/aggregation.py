"""What one step of message passing sees of a signed graph, without and with its costs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from multicut.problem import Problem

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from multicut._arrays import FloatArray

#: A group of four nodes that attract each other, and two nodes that their neighbours repel.
EXAMPLE = Problem(
    [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (0, 4), (1, 4), (2, 5), (3, 5)],
    [2.0, 3.0, 2.0, 3.0, 2.0, -2.0, -1.0, -1.0, -3.0],
)
_TITLES = (
    "(a) means of neighbours: all states stay equal",
    "(b) normalised signed sums: signs differ",
)
_POSITIONS = ((0.0, 1.0), (1.0, 1.5), (1.0, 0.5), (2.0, 1.0), (0.2, 2.3), (1.8, -0.3))


def means_of_neighbours(problem: Problem) -> FloatArray:
    """Return the states after a mean over a node and its neighbours, which all begin with 1."""
    sums, counts = np.ones(problem.num_nodes), np.ones(problem.num_nodes)
    for end in problem.edges.T:
        np.add.at(sums, end, 1.0)
        np.add.at(counts, end, 1.0)
    return sums / counts


def signed_sums(problem: Problem) -> FloatArray:
    """Return what Eq. 7 adds to the states, which all begin with 1."""
    degrees = np.zeros(problem.num_nodes)
    for end in problem.edges.T:
        np.add.at(degrees, end, np.abs(problem.costs))
    u, v = problem.edges.T
    values = problem.costs / np.sqrt(degrees[u] * degrees[v])
    sums = np.zeros(problem.num_nodes)
    np.add.at(sums, u, values)
    np.add.at(sums, v, values)
    return sums


def draw(picture: Path) -> None:
    """Draw both."""
    from paper.line_plots import save_plot

    figure, axes = _empty_panels()
    for ax, title, states in zip(
        axes,
        _TITLES,
        (means_of_neighbours(EXAMPLE), signed_sums(EXAMPLE)),
        strict=True,
    ):
        ax.set_title(title, loc="left", fontsize=11)
        _draw_states(ax, states)
    save_plot(figure, picture)


def _empty_panels() -> tuple[Figure, Sequence[Axes]]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4.2), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    axes: Sequence[Axes] = figure.subplots(1, 2)
    return figure, axes


def _draw_states(ax: Axes, states: FloatArray) -> None:
    from multicut.plotting.palette import ATTRACTIVE, CLUSTERS, NODE, REPULSIVE

    points = np.array(_POSITIONS)
    for (u, v), cost in zip(EXAMPLE.edges, EXAMPLE.costs, strict=True):
        colour = ATTRACTIVE if cost > 0 else REPULSIVE
        ax.plot(*points[[u, v]].T, color=colour, linewidth=2, zorder=1)
        x, y = points[[u, v]].mean(axis=0)
        box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
        ax.text(x, y, f"{cost:g}", color=colour, fontsize=9, ha="center", va="center", bbox=box)
    for (x, y), state in zip(points, states, strict=True):
        fill = CLUSTERS[0] if state >= 0 else CLUSTERS[1]
        ax.scatter(x, y, s=900, color=fill, edgecolors=NODE, zorder=3)
        ax.text(x, y, f"{state:.2f}", color="white", fontsize=9, ha="center", va="center", zorder=4)
    ax.set_aspect("equal")
    ax.margins(0.15)
    ax.set_axis_off()
