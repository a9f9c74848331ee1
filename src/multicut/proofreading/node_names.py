"""From the caller's node ids to positions, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._checks import check_integer

if TYPE_CHECKING:
    from multicut import _core
    from multicut.problem import Problem


class NodeNames:
    """The ids of a problem's nodes; a table of them is made when it is first needed."""

    def __init__(self, problem: Problem) -> None:
        self._ids = problem.node_ids if problem.has_own_ids else None
        self._num_nodes = problem.num_nodes
        self._positions: dict[Any, int] | None = None

    def position(self, node: Any, name: str = "node") -> int:
        """Return the position of an id."""
        if isinstance(node, np.generic):
            node = node.item()
        if self._ids is None:
            if isinstance(node, int) and 0 <= node < self._num_nodes:
                return node
            raise ValueError(
                f"{name} must be a node of the problem, 0 … {self._num_nodes - 1}, got {node!r}"
            )
        if self._positions is None:
            self._positions = {one: i for i, one in enumerate(self._ids.tolist())}
        try:
            return self._positions[node]
        except (KeyError, TypeError):
            raise ValueError(f"{name} must be one of problem.node_ids, got {node!r}") from None

    def name(self, position: int) -> Any:
        """Return the id at a position."""
        return position if self._ids is None else self._ids[position : position + 1].tolist()[0]

    def pair(self, u: Any, v: Any) -> tuple[int, int]:
        """Return the positions of two ids, which must differ."""
        positions = self.position(u, "u"), self.position(v, "v")
        if positions[0] == positions[1]:
            raise ValueError(f"u and v must be two different nodes, got {u!r} twice")
        return positions

    def names(self, positions: Iterable[int]) -> list[Any]:
        """Return the ids at some positions."""
        return [self.name(position) for position in positions]


def ends_of(edge: Any, live: _core.LivePartition, names: NodeNames) -> tuple[Any, Any]:
    """Return the ids of an edge's ends: the caller names these, or the position of the edge."""
    if isinstance(edge, str) or not hasattr(edge, "__len__"):
        index = check_integer(0, edge=edge)
        if index >= live.num_edges:
            raise ValueError(
                f"edge must be a pair of node ids, or below {live.num_edges}, got {index}"
            )
        u, v = live.edge(index)
        return names.name(u), names.name(v)
    if len(edge) != 2:
        raise ValueError(f"edge must be a pair of node ids, got {edge!r}")
    return edge[0], edge[1]
