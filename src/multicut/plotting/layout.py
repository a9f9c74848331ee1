"""Layouts of graphs without positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multicut.plotting.canvas import as_positions

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from multicut._arrays import FloatArray
    from multicut.problem import Problem

_ROUNDS = 150
_FEWEST_ROUNDS = 30
# Up to this size all rounds take a second or two; larger graphs get fewer rounds.
_SMALL = 800
#: Larger graphs are placed on a spiral.
MOST_NODES = 3_000


def positions_of(problem: Problem, positions: ArrayLike | None) -> FloatArray:
    """Return the given positions, checked, or a layout if there are none."""
    return spread_out(problem) if positions is None else as_positions(positions, problem.num_nodes)


def spread_out(problem: Problem, seed: int = 0) -> FloatArray:
    """Return a layout by Fruchterman and Reingold's method; attractive edges pull nodes together.

    Parameters
    ----------
    problem
        The graph; with more than a few thousand nodes, these are placed on a spiral.
    seed
        Determines the initial positions.
    """
    n = problem.num_nodes
    if n > MOST_NODES:
        turns = np.sqrt(np.arange(n) / n)
        angles = np.arange(n) * np.pi * (3 - np.sqrt(5))
        return np.stack([turns * np.cos(angles), turns * np.sin(angles)], axis=1)
    points = np.random.default_rng(seed).random((n, 2))
    u, v = problem.edges.T
    costs = np.where(np.isfinite(problem.costs), problem.costs, 0.0)
    # Repulsive edges pull weakly, which keeps the graph together.
    pull = np.where(costs > 0, 1.0, 0.15)
    ideal = 1.0 / np.sqrt(max(n, 1))
    num_rounds = round(np.clip(_ROUNDS * (_SMALL / max(n, 1)) ** 2, _FEWEST_ROUNDS, _ROUNDS))
    for step in np.linspace(0.1, 0.002, num_rounds):
        # The sum over j of (p_i - p_j) r_ij, as products of matrices.
        lengths = (points**2).sum(axis=1)
        squared = lengths[:, None] + lengths[None] - 2 * points @ points.T
        repulsion = ideal**2 / np.maximum(squared, 1e-9)
        np.fill_diagonal(repulsion, 0.0)
        force = points * repulsion.sum(axis=1, keepdims=True) - repulsion @ points
        along = points[u] - points[v]
        along *= (pull * np.linalg.norm(along, axis=1) / ideal)[:, None]
        np.add.at(force, u, -along)
        np.add.at(force, v, along)
        length = np.maximum(np.linalg.norm(force, axis=1, keepdims=True), 1e-12)
        points = points + force / length * np.minimum(length, step)
    return points
