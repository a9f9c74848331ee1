"""Partitions of a problem's nodes: labels, cuts, and what they cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from multicut import _core
from multicut._arrays import given_array, plain
from multicut.problem import check_problem

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from multicut._arrays import BoolArray, IntArray
    from multicut.problem import Problem


def objective(problem: Problem, labels: ArrayLike) -> float:
    """Return the sum of the costs of edges between different labels, in double precision.

    Must-links and cannot-links do not count. If the labels violate one of them, the objective is
    ``inf``.

    If there are lifted edges, clusters have to be connected by edges: nodes of one label that are
    not connected count as several clusters. A lifted edge adds its cost if its ends lie in
    different clusters.
    """
    check_problem(problem)
    return evaluate(problem, labels)[0]


def is_feasible(problem: Problem, cut: ArrayLike, lifted_cut: ArrayLike | None = None) -> bool:
    """Return whether the cut edges are exactly those between the clusters of some partition.

    Equivalently, no cycle has exactly one cut edge, no must-link is cut, and every cannot-link is.
    Lifted must-links and cannot-links are constraints, too.

    Parameters
    ----------
    problem
        The graph and its costs.
    cut
        Whether each edge is cut. This defines the clusters: the components of the other edges.
    lifted_cut
        Whether each lifted edge is cut. If it is passed, the lifted edges that are cut must be
        exactly those between different clusters.
    """
    check_problem(problem)
    flags = as_cut(cut, problem.num_edges)
    labels = _core.connected_components(problem.graph, flags)
    value, closed, lifted_closed = evaluate_all(problem, labels)
    if lifted_cut is not None:
        lifted_flags = as_cut(lifted_cut, problem.num_lifted_edges, "lifted_cut")
        if not np.array_equal(lifted_closed, lifted_flags):
            return False
    return bool(np.array_equal(closed, flags)) and value != np.inf


def labels_of_cut(problem: Problem, cut: ArrayLike) -> IntArray:
    """Return canonical labels of the connected components of the uncut edges."""
    return plain(_core.connected_components(problem.graph, as_cut(cut, problem.num_edges)))


def cut_of_labels(problem: Problem, labels: ArrayLike) -> BoolArray:
    """Flag the edges between different labels."""
    return evaluate(problem, labels)[1]


def evaluate(problem: Problem, labels: ArrayLike) -> tuple[float, BoolArray]:
    """Return the objective of labels and the edges between different ones, in one pass."""
    return evaluate_all(problem, labels)[:2]


def evaluate_all(problem: Problem, labels: ArrayLike) -> tuple[float, BoolArray, BoolArray]:
    """Return the objective of labels, the edges that they cut and the lifted edges.

    If there are lifted edges, nodes of one label that are not connected count as several clusters.
    """
    own = as_labels(labels, problem.num_nodes)
    if not problem.is_lifted:
        value, cut = _core.evaluate(problem.graph, problem.costs, own)
        return value, cut, np.zeros(0, dtype=np.bool_)
    return _core.evaluate_lifted(
        problem.graph, problem.costs, problem.lifted_graph, problem.lifted_costs, own
    )


def lifted_cut_of(problem: Problem, labels: IntArray) -> BoolArray:
    """Flag the lifted edges between different clusters, which are connected."""
    return _core.cut_edges(problem.lifted_graph, labels)


def canonical(labels: ArrayLike) -> IntArray:
    """Renumber labels to 0 … k-1 in order of first appearance."""
    array = given_array(labels, "labels")
    return plain(_core.canonical_labels(as_labels(array, array.size)))


def as_labels(labels: ArrayLike, num_nodes: int, name: str = "labels") -> IntArray:
    """Validate one integer label per node."""
    _refuse_results(labels, name, "labels")
    array = given_array(labels, name)
    if array.ndim != 1 or len(array) != num_nodes:
        raise ValueError(
            f"{name} must contain one label per node, shape ({num_nodes},), got {array.shape}"
        )
    if array.dtype.kind not in "iub" and array.size > 0:
        raise TypeError(f"{name} must be integers, got {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.int64)


def as_cut(cut: ArrayLike, num_edges: int, name: str = "cut") -> BoolArray:
    """Validate one flag per edge."""
    _refuse_results(cut, name, name)
    array = given_array(cut, name)
    if array.ndim != 1 or len(array) != num_edges:
        edge = "edge" if name == "cut" else "lifted edge"
        raise ValueError(
            f"{name} must contain one flag per {edge}, shape ({num_edges},), got {array.shape}"
        )
    if array.dtype != np.bool_ and not np.isin(array, (0, 1)).all():
        raise ValueError(f"{name} must contain booleans, or 0 and 1")
    return np.ascontiguousarray(array, dtype=np.bool_)


def _refuse_results(value: object, name: str, field: str) -> None:
    """Raise TypeError for a result or a mapping, with advice on which array to pass."""
    if hasattr(value, field):
        raise TypeError(f"{name} must be an array, got {type(value).__name__}; pass its .{field}")
    if isinstance(value, Mapping):
        raise TypeError(f"{name} must be an array in the order of the problem, got a mapping")
