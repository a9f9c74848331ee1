"""Tensors of fixed size and place that one batch after another is copied into."""

from __future__ import annotations

import torch
from torch import Tensor

from multicut.nn.batch import GraphBatch
from multicut.nn.cycles import CycleSet
from multicut.nn.padding import Padding
from multicut.training.batches import TrainingBatch
from multicut.training.recorded.capacity import Capacity

# Where the numbers of a batch are in the tensor that takes them to the device; after these come the
# numbers of cycles of each width.
_NODES, _EDGES, _ALL_EDGES, _GRAPHS, _WEIGHT, _CYCLES = range(6)


class FixedSizeBatch:
    """A batch filled up to a fixed size, in tensors that stay where they are.

    :meth:`fill` copies a batch in; :meth:`padded` computes from that, on the device and without
    asking it for anything, what a network gets. So the latter can be recorded and replayed.

    Parameters
    ----------
    capacity
        How large batches may be.
    example
        A batch such as will come: its device, its types, and whether it has labels and cycles.
    """

    def __init__(self, capacity: Capacity, example: TrainingBatch) -> None:
        graphs = example.graphs
        device = graphs.device
        self._capacity = capacity
        self._edges = torch.zeros(2, capacity.edges, dtype=torch.int64, device=device)
        self._costs = graphs.costs.new_zeros(capacity.edges)
        self._cut = None if graphs.cut is None else graphs.cut.new_zeros(capacity.edges)
        rows = () if example.cycles is None else example.cycles.rows
        self._rows = tuple(
            part.new_zeros(room, part.shape[1])
            for part, room in zip(rows, capacity.cycles if rows else (), strict=True)
        )
        self._has_cycles = example.cycles is not None
        self._numbers = torch.zeros(_CYCLES + len(rows), dtype=torch.float64, device=device)
        self._node_offsets = torch.tensor([0, capacity.nodes], device=device)
        self._edge_offsets = torch.tensor([0, capacity.edges], device=device)

    def fill(self, batch: TrainingBatch, cycle_weight: float) -> None:
        """Copy a batch that :meth:`Capacity.holds` said yes to; what lies behind it stays."""
        graphs, num_edges = batch.graphs, batch.graphs.num_edges
        self._edges[:, :num_edges].copy_(graphs.edges)
        self._costs[:num_edges].copy_(graphs.costs)
        if self._cut is not None:
            assert graphs.cut is not None
            self._cut[:num_edges].copy_(graphs.cut)
        counts = []
        if batch.cycles is not None:
            for rows, part in zip(self._rows, batch.cycles.rows, strict=True):
                rows[: part.shape[0]].copy_(part)
                counts.append(part.shape[0])
        numbers = [graphs.num_nodes, num_edges, batch.num_edges, batch.num_graphs, cycle_weight]
        values = torch.tensor([*numbers, *counts], dtype=torch.float64)
        self._numbers.copy_(values, non_blocking=True)

    def padded(self) -> tuple[TrainingBatch, Tensor]:
        """Return the batch with its padding, and the weight of cycles, shape ()."""
        capacity, numbers = self._capacity, self._numbers
        whole = numbers.to(torch.int64)
        num_nodes, num_edges = whole[_NODES], whole[_EDGES]
        places = torch.arange(capacity.edges, device=numbers.device)
        is_edge = places < num_edges
        # Padding edges are loops, spread over all padding nodes so that no row gets long.
        loops = num_nodes + (places - num_edges).remainder(capacity.nodes - num_nodes)
        kind = self._costs.dtype
        graphs = GraphBatch(
            edges=torch.where(is_edge, self._edges, loops),
            costs=torch.where(is_edge, self._costs, 0),
            num_nodes=capacity.nodes,
            node_offsets=self._node_offsets,
            edge_offsets=self._edge_offsets,
            cut=None if self._cut is None else torch.where(is_edge, self._cut, 0),
            padding=Padding.of(num_nodes, num_edges, (capacity.nodes, capacity.edges), kind),
        )
        batch = TrainingBatch(
            graphs=graphs,
            cycles=self._padded_cycles(whole) if self._has_cycles else None,
            num_edges=numbers[_ALL_EDGES].to(kind),
            num_graphs=numbers[_GRAPHS].to(kind),
        )
        return batch, numbers[_WEIGHT].to(kind)

    def _padded_cycles(self, whole: Tensor) -> CycleSet:
        no_edge = self._capacity.edges
        parts = []
        for i, rows in enumerate(self._rows):
            places = torch.arange(rows.shape[0], device=rows.device)
            # In the batch, the edge that is not there has the number after the last edge.
            is_edge = (places < whole[_CYCLES + i])[:, None] & (rows < whole[_EDGES])
            parts.append(torch.where(is_edge, rows, no_edge))
        return CycleSet(tuple(parts), no_edge)
