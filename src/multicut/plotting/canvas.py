"""Common parts of figures of graphs: positions of nodes, axes, lines, ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multicut.plotting.palette import NODE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection
    from numpy.typing import ArrayLike

    from multicut._arrays import FloatArray, IntArray
    from multicut.problem import Problem

# Above this, a vector file would be slow to open: the lines are stored as pixels inside it.
_MAX_VECTOR_EDGES = 20_000
# Ids of more nodes would hide the graph, and so would longer ones.
_MOST_IDS = 30
_LONGEST_ID = 16


def as_positions(positions: ArrayLike, num_nodes: int) -> FloatArray:
    """Validate one finite point (x, y) per node."""
    points = np.asarray(positions, dtype=np.float64)
    if points.shape != (num_nodes, 2):
        raise ValueError(
            f"positions must contain one point (x, y) per node, shape ({num_nodes}, 2), "
            f"got {points.shape}"
        )
    if not np.isfinite(points).all():
        node = int(np.flatnonzero(~np.isfinite(points).all(axis=1))[0])
        raise ValueError(f"positions must be finite, got {points[node]} at node {node}")
    return points


def prepare_axes(ax: Axes | None, points: FloatArray) -> Axes:
    """Return axes with equal scales and without a frame that show all points."""
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


def shows_ids(problem: Problem) -> bool:
    """Whether a graph is small enough to show the ids of its nodes."""
    return 0 < problem.num_nodes <= _MOST_IDS


def add_ids(ax: Axes, points: FloatArray, problem: Problem) -> None:
    """Write the id of each node beside it; long names are cut."""
    from matplotlib.patheffects import withStroke

    # Letters need an outline to be legible over edges.
    rim = [withStroke(linewidth=2.5, foreground="white")]
    for (x, y), node in zip(points, problem.node_ids.tolist(), strict=True):
        text = str(node)
        ax.annotate(
            text if len(text) <= _LONGEST_ID else f"{text[: _LONGEST_ID - 1]}…",
            (x, y),
            xytext=(0, 5),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=8,
            color=NODE,
            path_effects=rim,
            zorder=5,
            # Node ids are not formulas.
            parse_math=False,
            annotation_clip=False,
        )


def line_scale(problem: Problem) -> float:
    """Return the scale of lines and dots: 1 at 180 nodes of degree 8, less for larger graphs."""
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
