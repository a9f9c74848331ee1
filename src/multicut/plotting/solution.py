"""Figure of a solution: clusters as colours, cut edges in the background."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multicut.partition import as_labels, canonical
from multicut.plotting.canvas import add_ids, add_lines, line_scale, prepare_axes, shows_ids
from multicut.plotting.layout import positions_of
from multicut.plotting.palette import CUT, cluster_colours
from multicut.problem import check_problem
from multicut.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from multicut.problem import Problem


def plot_solution(
    problem: Problem,
    solution: Result | ArrayLike,
    positions: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the edges inside each cluster in its colour, and cut edges thin and grey.

    Clusters that are joined by an edge have different colours; single nodes are grey.
    Up to 30 nodes, their ids are written beside them.

    Parameters
    ----------
    problem
        The problem that was solved.
    solution
        A result, or one label per node.
    positions
        One point (x, y) per node, shape (num_nodes, 2); by default a layout in which what attracts
        lies close together.
    ax
        Where to draw; by default the axes of a new figure.
    """
    check_problem(problem)
    given = solution.labels if isinstance(solution, Result) else solution
    labels = canonical(as_labels(given, problem.num_nodes))
    points = positions_of(problem, positions)
    ax = prepare_axes(ax, points)
    ends = labels[problem.edges]
    cut = ends[:, 0] != ends[:, 1]
    colours = cluster_colours(problem, labels)
    scale = line_scale(problem)
    add_lines(ax, points, problem.edges[cut], CUT, 0.7 * scale, order=1)
    add_lines(ax, points, problem.edges[~cut], colours[ends[~cut, 0]], 2.6 * scale, order=2)
    alone = np.bincount(labels)[labels] < 2 if len(labels) else np.empty(0, dtype=bool)
    ax.scatter(
        points[:, 0],
        points[:, 1],
        s=np.where(alone, 10, 22) * scale**2,
        c=colours[labels],
        edgecolors="white",
        linewidths=0.5 * scale,
        zorder=3,
    )
    if shows_ids(problem):
        add_ids(ax, points, problem)
    return ax
