"""Random sparse geometric problems (RandomMP)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multicut.problem import Problem

if TYPE_CHECKING:
    from multicut._arrays import FloatArray


def randommp(num_nodes: int | None = None, seed: int = 0) -> Problem:
    """Points in the unit square, each linked to about six nearest neighbours, Gaussian costs.

    Node i is linked to its k_i nearest neighbours with k_i ~ round(N(6, 2²)), at least one. Costs
    are drawn from N(0, 3²); their median is subtracted, so that half of the edges attract.

    Parameters
    ----------
    num_nodes
        The number of nodes, at least 2; by default drawn from round(N(180, 30²)).
    seed
        Determines the problem.
    """
    from scipy.spatial import cKDTree

    rng = np.random.default_rng(seed)
    points = _draw_points(rng, num_nodes)
    num_nodes = len(points)
    degrees = np.clip(np.rint(rng.normal(6, 2, num_nodes)).astype(int), 1, num_nodes - 1)

    # The nearest point to each is itself, so one more is asked for and the first left out.
    nearest = np.asarray(cKDTree(points).query(points, k=int(degrees.max()) + 1)[1])
    linked = np.arange(1, nearest.shape[1]) <= degrees[:, None]
    ends = np.stack([np.nonzero(linked)[0], nearest[:, 1:][linked]], axis=1)
    ends.sort(axis=1)
    keys = np.unique(ends[:, 0] * num_nodes + ends[:, 1])
    edges = np.stack(np.divmod(keys, num_nodes), axis=1)

    costs = rng.normal(0, 3, len(edges))
    return Problem(edges, costs - np.median(costs), num_nodes=num_nodes)


def randommp_points(num_nodes: int | None = None, seed: int = 0) -> FloatArray:
    """Return where the nodes of ``randommp(num_nodes, seed)`` lie, shape (num_nodes, 2)."""
    return _draw_points(np.random.default_rng(seed), num_nodes)


def _draw_points(rng: np.random.Generator, num_nodes: int | None) -> FloatArray:
    # The generator draws these first, so the points can be had without the rest of the problem.
    if num_nodes is None:
        num_nodes = max(2, round(rng.normal(180, 30)))
    if num_nodes < 2:
        raise ValueError(f"num_nodes must be at least 2, got {num_nodes}")
    return rng.random((num_nodes, 2))
