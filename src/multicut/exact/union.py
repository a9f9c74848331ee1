"""Lifted problems as ordinary ones: all edges in one graph, of which some do not connect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from multicut import _core
from multicut._arrays import plain
from multicut.problem import Problem

if TYPE_CHECKING:
    from multicut._arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Union:
    """The ordinary edges of a lifted problem, followed by the lifted ones, as one problem.

    Every partition of a lifted problem is one of the union, so that bounds of the union hold. The
    reverse does not: clusters have to be connected by ordinary edges.

    Attributes
    ----------
    problem
        All edges.
    ordinary
        The ordinary edges alone, on the same nodes. Each lifted edge lies within a component.
    """

    problem: Problem
    ordinary: _core.Graph

    @classmethod
    def of_edges(
        cls, edges: IntArray, costs: FloatArray, num_ordinary: int, num_nodes: int
    ) -> Self:
        """Take edges of a simple graph, of which the first ones are ordinary."""
        problem = Problem(edges, costs, num_nodes=num_nodes)
        return cls(problem, _graph_of(edges[:num_ordinary], num_nodes))

    def part(self, problem: Problem, edges: IntArray) -> Self:
        """Return the union for some of the edges, ascending, that are a problem of their own."""
        num_ordinary = int(np.searchsorted(edges, self.num_ordinary))
        return type(self)(problem, _graph_of(problem.edges[:num_ordinary], problem.num_nodes))

    @property
    def num_ordinary(self) -> int:
        """The number of ordinary edges."""
        return self.ordinary.num_edges

    def labels_of_cut(self, cut: BoolArray) -> IntArray:
        """Return the components of the ordinary edges that are not cut."""
        return plain(_core.connected_components(self.ordinary, cut[: self.num_ordinary]))


def _graph_of(edges: IntArray, num_nodes: int) -> _core.Graph:
    return Problem(edges, np.zeros(len(edges)), num_nodes=num_nodes).graph
