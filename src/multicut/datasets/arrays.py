"""Many graphs in few flat arrays."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from multicut._arrays import BoolArray, FloatArray, IntArray
from multicut._words import count

if TYPE_CHECKING:
    from multicut.datasets.generators import GeneratedGraph

#: Costs are compared in units of this: far above rounding, far below what matters.
_FINGERPRINT_UNIT = 2.0**-10


@dataclass(frozen=True, eq=False, repr=False)
class DatasetArrays:
    """All graphs of a dataset, one behind the other.

    Graph i has the nodes ``node_offsets[i] … node_offsets[i+1]-1`` and the edges
    ``edge_offsets[i] … edge_offsets[i+1]-1``.

    Attributes
    ----------
    node_offsets, edge_offsets : int64, shape (num_graphs + 1,)
        Where the nodes and the edges of each graph begin; from 0.
    edges : int32, shape (num_edges, 2)
        The two nodes of each edge, counted from 0 in each graph.
    costs : float64, shape (num_edges,)
        The cost of each edge.
    cut : bool, shape (num_edges,), or None
        Whether the best known solution cuts each edge; false where a graph has none.
    objective : float64, shape (num_graphs,)
        The cost of the best known solution, nan where there is none.
    lower_bound : float64, shape (num_graphs,)
        No solution costs less; -inf where nothing is known.
    positions : float32, shape (num_nodes, 2), or None
        Where nodes lie in the plane.
    lifted_offsets : int64, shape (num_graphs + 1,), or None
        Where the lifted edges of each graph begin; None, as the next two, if no graph has any.
    lifted_edges : int32, shape (num_lifted_edges, 2), or None
        The two nodes of each lifted edge.
    lifted_costs : float64, shape (num_lifted_edges,), or None
        The cost of each lifted edge.
    """

    node_offsets: IntArray
    edge_offsets: IntArray
    edges: NDArray[np.int32]
    costs: FloatArray
    cut: BoolArray | None
    objective: FloatArray
    lower_bound: FloatArray
    positions: NDArray[np.float32] | None = None
    lifted_offsets: IntArray | None = None
    lifted_edges: NDArray[np.int32] | None = None
    lifted_costs: FloatArray | None = None

    def __repr__(self) -> str:
        parts = [(self.num_graphs, "graph"), (len(self.edges), "edge")]
        if self.lifted_edges is not None:
            parts.append((len(self.lifted_edges), "lifted edge"))
        labels = "no labels" if self.cut is None else "labels"
        return f"DatasetArrays({', '.join(count(*part) for part in parts)}, {labels})"

    @property
    def num_graphs(self) -> int:
        """The number of graphs."""
        return len(self.node_offsets) - 1

    @property
    def num_nodes(self) -> IntArray:
        """The number of nodes of each graph."""
        return np.diff(self.node_offsets)

    @property
    def num_edges(self) -> IntArray:
        """The number of edges of each graph."""
        return np.diff(self.edge_offsets)

    @property
    def is_lifted(self) -> bool:
        """Whether some graph has lifted edges."""
        return self.lifted_costs is not None and len(self.lifted_costs) > 0

    @property
    def num_lifted_edges(self) -> IntArray:
        """The number of lifted edges of each graph."""
        if self.lifted_offsets is None:
            return np.zeros(self.num_graphs, dtype=np.int64)
        return np.diff(self.lifted_offsets)

    def graph_of_edges(self) -> IntArray:
        """Return the graph that each edge is in."""
        return np.repeat(np.arange(self.num_graphs), self.num_edges)

    def joint_edges(self) -> IntArray:
        """Return the edges of the one graph that all graphs make side by side, shape (m, 2)."""
        starts = np.repeat(self.node_offsets[:-1], self.num_edges)
        return self.edges + starts[:, None]

    def per_graph(self, values: FloatArray) -> FloatArray:
        """Sum a value per edge over each graph."""
        sums = np.bincount(self.graph_of_edges(), weights=values, minlength=self.num_graphs)
        return sums.astype(np.float64, copy=False)

    @classmethod
    def of_graphs(cls, graphs: Iterable[GeneratedGraph]) -> Self:
        """Put generated graphs behind each other."""
        num_nodes, num_edges, edges, costs, positions = [0], [0], [], [], []
        lifted: list[tuple[IntArray, FloatArray] | None] = []
        for graph in graphs:
            own = None
            if graph.lifted_edges is not None and graph.lifted_costs is not None:
                own = graph.lifted_edges, graph.lifted_costs
            lifted.append(own)
            num_nodes.append(graph.num_nodes)
            num_edges.append(len(graph.edges))
            edges.append(graph.edges.astype(np.int32))
            costs.append(graph.costs)
            if graph.positions is not None:
                positions.append(graph.positions.astype(np.float32))
        count = len(num_nodes) - 1
        has_positions = count > 0 and len(positions) == count
        return cls(
            np.cumsum(num_nodes, dtype=np.int64),
            np.cumsum(num_edges, dtype=np.int64),
            np.concatenate(edges) if edges else np.empty((0, 2), np.int32),
            np.concatenate(costs) if costs else np.empty(0),
            None,
            np.full(count, np.nan),
            np.full(count, -np.inf),
            np.concatenate(positions) if has_positions else None,
            **pack_lifted(lifted),
        )

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Put datasets behind each other.

        Flags of cut edges are kept only if they are known of every graph whose objective is known,
        and positions only if all parts have them.
        """
        cut = None
        knows_cuts = [part.cut is not None or np.isnan(part.objective).all() for part in parts]
        if all(knows_cuts) and any(part.cut is not None for part in parts):
            cut = np.concatenate(
                [np.zeros(len(p.edges), dtype=bool) if p.cut is None else p.cut for p in parts]
            )
        positions = [part.positions for part in parts if part.positions is not None]
        return cls(
            _joined_offsets([part.node_offsets for part in parts]),
            _joined_offsets([part.edge_offsets for part in parts]),
            np.concatenate([np.empty((0, 2), np.int32), *(part.edges for part in parts)]),
            np.concatenate([np.empty(0), *(part.costs for part in parts)]),
            cut,
            np.concatenate([np.empty(0), *(part.objective for part in parts)]),
            np.concatenate([np.empty(0), *(part.lower_bound for part in parts)]),
            np.concatenate(positions) if parts and len(positions) == len(parts) else None,
            **_join_lifted(parts),
        )

    def section(self, start: int, stop: int) -> Self:
        """Return graphs that lie behind each other, without copying edges."""
        nodes, edges = self.node_offsets[start : stop + 1], self.edge_offsets[start : stop + 1]
        own_nodes, own_edges = slice(nodes[0], nodes[-1]), slice(edges[0], edges[-1])
        return type(self)(
            nodes - nodes[0],
            edges - edges[0],
            self.edges[own_edges],
            self.costs[own_edges],
            None if self.cut is None else self.cut[own_edges],
            self.objective[start:stop],
            self.lower_bound[start:stop],
            None if self.positions is None else self.positions[own_nodes],
            **self._lifted_section(start, stop),
        )

    def _lifted_section(self, start: int, stop: int) -> dict[str, Any]:
        if self.lifted_offsets is None or self.lifted_edges is None or self.lifted_costs is None:
            return {}
        offsets = self.lifted_offsets[start : stop + 1]
        own = slice(offsets[0], offsets[-1])
        return {
            "lifted_offsets": offsets - offsets[0],
            "lifted_edges": self.lifted_edges[own],
            "lifted_costs": self.lifted_costs[own],
        }

    def take(self, graphs: IntArray) -> Self:
        """Return any graphs, in any order."""
        first = int(graphs[0]) if len(graphs) else 0
        if np.array_equal(graphs, np.arange(first, first + len(graphs))):
            return self.section(first, first + len(graphs))
        node_offsets, nodes = _gather(self.node_offsets, graphs)
        edge_offsets, edges = _gather(self.edge_offsets, graphs)
        return type(self)(
            node_offsets,
            edge_offsets,
            self.edges[edges],
            self.costs[edges],
            None if self.cut is None else self.cut[edges],
            self.objective[graphs],
            self.lower_bound[graphs],
            None if self.positions is None else self.positions[nodes],
            **self._gather_lifted(graphs),
        )

    def _gather_lifted(self, graphs: IntArray) -> dict[str, Any]:
        if self.lifted_offsets is None or self.lifted_edges is None or self.lifted_costs is None:
            return {}
        offsets, edges = _gather(self.lifted_offsets, graphs)
        return {
            "lifted_offsets": offsets,
            "lifted_edges": self.lifted_edges[edges],
            "lifted_costs": self.lifted_costs[edges],
        }

    def by_name(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that are there, by name."""
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: array for name, array in named.items() if array is not None}

    def fingerprint(self) -> str:
        """Return a checksum of the graphs: sizes, edges and costs, in this order.

        It is SHA-256 over little-endian integers: nodes per graph, edges per graph, edges, and
        costs in units of 2^-10; if there are lifted edges, then the same of these. Functions like
        the logarithm may differ between platforms in the last of 53 bits. Rounded so coarsely, the
        odds that this changes the checksum of 15 million costs are below one in 10^5, while
        another random stream cannot go unseen. What is finer is proven by the objective values:
        see ``multicut.datasets.shipped``.
        """
        digest = hashlib.sha256()
        for integers in (self.num_nodes, self.num_edges, self.edges):
            digest.update(np.ascontiguousarray(integers, dtype="<i4").data)
        digest.update(_in_units(self.costs))
        if self.lifted_edges is not None and self.lifted_costs is not None:
            for integers in (self.num_lifted_edges, self.lifted_edges):
                digest.update(np.ascontiguousarray(integers, dtype="<i4").data)
            digest.update(_in_units(self.lifted_costs))
        return digest.hexdigest()


def pack_lifted(graphs: Sequence[tuple[IntArray, FloatArray] | None]) -> dict[str, Any]:
    """Put the lifted edges and costs of graphs behind each other; nothing if none has any."""
    if all(graph is None or len(graph[0]) == 0 for graph in graphs):
        return {}
    parts = [graph or (np.empty((0, 2), np.int64), np.empty(0)) for graph in graphs]
    return {
        "lifted_offsets": np.cumsum([0, *(len(edges) for edges, _ in parts)], dtype=np.int64),
        "lifted_edges": np.concatenate([edges.astype(np.int32) for edges, _ in parts]),
        "lifted_costs": np.concatenate([costs for _, costs in parts]),
    }


def _join_lifted(parts: Sequence[DatasetArrays]) -> dict[str, Any]:
    """Put the lifted edges of datasets behind each other; nothing if none has any."""
    if not any(part.is_lifted for part in parts):
        return {}
    counts = np.concatenate([part.num_lifted_edges for part in parts])
    edges = [part.lifted_edges for part in parts if part.lifted_edges is not None]
    costs = [part.lifted_costs for part in parts if part.lifted_costs is not None]
    return {
        "lifted_offsets": np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        "lifted_edges": np.concatenate(edges),
        "lifted_costs": np.concatenate(costs),
    }


def _in_units(costs: FloatArray) -> memoryview:
    units = np.rint(np.clip(costs / _FINGERPRINT_UNIT, -(2.0**62), 2.0**62))
    return units.astype("<i8").data


def _joined_offsets(offsets: list[IntArray]) -> IntArray:
    sizes: list[IntArray] = [np.diff(part) for part in offsets]
    return np.concatenate([[0], np.cumsum(np.concatenate([np.empty(0, np.int64), *sizes]))])


def _gather(offsets: IntArray, chosen: IntArray) -> tuple[IntArray, IntArray]:
    """Return new offsets, and where the elements of the chosen sections come from."""
    sizes = np.diff(offsets)[chosen]
    new = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return new, np.arange(new[-1]) + np.repeat(offsets[:-1][chosen] - new[:-1], sizes)
