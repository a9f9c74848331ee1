"""Lifted problems as ordinary ones: all edges in one graph, of which some do not connect."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from multicut import _core
from multicut._arrays import plain
from multicut.problem import Problem
from multicut.proof import (
    PRECISION,
    bound_of_total,
    costs_of,
    rounded_up,
    rounding_of,
    smallest_cost,
)

if TYPE_CHECKING:
    from multicut._arrays import BoolArray, FloatArray, IntArray

# Of what proofs leave open beside the smallest cost, what rounding may take where the cost of a
# lifted edge is added to that of an edge with the same ends.
_MOST_SHARE = 1e-3
# Where costs differ widely, an objective of zero is proven without any rounding, on so few edges.
_FEW_EDGES = 1_000


@dataclass(frozen=True, eq=False)
class Union:
    """The ordinary edges of a lifted problem, followed by the lifted ones, as one problem.

    Every partition of a lifted problem is one of the union, and costs the same, so that bounds of
    the union hold. The reverse does not: clusters have to be connected by ordinary edges.

    Attributes
    ----------
    problem
        All edges of a simple graph.
    ordinary
        The ordinary edges alone, on the same nodes. Each lifted edge lies within a component.
    offset
        What lifted edges cost that every partition cuts; they are left out.
    rounding
        What the offset is rounded by, at most.
    error
        What rounding may have changed at most elsewhere, where costs were added.
    twins
        Of each node that the lifted problem does not have, and that comes after those that it has,
        the node it is linked to.
    """

    problem: Problem
    ordinary: _core.Graph
    offset: float = 0.0
    rounding: float = 0.0
    error: float = 0.0
    twins: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Join both kinds of edges of a lifted problem.

        The costs of two edges with the same ends are added. Where that would take digits that a
        proof needs, the lifted one gets an end of its own, which a must-link ties to the other.
        """
        components = _core.connected_components(problem.graph, problem.costs == -np.inf)
        is_apart = np.diff(components[problem.lifted_edges]).ravel() != 0
        lifted, lifted_costs = problem.lifted_edges[~is_apart], problem.lifted_costs[~is_apart]
        partner = _parallel_edges(problem, lifted)
        is_parallel = partner >= 0
        mates = np.zeros(len(lifted))
        mates[is_parallel] = problem.costs[partner[is_parallel]]
        # Beside a cannot-link, the other cost is always paid.
        sure = np.concatenate(
            [
                problem.lifted_costs[is_apart],
                mates[lifted_costs == -np.inf],
                lifted_costs[mates == -np.inf],
            ]
        )
        offset, rounding_of_offset = _exact_sum(sure[np.isfinite(sure)])

        rounding = _rounding_of_sums(mates, lifted_costs)
        is_own = rounding > _allowed_rounding(costs_of(problem))
        is_merged = is_parallel & ~is_own
        costs = problem.costs.copy()
        costs[partner[is_merged]] += lifted_costs[is_merged]
        twins = lifted[is_own, 0]
        own_ends = np.arange(len(twins)) + problem.num_nodes
        edges = [
            problem.edges,
            np.stack([twins, own_ends], axis=1),
            lifted[~is_parallel],
            np.stack([own_ends, lifted[is_own, 1]], axis=1),
        ]
        all_costs = [
            costs,
            np.full(len(twins), np.inf),
            lifted_costs[~is_parallel],
            lifted_costs[is_own],
        ]
        num_nodes = problem.num_nodes + len(twins)
        return cls(
            Problem(np.concatenate(edges), np.concatenate(all_costs), num_nodes=num_nodes),
            _graph_of(np.concatenate(edges[:2]), num_nodes),
            offset,
            rounding_of_offset,
            rounded_up(float(rounding[is_merged].sum())),
            twins,
        )

    def part(self, problem: Problem, edges: IntArray) -> Union:
        """Return the union for some of the edges, ascending, that are a problem of their own."""
        num_ordinary = int(np.searchsorted(edges, self.num_ordinary))
        return Union(problem, _graph_of(problem.edges[:num_ordinary], problem.num_nodes))

    @property
    def num_ordinary(self) -> int:
        """The number of ordinary edges."""
        return self.ordinary.num_edges

    @cached_property
    def lifted(self) -> _core.Graph:
        """The lifted edges alone, on the same nodes."""
        return _graph_of(self.problem.edges[self.num_ordinary :], self.problem.num_nodes)

    def labels_of_cut(self, cut: BoolArray) -> IntArray:
        """Return the components of the ordinary edges that are not cut."""
        return plain(_core.connected_components(self.ordinary, cut[: self.num_ordinary]))

    def bound_of_lifted(self, bound: float) -> float:
        """Turn a lower bound of the union into one of the lifted problem."""
        return bound_of_total(bound, self.offset, rounded_up(self.rounding + self.error))

    def extend(self, labels: IntArray) -> IntArray:
        """Turn labels of the lifted problem's nodes into labels of all."""
        return np.concatenate([labels, labels[self.twins]])

    def restrict(self, labels: IntArray) -> IntArray:
        """Turn labels of all nodes into labels of those that the lifted problem has."""
        return labels[: len(labels) - len(self.twins)]


def _parallel_edges(problem: Problem, lifted: IntArray) -> IntArray:
    """Return the edge that has the same ends as each lifted edge, -1 where there is none."""
    keys = _keys_of(problem.edges, problem.num_nodes)
    order = np.argsort(keys)
    wanted = _keys_of(lifted, problem.num_nodes)
    if len(keys) == 0:
        return np.full(len(wanted), -1)
    position = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
    found: IntArray = order[position]
    return np.where(keys[found] == wanted, found, -1)


def _keys_of(edges: IntArray, num_nodes: int) -> IntArray:
    keys: IntArray = edges.min(axis=1) * num_nodes + edges.max(axis=1)
    return keys


def _rounding_of_sums(costs: FloatArray, others: FloatArray) -> FloatArray:
    """Return by how much sums of two costs are rounded; constraints are not."""
    is_finite = np.isfinite(costs) & np.isfinite(others)
    a, b = np.where(is_finite, costs, 0.0), np.where(is_finite, others, 0.0)
    # The error of a sum of two doubles is a double (Knuth's algorithm, whatever their sizes).
    total = a + b
    share = total - a
    rounding: FloatArray = np.abs((a - (total - share)) + (b - share))
    return rounding


def _allowed_rounding(costs: FloatArray) -> float:
    """Return what rounding may take from one cost without harm to proofs."""
    if len(costs) <= _FEW_EDGES and rounding_of(costs) == 0.0:
        return 0.0
    return _MOST_SHARE * PRECISION * smallest_cost(costs)


def _exact_sum(costs: FloatArray) -> tuple[float, float]:
    """Return a sum and by how much it is rounded, at most."""
    terms = costs.tolist()
    total = math.fsum(terms)
    return total, rounded_up(abs(math.fsum([*terms, -total])))


def _graph_of(edges: IntArray, num_nodes: int) -> _core.Graph:
    return Problem(edges, np.zeros(len(edges)), num_nodes=num_nodes).graph
