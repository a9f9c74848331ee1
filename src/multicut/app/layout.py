"""Places for the nodes of graphs that come without any, fast enough for a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multicut.plotting.layout import spread_out

if TYPE_CHECKING:
    from multicut._arrays import FloatArray
    from multicut.problem import Problem

# Forces between all pairs of so many nodes take about a second.
_MOST_WITH_FORCES = 500
_ROUNDS = 60


def place_nodes(problem: Problem, seed: int = 0) -> FloatArray:
    """Place nodes so that what attracts lies close together.

    Small graphs are spread out by forces. In larger ones nodes start anywhere, and each moves to
    the mean of its neighbours, round after round, while the whole is kept centred, uncorrelated
    and of unit size: subspace iteration for the second and third eigenvector of the random walk.
    """
    if problem.num_nodes <= _MOST_WITH_FORCES:
        return spread_out(problem, seed)
    from scipy.sparse import csr_array

    n = problem.num_nodes
    u, v = problem.edges.T
    weights = np.where(problem.costs > 0, 1.0, 0.05)
    rows, columns = np.concatenate([u, v]), np.concatenate([v, u])
    matrix = csr_array((np.concatenate([weights, weights]), (rows, columns)), shape=(n, n))
    degrees = np.maximum(matrix.sum(axis=1), 1e-12)
    points = np.random.default_rng(seed).normal(size=(n, 2))
    for _ in range(_ROUNDS):
        # Half of the way keeps what oscillates from growing.
        points = 0.5 * (points + (matrix @ points) / degrees[:, None])
        points -= (degrees[:, None] * points).sum(axis=0) / degrees.sum()
        points, _ = np.linalg.qr(points)
    # Ranks fill the picture, where eigenvectors crowd most nodes in one place.
    order = np.argsort(np.argsort(points, axis=0, kind="stable"), axis=0, kind="stable")
    return np.asarray(order / max(n - 1, 1))
