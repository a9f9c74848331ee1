"""Corrections about whole clusters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from multicut._arrays import BoolArray, IntArray
    from multicut.proofreading.corrections import Correction
    from multicut.proofreading.proofreader import Proofreader


def join_clusters(proof: Proofreader, u: Any, v: Any) -> Correction:
    """Join the clusters of two nodes, where :meth:`Proofreader.join` is about the nodes alone.

    A must-link between two nodes may be satisfied at the least cost by moving one of them. If that
    is so, the evidence against the whole border is taken as wrong: repulsive edges between the two
    clusters attract instead. Either way it is one correction.

    Parameters
    ----------
    proof
        The partition to correct.
    u, v
        Two nodes of different clusters.
    """
    a, b = proof._names.pair(u, v)
    labels = proof.labels.astype(np.int64)
    first, second = labels == labels[a], labels == labels[b]
    correction = proof.join(u, v)
    if labels[a] == labels[b] or _are_joined(proof.labels.astype(np.int64), first, second):
        return correction
    proof.undo()
    pairs, costs = [(u, v)], [math.inf]
    problem = proof.problem
    for edge in edges_at_border(proof, a, b):
        ends, cost = problem.edges[edge].tolist(), float(problem.costs[edge])
        if -math.inf < cost < 0 and set(ends) != {a, b}:
            pairs.append((proof._names.name(ends[0]), proof._names.name(ends[1])))
            costs.append(-2 * cost)
    if len(pairs) == 1:
        return proof.redo()
    return proof.add_edges(pairs, costs)


def divide_cluster(proof: Proofreader, u: Any, v: Any) -> Correction:
    """Divide the cluster of two nodes, where :meth:`Proofreader.separate` is about these alone.

    A cannot-link between two nodes may be satisfied at the least cost by cutting off one of them.
    Here parts of the cluster join either node by the largest mean cost, and the evidence along the
    border between the two sides is taken as wrong: attractive edges repel instead. It is one
    correction.

    Parameters
    ----------
    proof
        The partition to correct.
    u, v
        Two nodes of the same cluster.
    """
    a, b = proof._names.pair(u, v)
    if proof.labels[a] != proof.labels[b]:
        return proof.separate(u, v)
    pairs, costs = [(u, v)], [-math.inf]
    problem = proof.problem
    for edge in edges_at_border(proof, a, b):
        ends, cost = problem.edges[edge].tolist(), float(problem.costs[edge])
        if 0 < cost < math.inf and set(ends) != {a, b}:
            pairs.append((proof._names.name(ends[0]), proof._names.name(ends[1])))
            costs.append(-2 * cost)
    return proof.add_edges(pairs, costs) if len(pairs) > 1 else proof.separate(u, v)


def edges_at_border(proof: Proofreader, a: int, b: int) -> IntArray:
    """Return the edges between the clusters of two nodes, or between parts of one cluster."""
    labels = proof.labels
    first, second = labels == labels[a], labels == labels[b]
    if labels[a] == labels[b]:
        first = np.zeros(len(labels), dtype=np.bool_)
        first[proof._live.part_around(a, b)] = True
        second = second & ~first
    edges: IntArray = np.flatnonzero(_between(proof.problem.edges, first, second))
    return edges


def _are_joined(labels: IntArray, first: BoolArray, second: BoolArray) -> bool:
    """Whether most of two former clusters are in one now."""
    most = [int(np.bincount(labels[part]).argmax()) for part in (first, second)]
    return most[0] == most[1]


def _between(edges: IntArray, first: BoolArray, second: BoolArray) -> BoolArray:
    u, v = edges.T
    between: BoolArray = (first[u] & second[v]) | (second[u] & first[v])
    return between
