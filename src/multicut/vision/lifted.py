"""Lifted edges from the neighbourhood of nodes and from their classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multicut import _core
from multicut._arrays import plain
from multicut._checks import check_integer
from multicut.problem import Problem
from multicut.vision.costs import log_odds

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from multicut._arrays import FloatArray, IntArray


def lifted_neighbourhood(problem: Problem | ArrayLike, distance: int) -> IntArray:
    """Return the pairs of nodes that are near, but not adjacent, to lift edges between them.

    Returns an integer array of shape (k, 2): pairs ``u < v``, ascending, whose shortest path has
    at least 2 and at most `distance` edges, whatever these cost.

    Parameters
    ----------
    problem
        A problem, or an integer array of edges of shape (m, 2) with nodes 0 … n-1.
    distance
        The longest path, in edges.
    """
    steps = check_integer(2, distance=distance)
    if not isinstance(problem, Problem):
        edges = np.asarray(problem)
        size = int(edges.max(initial=-1)) + 1 if edges.dtype.kind in "iu" else None
        problem = Problem(edges, np.zeros(len(edges)), num_nodes=size)
    return plain(_core.neighbourhood(problem.graph, steps))


def lift_by_classes(
    problem: Problem,
    classes: ArrayLike,
    *,
    distance: int = 3,
    same: float = 0.0,
    different: float = -1.0,
    ignore: int | None = -1,
    clip: float = 0.001,
) -> Problem:
    """Return the problem with lifted edges between near nodes whose classes are known.

    Nodes of different classes, such as nucleus and background, do not belong together; of two nodes
    of one class that is not known. So lifted edges repel by default, and those that would cost
    nothing are left out.

    Parameters
    ----------
    problem
        A problem; lifted edges that it has are kept.
    classes
        Integer array of shape (n,): the class of each node. Or an array of shape (n, K): the
        probabilities of K classes. Then a lifted edge costs the log odds that both nodes are of the
        same class, if that is more likely not the case, weighted by -`different`.
    distance
        How far lifted edges lead, in edges of the graph.
    same, different
        The cost of a lifted edge between nodes of the same class and of different ones.
    ignore
        The class of nodes of which nothing is known; they get no lifted edges.
    clip
        Smallest probability of being the same class, or not.
    """
    pairs = lifted_neighbourhood(problem, distance)
    array = np.asarray(classes)
    if array.ndim not in (1, 2) or len(array) != problem.num_nodes:
        raise ValueError(
            f"classes must have shape ({problem.num_nodes},) or ({problem.num_nodes}, K), a class "
            f"or probabilities for each node, got {array.shape}"
        )
    if array.ndim == 2:
        costs = -different * _from_probabilities(array, pairs, clip)
    elif array.dtype.kind in "iu":
        costs = _from_labels(array, pairs, same, different, ignore)
    else:
        raise TypeError(
            f"classes must be integers, or probabilities of K classes, got {array.dtype}"
        )
    counts = costs != 0
    return Problem(
        problem.edges,
        problem.costs,
        problem.num_nodes,
        node_ids=problem.node_ids,
        lifted_edges=np.concatenate([problem.lifted_edges, pairs[counts]]),
        lifted_costs=np.concatenate([problem.lifted_costs, costs[counts]]),
    )


def _from_labels(
    classes: NDArray[np.integer], pairs: IntArray, same: float, different: float, ignore: int | None
) -> FloatArray:
    first, second = classes[pairs[:, 0]], classes[pairs[:, 1]]
    costs = np.where(first == second, float(same), float(different))
    if ignore is not None:
        costs[(first == ignore) | (second == ignore)] = 0.0
    return costs


def _from_probabilities(
    probabilities: NDArray[np.floating], pairs: IntArray, clip: float
) -> FloatArray:
    if not np.all((probabilities >= 0) & (probabilities <= 1)):
        raise ValueError("classes must lie between 0 and 1, or be integers of shape (n,)")
    first, second = probabilities[pairs[:, 0]], probabilities[pairs[:, 1]]
    are_same = np.einsum("ij,ij->i", first, second, dtype=np.float64)
    costs: FloatArray = np.minimum(log_odds(1 - are_same, clip=clip), 0.0)
    return costs
