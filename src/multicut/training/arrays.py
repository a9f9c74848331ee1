"""Many labelled graphs as flat arrays in main memory: what training reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from multicut.partition import as_cut
from multicut.problem import Problem


@dataclass(frozen=True, eq=False)
class GraphArrays:
    """Many graphs, one after the other, with their optimal solutions where these are known.

    Attributes
    ----------
    edges
        Shape (num_edges, 2), integers: the nodes of each edge, numbered from 0 in each graph.
    costs
        Shape (num_edges,): the cost of cutting each edge; finite.
    node_offsets, edge_offsets
        Shape (num_graphs + 1,), int64: where the nodes and the edges of each graph begin.
    cut
        Shape (num_edges,), bool: the optimal solutions.
    """

    edges: np.ndarray[Any, np.dtype[np.integer[Any]]]
    costs: np.ndarray[Any, np.dtype[np.floating[Any]]]
    node_offsets: np.ndarray[Any, np.dtype[np.int64]]
    edge_offsets: np.ndarray[Any, np.dtype[np.int64]]
    cut: np.ndarray[Any, np.dtype[np.bool_]] | None = None

    def __post_init__(self) -> None:
        num_edges = int(self.edge_offsets[-1])
        for name, shape in (("edges", (num_edges, 2)), ("costs", (num_edges,))):
            if getattr(self, name).shape != shape:
                raise ValueError(f"{name} must have shape {shape}, got {getattr(self, name).shape}")
        if len(self.node_offsets) != len(self.edge_offsets):
            raise ValueError(
                f"node_offsets and edge_offsets must be equally long, got {len(self.node_offsets)} "
                f"and {len(self.edge_offsets)}"
            )
        if self.cut is not None and self.cut.shape != (num_edges,):
            raise ValueError(f"cut must have shape ({num_edges},), got {self.cut.shape}")
        finite = np.isfinite(self.costs)
        if not finite.all():
            edge = int(np.argmin(finite))
            graph = int(np.searchsorted(self.edge_offsets, edge, side="right")) - 1
            raise ValueError(
                f"costs must be finite, got {self.costs[edge]} in graph {graph}; leave it out"
            )

    @property
    def num_graphs(self) -> int:
        """How many graphs there are."""
        return len(self.node_offsets) - 1

    @classmethod
    def from_problems(
        cls, problems: Iterable[Problem], cuts: Sequence[ArrayLike] | None = None
    ) -> Self:
        """Put problems one after the other.

        Parameters
        ----------
        problems
            Problems with finite costs.
        cuts
            One flag per edge for each problem: the optimal solutions.
        """
        problems = list(problems)
        if cuts is not None and len(cuts) != len(problems):
            raise ValueError(f"cuts must be one per problem, got {len(cuts)} for {len(problems)}")
        flags = None
        if cuts is not None:
            parts = [as_cut(c, p.num_edges) for c, p in zip(cuts, problems, strict=True)]
            flags = np.concatenate([np.empty(0, dtype=np.bool_), *parts])
        return cls(
            edges=np.concatenate(
                [np.empty((0, 2), dtype=np.int32), *(p.edges.astype(np.int32) for p in problems)]
            ),
            costs=np.concatenate([np.empty(0), *(p.costs for p in problems)]),
            node_offsets=_offsets([p.num_nodes for p in problems]),
            edge_offsets=_offsets([p.num_edges for p in problems]),
            cut=flags,
        )

    @classmethod
    def solved(cls, problems: Iterable[Problem], solver: str = "ilp", **options: Any) -> Self:
        """Put problems one after the other with the solutions that a solver finds."""
        from multicut.solve import solve_batch

        problems = list(problems)
        return cls.from_problems(
            problems, [result.cut for result in solve_batch(problems, solver, **options)]
        )

    @property
    def mean_absolute_cost(self) -> float:
        """The mean of |cost| over all edges; 1 if there are none or all are zero."""
        return float(np.abs(self.costs).mean()) or 1.0 if len(self.costs) else 1.0

    def scaled(self, mean_absolute_cost: float) -> Self:
        """Bring the costs of each graph to a mean absolute value; zeros stay zeros."""
        owners = np.repeat(np.arange(self.num_graphs), np.diff(self.edge_offsets))
        sums = np.bincount(owners, weights=np.abs(self.costs), minlength=self.num_graphs)
        means = sums / np.maximum(np.diff(self.edge_offsets), 1)
        factors = mean_absolute_cost / np.where(means > 0, means, 1.0)
        return replace(self, costs=self.costs * factors[owners])

    def select(self, first: int, last: int) -> Self:
        """Return the graphs from `first` to `last` − 1."""
        begin, end = self.edge_offsets[first], self.edge_offsets[last]
        return type(self)(
            edges=self.edges[begin:end],
            costs=self.costs[begin:end],
            node_offsets=self.node_offsets[first : last + 1] - self.node_offsets[first],
            edge_offsets=self.edge_offsets[first : last + 1] - begin,
            cut=None if self.cut is None else self.cut[begin:end],
        )


@runtime_checkable
class HasArrays(Protocol):
    """A dataset that can give all of its graphs as flat arrays."""

    def arrays(self) -> Any:
        """Return an object or a mapping with the fields of :class:`GraphArrays`."""


def as_arrays(graphs: object, name: str) -> GraphArrays:
    """Take graphs in any form that training knows; `name` is what the caller calls them."""
    if isinstance(graphs, GraphArrays):
        return graphs
    if isinstance(graphs, HasArrays):
        given = graphs.arrays()
        names = [field.name for field in fields(GraphArrays)]
        values = (
            {key: given.get(key) for key in names}
            if isinstance(given, dict)
            else {key: getattr(given, key, None) for key in names}
        )
        return GraphArrays(**values)
    if isinstance(graphs, Problem):
        return GraphArrays.from_problems([graphs])
    if isinstance(graphs, Sequence) and all(isinstance(graph, Problem) for graph in graphs):
        return GraphArrays.from_problems(graphs)
    raise TypeError(
        f"{name} must be the name of a dataset, a dataset, GraphArrays or a list of problems, got "
        f"{type(graphs).__name__}"
    )


def _offsets(counts: list[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.concatenate([[0], np.cumsum(np.array(counts, dtype=np.int64))]).astype(np.int64)
