"""What all figures of graphs share: where nodes lie, and how axes are set up for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection
    from numpy.typing import ArrayLike

    from multicut._arrays import FloatArray, IntArray
    from multicut.problem import Problem

# Above this, a vector file would be slow to open: the lines are stored as pixels inside it.
_MAX_VECTOR_EDGES = 20_000


def as_positions(positions: ArrayLike, num_nodes: int) -> FloatArray:
    """Validate one finite point (x, y) per node."""
    points = np.asarray(positions, dtype=np.float64)
    if points.shape != (num_nodes, 2):
        raise ValueError(
            f"positions must hold one point (x, y) per node, shape ({num_nodes}, 2), "
            f"got {points.shape}"
        )
    if not np.isfinite(points).all():
        node = int(np.flatnonzero(~np.isfinite(points).all(axis=1))[0])
        raise ValueError(f"positions must be finite, got {points[node]} at node {node}")
    return points


def prepare_axes(ax: Axes | None, points: FloatArray) -> Axes:
    """Return axes with equal scales and without frame, that show all points."""
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(6, 6), layout="constrained")
    ax.set_aspect("equal")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_visible(False)
    if len(points) > 0:
        ax.update_datalim(points)
        ax.autoscale_view()
    return ax


def line_scale(problem: Problem) -> float:
    """Thinner lines and smaller dots for larger and denser graphs: 1 at 180 nodes of degree 8."""
    num_nodes, num_edges = max(problem.num_nodes, 1), max(problem.num_edges, 1)
    room = min(1.0, (4 * num_nodes / num_edges) ** 0.5)
    return float(np.clip(room * (180 / num_nodes) ** 0.4, 0.12, 2.0))


def add_lines(
    ax: Axes,
    points: FloatArray,
    edges: IntArray,
    colours: ArrayLike,
    widths: ArrayLike,
    order: int,
) -> LineCollection:
    """Draw edges as one collection of line segments."""
    from matplotlib.collections import LineCollection

    lines = LineCollection(
        list(points[edges]),
        colors=colours,
        linewidths=widths,
        capstyle="round",
        zorder=order,
        rasterized=len(edges) > _MAX_VECTOR_EDGES,
    )
    ax.add_collection(lines)
    return lines
