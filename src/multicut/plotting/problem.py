"""Figure of a problem: its graph, with attraction and repulsion as colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multicut.plotting.canvas import add_ids, add_lines, line_scale, prepare_axes, shows_ids
from multicut.plotting.layout import positions_of
from multicut.plotting.palette import ATTRACTIVE, NODE, REPULSIVE
from multicut.problem import check_problem

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from multicut._arrays import FloatArray
    from multicut.problem import Problem


def plot_problem(
    problem: Problem, positions: ArrayLike | None = None, ax: Axes | None = None
) -> Axes:
    """Draw attractive edges blue and repulsive ones red; the wider, the stronger.

    Up to 30 nodes, their ids are written beside them.

    Parameters
    ----------
    problem
        The problem to draw.
    positions
        One point (x, y) per node, shape (num_nodes, 2); by default a layout in which attractive
        edges are short.
    ax
        Where to draw; by default the axes of a new figure.
    """
    check_problem(problem)
    from matplotlib.colors import to_rgba_array

    points = positions_of(problem, positions)
    ax = prepare_axes(ax, points)
    strength = edge_strength(problem.costs)
    repulsive = problem.costs < 0
    colours = to_rgba_array([ATTRACTIVE, REPULSIVE])[repulsive.astype(int)]
    colours[:, 3] = 0.25 + 0.65 * strength
    scale = line_scale(problem)
    # Weak edges first, so that strong ones lie on top of them.
    order = np.argsort(strength, kind="stable")
    widths = scale * (0.5 + 2.0 * strength)
    add_lines(ax, points, problem.edges[order], colours[order], widths[order], order=1)
    ax.scatter(points[:, 0], points[:, 1], s=9 * scale**2, color=NODE, linewidths=0, zorder=2)
    if shows_ids(problem):
        add_ids(ax, points, problem)
    return ax


def edge_strength(costs: FloatArray) -> FloatArray:
    """Return absolute costs on a scale from 0 to 1 that is robust to a few extreme ones."""
    finite = np.abs(costs[np.isfinite(costs)])
    largest = float(np.quantile(finite, 0.98)) if finite.size else 0.0
    if largest == 0.0:
        return np.isinf(costs).astype(np.float64)
    with np.errstate(over="ignore"):
        return np.asarray(np.clip(np.abs(costs) / largest, 0.0, 1.0))
