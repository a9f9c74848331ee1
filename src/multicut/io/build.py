"""Problems from the content of files, with the file's name in every error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._arrays import FloatArray, IntArray, distinct
from multicut.io.errors import Advice, AdvisedError
from multicut.io.source import Source
from multicut.problem import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Nodes without edges take no space in a file, but about thirty bytes in memory. A file that states
# more than this many, or more than this many times its edges, is considered damaged.
_FREE_NODES = 1_000_000
_NODES_PER_EDGE = 64
# A format of complete graphs turns a few bytes into n(n-1)/2 edges.
MAX_PAIRS = 100_000_000
NUMBER_NODES = "number the nodes: Problem(p.edges, p.costs, num_nodes=p.num_nodes)"


def may_hold(num_nodes: int, num_edges: int) -> bool:
    """Whether a file may state so many nodes."""
    return num_nodes <= max(_FREE_NODES, _NODES_PER_EDGE * num_edges)


def build_problem(
    source: Source,
    edges: IntArray,
    costs: FloatArray,
    num_nodes: int | None = None,
    node_ids: NDArray[Any] | list[str] | None = None,
    lifted: tuple[IntArray, FloatArray] | None = None,
) -> Problem:
    """Make a problem of nodes ``0 … num_nodes-1``, named by `node_ids` where given.

    Without `num_nodes`, the nodes are the ids that occur in `edges`. If there are lifted edges,
    `lifted` has these and their costs.
    """
    lifted_edges, lifted_costs = (None, None) if lifted is None else lifted
    num_all = len(edges) + (0 if lifted_edges is None else len(lifted_edges))
    source.check_size(edges=num_all, nodes=num_nodes or 0)
    if num_nodes is not None and not may_hold(num_nodes, num_all):
        raise source.error(
            f"states {num_nodes} nodes but only {len(edges)} edges; the file may be damaged: "
            f"correct the number of nodes",
            advice=Advice("or put one edge 'u v cost' on each line and read", "format", "edges"),
        )
    if node_ids is not None and len(node_ids) != num_nodes:
        raise source.error(f"states {num_nodes} nodes but names {len(node_ids)} of them")
    names = node_ids.tolist() if isinstance(node_ids, np.ndarray) else node_ids
    if isinstance(node_ids, np.ndarray) and len(distinct(node_ids)) != len(node_ids):
        raise source.error("gives several nodes the same name; make the node ids unique")
    try:
        return Problem(
            edges,
            costs,
            num_nodes,
            node_ids=names,
            lifted_edges=lifted_edges,
            lifted_costs=lifted_costs,
        )
    except ValueError as error:
        raise source.error(str(error)) from None


def integer_ids(problem: Problem, format_name: str) -> IntArray:
    """Return the node ids if they are integers from 0 to 2^63-1."""
    ids = problem.node_ids
    advice = Advice("write", "format", "npz", NUMBER_NODES)
    if ids.dtype.kind not in "iu":
        odd = next(name for name in ids.tolist() if not isinstance(name, int))
        raise AdvisedError(
            f"format {format_name!r} stores integer node ids only, got {odd!r}", advice
        )
    if len(ids) > 0 and ids.min() < 0:
        raise AdvisedError(
            f"format {format_name!r} stores node ids from 0 on, got {ids.min()}", advice
        )
    return ids.astype(np.int64)


def count_pairs(num_nodes: int) -> int:
    """Return the number of edges of a complete graph."""
    return num_nodes * (num_nodes - 1) // 2


def upper_triangle(num_nodes: int) -> IntArray:
    """Return all pairs u < v, row by row."""
    rows, columns = np.triu_indices(num_nodes, k=1)
    return np.stack([rows, columns], axis=1).astype(np.int64, copy=False)


def triangle_positions(problem: Problem) -> IntArray:
    """Return the position of each edge among all pairs u < v, row by row."""
    u = problem.edges.min(axis=1)
    v = problem.edges.max(axis=1)
    positions: IntArray = u * (2 * problem.num_nodes - u - 3) // 2 + v - 1
    return positions
