"""Edges in memory: what tasks do to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from multicut._arrays import BoolArray, FloatArray, IntArray, distinct
from multicut.distributed.stages import compact, load_arrays, save_arrays
from multicut.problem import Problem


@dataclass(frozen=True, eq=False)
class Edges:
    """The two nodes and the cost of each edge."""

    u: IntArray
    v: IntArray
    cost: FloatArray

    def __len__(self) -> int:
        return len(self.u)

    @classmethod
    def none(cls) -> Self:
        """Return no edges."""
        return cls(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))

    @classmethod
    def together(cls, parts: Sequence[Edges]) -> Self:
        """Return the edges of all parts, one part behind the other."""
        if not parts:
            return cls.none()
        return cls(
            np.concatenate([part.u for part in parts]),
            np.concatenate([part.v for part in parts]),
            np.concatenate([part.cost for part in parts]),
        )

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]], name: str) -> Self:
        """Take edges from the arrays of a file."""
        u, v = (arrays[f"{name}_{end}"].astype(np.int64) for end in ("u", "v"))
        return cls(u, v, arrays[f"{name}_cost"])

    def to_arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """Return arrays for a file."""
        nodes = {f"{name}_u": compact(self.u), f"{name}_v": compact(self.v)}
        return nodes | {f"{name}_cost": self.cost}

    def where(self, chosen: BoolArray) -> Edges:
        """Return some of the edges."""
        return Edges(self.u[chosen], self.v[chosen], self.cost[chosen])

    def merged(self) -> Edges:
        """Add the costs of edges between the same nodes; the first of them stays in its place.

        Costs are added in the order of the edges.
        """
        if len(self) == 0:
            return self
        low, high = np.minimum(self.u, self.v), np.maximum(self.u, self.v)
        low, high = low - low.min(), high - high.min()
        span = int(high.max()) + 1
        if span * (int(low.max()) + 1) < 2**63:
            pairs = low * span + high
            if len(distinct(pairs)) == len(pairs):
                return self
            order = np.argsort(pairs, kind="stable")
        else:
            order = np.lexsort((high, low))
        low, high = low[order], high[order]
        is_first = np.ones(len(low), dtype=np.bool_)
        is_first[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
        if is_first.all():
            return self
        starts = np.flatnonzero(is_first)
        sums = np.add.reduceat(self.cost[order], starts)
        firsts = order[starts]  # the sort is stable
        in_order = np.argsort(firsts)
        firsts = firsts[in_order]
        return Edges(self.u[firsts], self.v[firsts], sums[in_order])

    def ends(self) -> IntArray:
        """Return both nodes of each edge, of shape (m, 2)."""
        return np.stack([self.u, self.v], axis=1)

    def to_problem(self, lifted: Edges | None = None) -> Problem:
        """Return the problem whose node ids are those of the edges, ascending.

        Of lifted edges, it has those between these nodes.
        """
        if lifted is None or len(lifted) == 0:
            return Problem(self.ends(), self.cost)
        nodes = distinct(np.concatenate([self.u, self.v]))
        known = lifted.where(is_among(nodes, lifted.u) & is_among(nodes, lifted.v))
        return Problem(self.ends(), self.cost, lifted_edges=known.ends(), lifted_costs=known.cost)


def is_among(known: IntArray, nodes: IntArray) -> BoolArray:
    """Return whether each node is one of the known ones, which are ascending."""
    if len(known) == 0:
        return np.zeros(len(nodes), dtype=np.bool_)
    places = np.minimum(np.searchsorted(known, nodes), len(known) - 1)
    found: BoolArray = known[places] == nodes
    return found


class BlockEdges(NamedTuple):
    """The edges of a block: inside it, and from its nodes (`u`) to others (`v`).

    Lifted edges are kept apart throughout: they connect nothing.
    """

    inner: Edges
    cross: Edges
    lifted: Edges
    lifted_cross: Edges

    def save(self, file: Path) -> None:
        """Write them to a file."""
        parts = [part.to_arrays(name) for name, part in self._asdict().items()]
        save_arrays(file, **{key: array for part in parts for key, array in part.items()})

    @classmethod
    def load(cls, file: Path) -> Self:
        """Read them from a file."""
        arrays = load_arrays(file)
        return cls(*(Edges.of_arrays(arrays, name) for name in cls._fields))
