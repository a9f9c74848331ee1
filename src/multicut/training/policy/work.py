"""How long a contraction takes, estimated without a clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from multicut._arrays import FloatArray, IntArray
    from multicut.solvers.dual_greedy import Policy

# In units of gaec's time on the same graph: once, and for each packing of the whole graph. They are
# fitted to processor times of 70 policies on the generators (benchmarks/contraction_work.py).
_ONCE = 1.38
_REBUILD = 0.16
_TRIANGLES = 0.143
_TRIANGLE_SWEEPS = 0.038
_SQUARES_ALONE = 0.352
_SQUARES = 0.256
_SQUARE_SWEEPS = 0.032


def estimate_work(policy: Policy, num_nodes: IntArray, num_clusters: IntArray) -> FloatArray:
    """Return the time of ``dual-greedy`` on each graph, in multiples of that of ``gaec``.

    The numbers of nodes and clusters tell exactly how often cycles are packed, and on how many
    nodes. What the packing of one node takes is a constant that was measured once. Sweeps after the
    first take little, since most cycles are used up by then. Squares take less after triangles.

    Parameters
    ----------
    policy
        The constants.
    num_nodes, num_clusters
        Of each graph, before and after the contraction.
    """
    triangles, squares = policy.triangle_sweeps, policy.square_sweeps
    packing = _REBUILD
    if triangles > 0:
        packing += _TRIANGLES + _TRIANGLE_SWEEPS * np.log2(triangles)
    if squares > 0:
        packing += _SQUARES if triangles > 0 else _SQUARES_ALONE
        packing += _SQUARE_SWEEPS * np.log2(squares)
    return _ONCE + packing * count_packings(policy.share, num_nodes, num_clusters)


def count_packings(share: float, num_nodes: IntArray, num_clusters: IntArray) -> FloatArray:
    """Return how often cycles are packed: the nodes of all packings over those of the graph."""
    left = np.array(num_nodes, dtype=np.int64)
    packed = left.copy()  # there is a first packing also where nothing attracts
    while True:
        left = np.maximum(left - np.maximum((share * left).astype(np.int64), 1), num_clusters)
        is_open = left > num_clusters
        if not is_open.any():
            return packed / np.maximum(num_nodes, 1)
        packed += np.where(is_open, left, 0)
