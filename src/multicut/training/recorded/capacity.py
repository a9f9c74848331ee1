"""How large a batch may be to go through a recorded step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from multicut.nn.batch import GraphBatch
from multicut.nn.cycles import CycleSet

# So many standard deviations above the mean, one batch in 30,000 is too large. It is computed
# without the recording, so nothing is lost but time.
_DEVIATIONS = 4.0
# Nor is there room for more than so many times the mean, however much batches differ: every batch
# takes the time that the room takes.
_MOST = 1.5
# Sizes that are a multiple of this keep rows of tensors aligned.
_GRANULE = 128

_Counts = np.ndarray[Any, np.dtype[np.int64]]
_Shares = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Capacity:
    """Room for the batches of a dataset.

    Attributes
    ----------
    nodes
        More than a batch may have: at least one is left over, for padding edges to be at.
    edges
        As many as a batch may have.
    cycles
        For each width of rows, as many cycles as a batch may have; empty if cycles do not matter.
    """

    nodes: int
    edges: int
    cycles: tuple[int, ...] = ()

    @classmethod
    def of_batches(
        cls,
        batch_size: int,
        chances: _Shares,
        node_counts: _Counts,
        edge_counts: _Counts,
        cycle_counts: Sequence[_Counts] = (),
    ) -> Capacity:
        """Make room for nearly all batches of so many graphs.

        Parameters
        ----------
        batch_size
            Graphs per batch.
        chances
            How often each graph is drawn, as shares of all draws.
        node_counts, edge_counts
            Of each graph.
        cycle_counts
            For each width of rows, the cycles of each graph.
        """
        return cls(
            nodes=_room(node_counts, chances, batch_size) + _GRANULE,
            edges=_room(edge_counts, chances, batch_size),
            cycles=tuple(_room(counts, chances, batch_size) for counts in cycle_counts),
        )

    def holds(self, graphs: GraphBatch, cycles: CycleSet | None) -> bool:
        """Tell whether a batch fits."""
        if graphs.num_nodes >= self.nodes or graphs.num_edges > self.edges:
            return False
        if cycles is None:
            return True
        sizes = [rows.shape[0] for rows in cycles.rows]
        return len(sizes) == len(self.cycles) and all(
            size <= room for size, room in zip(sizes, self.cycles, strict=True)
        )


def _room(counts: _Counts, chances: _Shares, batch_size: int) -> int:
    mean = float(chances @ counts)
    deviation = math.sqrt(float(chances @ (counts - mean) ** 2))
    usual = batch_size * mean + _DEVIATIONS * deviation * math.sqrt(batch_size)
    most = min(usual, _MOST * batch_size * mean, batch_size * float(counts.max()))
    return max(1, math.ceil(most / _GRANULE)) * _GRANULE
