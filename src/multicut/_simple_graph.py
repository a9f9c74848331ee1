"""The simple graph that edges and costs of a caller become, and constraints that contradict."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut import _core
from multicut._arrays import FloatArray, IntArray, frozen, plain
from multicut._lifted_arguments import check_total, number_lifted_nodes
from multicut._problem_arguments import as_count, as_node_ids, number_names

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class SimpleGraph:
    """A graph without duplicate edges and self-loops, and a cost for each edge.

    Attributes
    ----------
    graph
        The native graph.
    costs
        The cost of each edge.
    node_ids
        The caller's id of each node; None if these are the positions.
    edge_of_input
        The edge that each one of the caller's became, -1 for a self-loop; None for the identity.
    num_self_loops
        The number of self-loops that were dropped.
    num_duplicates
        The number of edges that were merged into an earlier one.
    """

    graph: _core.Graph
    costs: FloatArray
    node_ids: NDArray[Any] | None
    edge_of_input: NDArray[np.int32] | None
    num_self_loops: int
    num_duplicates: int

    @cached_property
    def edges(self) -> IntArray:
        """The ends of each edge."""
        return frozen(plain(self.graph.edges()))

    def id_of(self, node: int) -> Any:
        """Return the caller's id of a node."""
        return node if self.node_ids is None else self.node_ids[node : node + 1].tolist()[0]


def make_simple(
    edges: NDArray[Any],
    costs: FloatArray,
    num_nodes: SupportsIndex | None,
    node_ids: Sequence[Any] | NDArray[Any] | None,
) -> SimpleGraph:
    """Make a simple graph: number the nodes, merge duplicate edges and drop self-loops."""
    own_ids = None if node_ids is None else as_node_ids(node_ids, num_nodes)
    if edges.dtype != np.int64:
        edges, own_ids = number_names(edges, own_ids, num_nodes)
    known = as_count(num_nodes) if own_ids is None else len(own_ids)
    graph, merged, found_ids, edge_of_input, num_self_loops, num_duplicates = _core.simplify(
        edges, costs, known
    )
    if own_ids is None and found_ids is not None:
        own_ids = plain(found_ids)
    if own_ids is not None and np.array_equal(own_ids, np.arange(len(own_ids))):
        own_ids = None
    return SimpleGraph(
        graph,
        frozen(costs if merged is None else merged),
        None if own_ids is None else frozen(own_ids),
        edge_of_input,
        num_self_loops,
        num_duplicates,
    )


def make_simple_lifted(
    edges: NDArray[Any], costs: FloatArray, simple: SimpleGraph, *, given: str
) -> SimpleGraph:
    """Do the same with lifted edges over the nodes of a graph, which `given` defines."""
    num_nodes = simple.graph.num_nodes
    numbers = number_lifted_nodes(edges, simple.node_ids, num_nodes, given=given)
    graph, merged, _, edge_of_input, num_self_loops, num_duplicates = _core.simplify(
        numbers, costs, num_nodes, "lifted_"
    )
    costs = frozen(costs if merged is None else merged)
    return SimpleGraph(graph, costs, None, edge_of_input, num_self_loops, num_duplicates)


def check_constraints(simple: SimpleGraph) -> None:
    """Raise an error if must-links join what a cannot-link keeps apart."""
    edge = _core.find_contradiction(simple.graph, simple.costs)
    if edge is not None:
        raise _contradiction(simple, *simple.edges[edge].tolist())


def check_lifted_constraints(simple: SimpleGraph, lifted: SimpleGraph) -> None:
    """Raise an error if constraints of both kinds of edges contradict, or costs overflow."""
    check_total(simple.costs, lifted.costs)
    found = _core.find_lifted_contradiction(simple.graph, simple.costs, lifted.graph, lifted.costs)
    if found is None:
        return
    u, v, is_apart = found
    if is_apart:
        raise ValueError(
            f"nodes {simple.id_of(u)!r} and {simple.id_of(v)!r} must be linked (lifted cost "
            f"+inf), but no path of edges without cannot-links (cost -inf) joins them; remove the "
            f"lifted edge, or add edges"
        )
    raise _contradiction(simple, u, v)


def _contradiction(simple: SimpleGraph, u: int, v: int) -> ValueError:
    return ValueError(
        f"nodes {simple.id_of(u)!r} and {simple.id_of(v)!r} must not be linked (cost -inf), but "
        f"must-links (cost +inf) join them; remove one of these constraints"
    )
