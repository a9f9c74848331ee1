"""Where to look: corrections that are expected to change most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut import _core
from multicut.partition import canonical, labels_of_cut
from multicut.proofreading.calibration import DEFAULT, frustration_of, scale_of

if TYPE_CHECKING:
    from multicut._arrays import BoolArray, FloatArray, IntArray
    from multicut.problem import Problem

# For each suggestion, how many candidates local search looks at, and at least.
_CANDIDATES_EACH, _FEWEST_CANDIDATES = 10, 40
# Of each cluster, how many places to split it are candidates.
_SPLITS_PER_CLUSTER = 4
_REGION_SIZE = 100


@dataclass(frozen=True)
class Suggestion:
    """A correction that may be worth making.

    Attributes
    ----------
    kind
        ``"join"`` or ``"separate"``: the opposite of what the partition does.
    u, v
        The two nodes, which have an edge.
    margin
        By how much the objective would rise.
    probability
        That the correction is right, as far as margins tell.
    size
        How much would change: the number of nodes, or the sum of their weights.
    expected_change
        Probability times size; suggestions come in the order of it.
    """

    kind: str
    u: Any
    v: Any
    margin: float
    probability: float
    size: float
    expected_change: float


def rank_flips(
    live: _core.LivePartition, problem: Problem, weights: FloatArray, count: int
) -> list[tuple[int, float, float, float]]:
    """Return edges to flip, with margin, probability and size, the largest expected change first.

    Simple changes tell which edges are candidates; local search tells what flipping them does.
    """
    labels = canonical(live.labels.astype(np.int64))
    cut = labels[problem.edges[:, 0]] != labels[problem.edges[:, 1]]
    rough = _core.simple_flips(problem.graph, problem.costs, labels)
    scale = scale_of(problem.costs)
    frustration = frustration_of(problem.costs, cut)
    sizes = np.bincount(labels, weights).astype(np.float64)
    doubts = 1.0 - DEFAULT.probabilities(rough, scale, frustration)
    doubts *= _rough_sizes(problem, labels, cut, sizes)
    edges = _candidates(problem, labels, cut, rough, doubts, count)
    margins, changed = live.flips(edges, _REGION_SIZE, weights)
    is_possible = np.isfinite(margins) & (changed > 0)
    edges, margins, changed = edges[is_possible], margins[is_possible], changed[is_possible]
    chances = 1.0 - DEFAULT.probabilities(margins, scale, frustration)
    order = np.argsort(-chances * changed, kind="stable")[:count]
    return [(int(edges[i]), float(margins[i]), float(chances[i]), float(changed[i])) for i in order]


def _rough_sizes(
    problem: Problem, labels: IntArray, cut: BoolArray, sizes: FloatArray
) -> FloatArray:
    """Return how much a flip may change: the smaller of two clusters, or half of one."""
    u, v = labels[problem.edges[:, 0]], labels[problem.edges[:, 1]]
    rough: FloatArray = np.where(cut, np.minimum(sizes[u], sizes[v]), 0.5 * sizes[u])
    return rough


def _is_settled(problem: Problem) -> BoolArray:
    """Whether constraints determine how each edge is treated."""
    must, cannot = problem.costs == np.inf, problem.costs == -np.inf
    groups = labels_of_cut(problem, ~must)
    u, v = groups[problem.edges[:, 0]], groups[problem.edges[:, 1]]
    keys = np.minimum(u, v) * (int(groups.max(initial=0)) + 1) + np.maximum(u, v)
    settled: BoolArray = (u == v) | np.isin(keys, keys[cannot])
    return settled


def _candidates(
    problem: Problem,
    labels: IntArray,
    cut: BoolArray,
    rough: FloatArray,
    doubts: FloatArray,
    count: int,
) -> IntArray:
    """Return the most promising edges: one for two clusters, a few for a cluster."""
    u, v = labels[problem.edges[:, 0]], labels[problem.edges[:, 1]]
    low, high = np.minimum(u, v), np.maximum(u, v)
    is_open = np.isfinite(rough) & ~_is_settled(problem)
    order = np.lexsort((-problem.costs, -doubts))
    order = order[is_open[order]]
    # How many edges of the same clusters come before.
    keys = low[order] * (int(labels.max(initial=0)) + 1) + high[order]
    by_key = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.diff(keys[by_key], prepend=-1))
    lengths = np.diff(starts, append=len(keys))
    rank = np.empty(len(keys), dtype=np.int64)
    rank[by_key] = np.arange(len(keys)) - np.repeat(starts, lengths)
    kept = order[rank < np.where(cut[order], 1, _SPLITS_PER_CLUSTER)]
    chosen: IntArray = kept[: max(_CANDIDATES_EACH * count, _FEWEST_CANDIDATES)]
    return chosen
