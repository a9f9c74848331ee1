"""Drawings of small graphs: clusters that keep their colours, numbers of nodes that are legible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from multicut.plotting.canvas import add_ids, add_lines, line_scale, prepare_axes, shows_ids
from multicut.plotting.embedding import principal_axes
from multicut.plotting.palette import CLUSTERS, CUT, NODE, cluster_colours

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation

    from multicut._arrays import FloatArray, IntArray
    from multicut.problem import Problem

#: Nodes that are clusters of their own. Cut edges are light grey, so that these are not.
SINGLE = NODE
# Where a number may be beside its node, in points: above it if possible.
_PLACES = ((0, 10), (0, -10), (11, 0), (-11, 0), (9, 8), (-9, 8), (9, -8), (-9, -8))
_RADIUS = 3.5
_GAP = 0.7


def matched_colours(*partitions: IntArray) -> list[list[str]]:
    """Choose colours for the nodes in several partitions of one graph.

    Parameters
    ----------
    partitions
        One label per node each. A cluster has the colour of the one in the first partition with
        which it shares most nodes, each of these once. Clusters of one node have a colour of their
        own.
    """
    first, *others = map(_without_singles, partitions)
    clusters, sizes = np.unique(first[first >= 0], return_counts=True)
    largest = clusters[np.argsort(-sizes, kind="stable")].tolist()
    numbers = {label: number for number, label in enumerate(largest)}
    matched = [_colours(other, _matched(other, first, numbers)) for other in others]
    return [_colours(first, numbers), *matched]


def _without_singles(labels: IntArray) -> IntArray:
    """Return labels that are -1 where a cluster has one node."""
    return np.where(np.bincount(labels)[labels] > 1, labels, -1)


def _colours(labels: IntArray, numbers: dict[int, int]) -> list[str]:
    return [
        CLUSTERS[numbers[label] % len(CLUSTERS)] if label >= 0 else SINGLE
        for label in labels.tolist()
    ]


def _matched(labels: IntArray, first: IntArray, numbers: dict[int, int]) -> dict[int, int]:
    """Return the numbers of the colours of clusters, given those of the first partition."""
    from scipy.optimize import linear_sum_assignment

    both = (labels >= 0) & (first >= 0)
    shared = np.zeros((max(labels.max(), 0) + 1, max(first.max(), 0) + 1))
    np.add.at(shared, (labels[both], first[both]), 1)
    pairs = zip(*linear_sum_assignment(shared, maximize=True), strict=True)
    found = {int(u): numbers[int(v)] for u, v in pairs if shared[u, v] > 0}
    new = max(numbers.values(), default=-1) + 1
    for label in np.unique(labels[labels >= 0]).tolist():
        if label not in found:
            found[label], new = new, new + 1
    return found


def distinct_colours(problem: Problem, labels: IntArray) -> list[str]:
    """Choose colours for the nodes such that clusters joined by an edge differ."""
    from matplotlib.colors import to_hex

    chosen = cluster_colours(problem, labels)
    return [SINGLE if label < 0 else to_hex(chosen[label]) for label in _without_singles(labels)]


def draw_cut(
    ax: Axes, problem: Problem, labels: IntArray, colours: Sequence[str], points: FloatArray
) -> None:
    """Draw a graph with its clusters in colours, one for each node, and cut edges thin and grey."""
    prepare_axes(ax, points)
    u, v = problem.edges.T
    cut = labels[u] != labels[v]
    scale = line_scale(problem)
    add_lines(ax, points, problem.edges[cut], CUT, 0.7 * scale, order=1)
    inside = [colours[node] for node in u[~cut]]
    add_lines(ax, points, problem.edges[~cut], inside, 2.6 * scale, order=2)
    _draw_nodes(ax, points, colours, 22 * scale**2)
    if shows_ids(problem):
        add_ids(ax, points, problem)


def draw_states(
    ax: Axes, problem: Problem, states: FloatArray, labels: IntArray, colours: Sequence[str]
) -> None:
    """Draw nodes by the first two principal axes of their states, and edges inside clusters."""
    points = principal_axes(states)
    prepare_axes(ax, points)
    ax.set_aspect("auto")
    u, v = problem.edges.T
    inside = labels[u] == labels[v]
    add_lines(ax, points, problem.edges[inside], CUT, 0.5 * line_scale(problem), order=1)
    _draw_nodes(ax, points, colours, 40)
    if shows_ids(problem):
        add_ids(ax, points, problem)


def _draw_nodes(ax: Axes, points: FloatArray, colours: Sequence[str], size: float) -> None:
    ax.scatter(
        points[:, 0],
        points[:, 1],
        s=size,
        c=list(colours),
        edgecolors="white",
        linewidths=0.6,
        zorder=3,
    )


def separate_numbers(figure: Figure) -> None:
    """Move numbers of nodes apart, and remove those for which there is no room.

    The layout of the figure has to be complete but for them.
    """
    numbers = {ax: _numbers(ax) for ax in figure.axes}
    for texts in numbers.values():
        for text in texts:
            text.set_in_layout(False)
            text.set(ha="center", va="center")
    figure.draw_without_rendering()
    for ax, texts in numbers.items():
        _separate(ax, texts)


def _numbers(ax: Axes) -> list[Annotation]:
    from matplotlib.text import Annotation

    return [text for text in ax.texts if isinstance(text, Annotation)]


def _separate(ax: Axes, numbers: Sequence[Annotation]) -> None:
    from matplotlib.transforms import Bbox

    unit = ax.figure.dpi / 72
    radius = _RADIUS * unit
    centres = ax.transData.transform([text.xy for text in numbers]) if numbers else ()
    taken = [Bbox([centre - radius, centre + radius]) for centre in centres]
    for text in numbers:
        for place in _PLACES:
            text.xyann = place
            box = text.get_window_extent().padded(_GAP * unit)
            is_inside = ax.figure.bbox.contains(*box.min) and ax.figure.bbox.contains(*box.max)
            if is_inside and not any(box.overlaps(other) for other in taken):
                taken.append(box)
                break
        else:
            text.remove()
