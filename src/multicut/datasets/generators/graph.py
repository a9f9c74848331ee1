"""What a generator draws: the arrays of one graph, not yet a problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from multicut._arrays import distinct
from multicut.problem import Problem

if TYPE_CHECKING:
    from multicut._arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class GeneratedGraph:
    """A simple graph with costs, as plain arrays.

    Thousands of graphs are put together from these without making a problem of each.

    Attributes
    ----------
    num_nodes
        The number of nodes.
    edges
        The two nodes u < v of each edge, ascending, each pair once; shape (num_edges, 2).
    costs
        One cost per edge.
    positions
        Where the nodes lie in the plane, shape (num_nodes, 2), for families that have a picture.
    lifted_edges, lifted_costs
        The same as `edges` and `costs` for lifted edges, for families that have these.
    """

    num_nodes: int
    edges: IntArray
    costs: FloatArray
    positions: FloatArray | None = None
    lifted_edges: IntArray | None = None
    lifted_costs: FloatArray | None = None

    def to_problem(self) -> Problem:
        """Make the problem."""
        return Problem(
            self.edges,
            self.costs,
            num_nodes=self.num_nodes,
            lifted_edges=self.lifted_edges,
            lifted_costs=self.lifted_costs,
        )


def distinct_edges(u: IntArray, v: IntArray, num_nodes: int) -> IntArray:
    """Return the distinct pairs u < v, ascending, without self-loops."""
    low, high = np.minimum(u, v), np.maximum(u, v)
    keys = distinct((low * num_nodes + high)[low != high])
    return np.stack(np.divmod(keys, num_nodes), axis=1)


def all_pairs(num_nodes: int) -> IntArray:
    """Return the edges of the complete graph, ascending."""
    u, v = np.triu_indices(num_nodes, k=1)
    return np.stack([u, v], axis=1).astype(np.int64, copy=False)
