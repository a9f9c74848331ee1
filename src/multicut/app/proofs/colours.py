"""Colours of segments that stay while the segments do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from multicut.plotting.palette import CLUSTERS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multicut._arrays import IntArray

_NONE = -1


class KeptColours:
    """The colour of each segment, by its number.

    A number keeps its colour for good, so a segment that no correction has changed looks as before,
    and an undone correction brings the old colours back. A new number gets the colour that is
    rarest among its neighbours.
    """

    def __init__(self) -> None:
        self._chosen: IntArray = np.zeros(0, dtype=np.int64)
        self._usage: IntArray = np.zeros(len(CLUSTERS), dtype=np.int64)
        self._palette = np.array([_parts(colour) for colour in CLUSTERS], dtype=np.uint8)

    def of(self, labels: NDArray[Any], edges: IntArray) -> NDArray[np.uint8]:
        """Return the colour of each node, shape (num_nodes, 3); `edges` tell who are neighbours."""
        numbers = np.asarray(labels, dtype=np.int64)
        most = int(numbers.max(initial=-1)) + 1
        if most > len(self._chosen):
            room = np.full(2 * most, _NONE)
            room[: len(self._chosen)] = self._chosen
            self._chosen = room
        present = np.unique(numbers)
        fresh = present[self._chosen[present] == _NONE]
        if len(fresh):
            self._choose(numbers, edges, fresh)
        colours: NDArray[np.uint8] = self._palette[self._chosen[numbers]]
        return colours

    def _choose(self, labels: IntArray, edges: IntArray, fresh: IntArray) -> None:
        ends = labels[edges]
        ends = ends[ends[:, 0] != ends[:, 1]]
        pairs = np.unique(np.concatenate([ends, ends[:, ::-1]]), axis=0)
        sizes = np.bincount(labels)
        # Large segments choose first, while there is most to choose from.
        for label in fresh[np.argsort(-sizes[fresh], kind="stable")]:
            first, last = np.searchsorted(pairs[:, 0], [label, label + 1])
            around = self._chosen[pairs[first:last, 1]]
            taken = np.bincount(around[around >= 0], minlength=len(CLUSTERS))
            best = int(np.lexsort((self._usage, taken))[0])
            self._chosen[label] = best
            self._usage[best] += 1


def _parts(colour: str) -> list[int]:
    return [int(colour[start : start + 2], 16) for start in (1, 3, 5)]
