"""Figures of node embeddings: a projection to the plane, and pairwise similarity."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multicut.partition import as_labels, canonical
from multicut.plotting.canvas import add_ids, add_lines, line_scale, prepare_axes, shows_ids
from multicut.plotting.palette import CUT, cluster_colours

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from multicut._arrays import FloatArray, IntArray
    from multicut.problem import Problem


def plot_embedding(
    problem: Problem, states: ArrayLike, labels: ArrayLike, ax: Axes | None = None
) -> Axes:
    """Draw nodes by the first two principal components of their states, in cluster colours.

    Parameters
    ----------
    problem
        The graph; its edges within clusters are drawn thin and grey.
    states
        Shape (num_nodes, width): the embedding.
    labels
        One label per node.
    ax
        Where to draw; by default the axes of a new figure.
    """
    clusters = canonical(as_labels(labels, problem.num_nodes))
    points = principal_axes(_as_states(states, problem.num_nodes))
    ax = prepare_axes(ax, points)
    ax.set_aspect("auto")
    inside = clusters[problem.edges[:, 0]] == clusters[problem.edges[:, 1]]
    add_lines(ax, points, problem.edges[inside], CUT, 0.5 * line_scale(problem), order=1)
    colours = cluster_colours(problem, clusters)
    ax.scatter(
        points[:, 0],
        points[:, 1],
        c=colours[clusters],
        s=40,
        edgecolors="white",
        linewidths=0.6,
        zorder=3,
    )
    if shows_ids(problem):
        add_ids(ax, points, problem)
    return ax


def plot_similarity(states: ArrayLike, ax: Axes | None = None) -> Axes:
    """Draw the cosine similarity of all pairs of nodes, ordered so that similar ones are adjacent.

    Parameters
    ----------
    states
        Shape (num_nodes, width): the embedding.
    ax
        Where to draw; by default the axes of a new figure.
    """
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(5, 5), layout="constrained")
    similarity = cosine_similarity(_as_states(states))
    order = similarity_order(similarity)
    picture = ax.imshow(similarity[np.ix_(order, order)], cmap="RdBu_r", vmin=-1, vmax=1)
    ax.set(xticks=[], yticks=[])
    ax.figure.colorbar(picture, ax=ax, shrink=0.85)
    return ax


def principal_axes(states: FloatArray) -> FloatArray:
    """Project centred states on their first two principal axes; missing axes are 0."""
    centred = states - states.mean(axis=0, keepdims=True) if len(states) else states
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    points = np.zeros((len(states), 2))
    found = centred @ axes[:2].T
    points[:, : found.shape[1]] = found
    return points


def cosine_similarity(states: FloatArray) -> FloatArray:
    """Return the cosine between all pairs of rows; 0 where a row is 0."""
    lengths = np.linalg.norm(states, axis=1, keepdims=True)
    unit = states / np.where(lengths > 0, lengths, 1.0)
    return np.asarray(unit @ unit.T)


def similarity_order(similarity: FloatArray) -> IntArray:
    """Order nodes by the leaves of an average-linkage tree, so that similar ones are neighbours."""
    n = len(similarity)
    if n < 3:
        return np.arange(n)
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    distance = np.clip(1 - similarity, 0, None)
    distance = (distance + distance.T) / 2
    np.fill_diagonal(distance, 0)
    tree = linkage(squareform(distance, checks=False), method="average", optimal_ordering=True)
    return np.asarray(leaves_list(tree), dtype=np.int64)


def _as_states(states: ArrayLike, num_nodes: int | None = None) -> FloatArray:
    values = np.asarray(states, dtype=np.float64)
    rows = "num_nodes" if num_nodes is None else num_nodes
    if values.ndim != 2 or (num_nodes is not None and len(values) != num_nodes):
        raise ValueError(f"states must have shape ({rows}, width), got {values.shape}")
    if not np.isfinite(values).all():
        node = int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
        raise ValueError(f"states must be finite, got nan or inf at node {node}")
    return values
