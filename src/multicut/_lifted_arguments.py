"""Lifted edges that a caller passes, validated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._problem_arguments import as_costs, as_edges

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from multicut._arrays import FloatArray, IntArray


def as_lifted_edges(
    edges: ArrayLike | None, costs: ArrayLike | None
) -> tuple[NDArray[Any], FloatArray] | None:
    """Validate lifted edges, integers or names, and their costs; None if none are passed."""
    if edges is None and costs is None:
        return None
    if edges is None or costs is None:
        given, missing = ("edges", "costs") if costs is None else ("costs", "edges")
        raise TypeError(f"lifted_{given} need lifted_{missing}: one cost for each lifted edge")
    edge_array = as_edges(edges, "lifted_edges")
    cost_array = as_costs(costs, len(edge_array), "lifted_costs")
    return edge_array, cost_array


def number_lifted_nodes(
    edges: NDArray[Any], node_ids: NDArray[Any] | None, num_nodes: int, *, given: str
) -> IntArray:
    """Replace ids in lifted edges by the positions of nodes.

    Parameters
    ----------
    edges
        What :func:`as_lifted_edges` returned.
    node_ids
        All ids, or None if these are the positions.
    num_nodes
        How many nodes there are.
    given
        What defines the nodes: ``"edges"``, ``"names"`` if these edges have names, ``"num_nodes"``
        or ``"node_ids"``.
    """
    if edges.dtype != np.int64:
        return _number_names(edges, node_ids, given)
    if given == "names":
        raise TypeError(
            "lifted_edges must name nodes by strings, as edges do, got integers; convert them, or "
            "pass node_ids="
        )
    if given == "edges" and node_ids is not None:
        return _number_sparse_ids(edges, node_ids)
    if given == "node_ids":
        _check_positions(edges, num_nodes)
    elif given == "edges":
        _check_known(edges, (edges >= 0) & (edges < num_nodes))
    return edges


def check_total(costs: FloatArray, lifted_costs: FloatArray) -> None:
    """Raise an error if sums of both kinds of costs may overflow, though those of each do not."""
    # Neither makes an array. Constraints have infinite costs, and take the longer way.
    bound = sum(
        len(some) * float(max(some.max(), -some.min()))
        for some in (costs, lifted_costs)
        if len(some)
    )
    if bound < np.inf:
        return
    with np.errstate(over="ignore"):
        total = sum(np.abs(some[np.isfinite(some)]).sum() for some in (costs, lifted_costs))
    if not np.isfinite(total):
        raise ValueError(
            "costs and lifted_costs add up to more than a double can hold (1.8e308); scale them "
            "down"
        )


def _number_names(edges: NDArray[Any], node_ids: NDArray[Any] | None, given: str) -> IntArray:
    known = [] if node_ids is None else node_ids.tolist()
    positions = {name: i for i, name in enumerate(known)}
    try:
        numbers = [positions[name] for name in edges.reshape(-1).tolist()]
    except KeyError as error:
        name = error.args[0]
        if given == "node_ids":
            raise ValueError(
                f"lifted_edges name the node {name!r}, which is not in node_ids; add it there"
            ) from None
        raise ValueError(_unknown(name)) from None
    return np.array(numbers, dtype=np.int64).reshape(-1, 2)


def _number_sparse_ids(edges: IntArray, node_ids: NDArray[Any]) -> IntArray:
    """Look up integers among ascending ones."""
    positions = np.searchsorted(node_ids, edges)
    np.minimum(positions, max(len(node_ids) - 1, 0), out=positions)
    _check_known(edges, node_ids[positions] == edges if len(node_ids) else edges < edges)
    return positions


def _check_known(edges: IntArray, is_known: NDArray[np.bool_]) -> None:
    if not is_known.all():
        raise ValueError(_unknown(int(edges[~is_known][0])))


def _unknown(node: int | str) -> str:
    return (
        f"lifted_edges name the node {node!r}, which is in none of the edges; a node without edges "
        f"needs num_nodes= or node_ids="
    )


def _check_positions(edges: IntArray, num_nodes: int) -> None:
    bad = edges[(edges < 0) | (edges >= num_nodes)]
    if len(bad) > 0:
        raise ValueError(
            f"lifted_edges contain positions in node_ids, 0 to {num_nodes - 1}, got {int(bad[0])}"
        )
