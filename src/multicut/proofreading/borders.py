"""Borders that one may ask about: between clusters, and between parts of one."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from multicut import _core
    from multicut._arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Borders:
    """Columns of borders.

    Attributes
    ----------
    pairs
        A node of either side, at its core.
    costs
        The sum of the costs between the two sides.
    counts
        How many edges there are between them.
    first, second
        What the nodes of either side weigh together.
    """

    pairs: IntArray
    costs: FloatArray
    counts: FloatArray
    first: FloatArray
    second: FloatArray

    def __len__(self) -> int:
        return len(self.costs)

    def __getitem__(self, chosen: BoolArray) -> Borders:
        return Borders(*(getattr(self, each.name)[chosen] for each in fields(self)))

    def followed_by(self, other: Borders) -> Borders:
        """Return these borders, then others."""
        columns = (
            (getattr(self, each.name), getattr(other, each.name)) for each in fields(Borders)
        )
        return Borders(*(np.concatenate(both) for both in columns))


class BorderCache:
    """The borders of a partition that changes.

    Parts are looked for anew only in clusters that have changed since.
    """

    def __init__(self, live: _core.LivePartition, weights: FloatArray) -> None:
        self._live = live
        self.weights = weights
        self._is_stale = np.zeros(0, dtype=np.bool_)
        self._cores = np.zeros(0, dtype=np.int64)  # of each cluster, by its number
        none = np.zeros(0)
        self._within = Borders(np.zeros((0, 2), dtype=np.int64), none, none, none, none)
        self._owners = np.zeros(0, dtype=np.int64)

    def forget(self, clusters: IntArray) -> None:
        """Look for the parts of these clusters anew."""
        self._grow_to(int(clusters.max(initial=-1)) + 1)
        self._is_stale[clusters] = True

    def within(self) -> Borders:
        """Return the borders between parts of clusters."""
        labels = self._live.labels.astype(np.int64)
        self._grow_to(int(labels.max(initial=-1)) + 1)
        exists = np.zeros(len(self._is_stale), dtype=np.bool_)
        exists[labels] = True
        found = np.flatnonzero(self._is_stale & exists)
        cores, columns = self._live.borders_within(found, self.weights)
        self._cores[found] = cores
        added = Borders(*columns)
        kept = ~self._is_stale[self._owners]
        self._within = self._within[kept].followed_by(added)
        self._owners = np.concatenate([self._owners[kept], labels[added.pairs[:, 0]]])
        self._is_stale[:] = False
        return self._within

    def between(self) -> Borders:
        """Return the borders between clusters; call `within` first."""
        found = Borders(*self._live.borders_between(self.weights))
        pairs = self._cores[self._live.labels.astype(np.int64)[found.pairs]]
        return Borders(pairs, found.costs, found.counts, found.first, found.second)

    def _grow_to(self, count: int) -> None:
        more = count - len(self._is_stale)
        if more > 0:
            self._is_stale = np.append(self._is_stale, np.ones(more, dtype=np.bool_))
            self._cores = np.append(self._cores, np.zeros(more, dtype=np.int64))
