"""A whole dataset on the device that trains, and batches of it put together there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from multicut.datasets.arrays import DatasetArrays
from multicut.nn.batch import GraphBatch
from multicut.nn.cycles import MAX_CYCLES_PER_GRAPH, CycleLists, CycleSet, list_chordless_cycles


@dataclass(frozen=True, eq=False)
class _Cycles:
    """The cycles of one width: rows of edges on the device, and where those of each graph begin."""

    rows: Tensor
    offsets: np.ndarray[Any, np.dtype[np.int64]]


class DeviceDataset:
    """Graphs as flat arrays on a device.

    A batch is a handful of gathers, whatever its size: there is no loop over graphs, no worker
    process, and nothing is asked back from the device, since main memory knows all sizes.

    Parameters
    ----------
    arrays
        The graphs.
    device
        Where to keep them.
    max_cycles
        A graph with more chordless cycles than this is an error, if cycles are asked for.
    find_cycles
        Returns the cycles of all graphs up to a length, if they are known already; by default they
        are listed when they are first asked for.
    """

    def __init__(
        self,
        arrays: DatasetArrays,
        device: torch.device | str,
        *,
        max_cycles: int = MAX_CYCLES_PER_GRAPH,
        find_cycles: Callable[[int], CycleLists] | None = None,
    ) -> None:
        if arrays.is_lifted:
            raise ValueError("networks take no lifted edges; train on problems without them")
        with np.errstate(over="ignore"):
            costs = arrays.costs.astype(np.float32)
        finite = np.isfinite(costs)
        if not finite.all():
            edge = int(np.argmin(finite))
            graph = int(np.searchsorted(arrays.edge_offsets, edge, side="right")) - 1
            raise ValueError(
                f"costs must be finite in single precision, got {arrays.costs[edge]} in graph "
                f"{graph}; leave it out, or divide costs by a number"
            )
        self._arrays = arrays
        self._device = torch.device(device)
        self._max_cycles = max_cycles
        self._find_cycles = find_cycles or self._listed_cycles
        edges = np.ascontiguousarray(arrays.edges.T, dtype=np.int32)
        self._edges = torch.from_numpy(edges).to(self._device)
        self._costs = torch.from_numpy(costs).to(self._device)
        self._has_cuts = _has_cuts(arrays)
        self._cut = None
        if arrays.cut is not None and self._has_cuts:
            self._cut = torch.from_numpy(arrays.cut.astype(np.bool_)).to(self._device)
        self._objective = torch.from_numpy(arrays.objective.astype(np.float64)).to(self._device)
        self._cycles: dict[int, list[_Cycles]] = {}

    @property
    def arrays(self) -> DatasetArrays:
        """The same graphs in main memory."""
        return self._arrays

    @property
    def num_graphs(self) -> int:
        """How many graphs there are."""
        return self._arrays.num_graphs

    @property
    def has_cuts(self) -> bool:
        """Whether a solution of each graph is known."""
        return self._has_cuts

    @property
    def has_objectives(self) -> bool:
        """Whether the cost of a solution of each graph is known."""
        return not bool(np.isnan(self._arrays.objective).any())

    def objectives(self, graphs: np.ndarray[Any, np.dtype[np.int64]]) -> Tensor:
        """Return the costs of the best known solutions, in double precision."""
        return self._objective[torch.from_numpy(graphs).to(self._device)]

    @property
    def device(self) -> torch.device:
        """Where the graphs are."""
        return self._device

    def batch(self, graphs: np.ndarray[Any, np.dtype[np.int64]]) -> GraphBatch:
        """Put the graphs of these numbers side by side."""
        return self._assemble(graphs, None)[0]

    def batch_with_cycles(
        self, graphs: np.ndarray[Any, np.dtype[np.int64]], max_length: int
    ) -> tuple[GraphBatch, CycleSet]:
        """Do so, and look up their chordless cycles of at most `max_length` edges.

        The first call lists the cycles of the whole dataset.
        """
        batch, cycles = self._assemble(graphs, self.list_cycles(max_length))
        assert cycles is not None
        return batch, cycles

    def list_cycles(self, max_length: int) -> list[_Cycles]:
        """List the chordless cycles of all graphs and keep them on the device, once."""
        if max_length not in self._cycles:
            lists = self._find_cycles(max_length)
            self._cycles[max_length] = [
                _Cycles(torch.from_numpy(rows).to(self._device), offsets)
                for rows, offsets in zip(lists.rows, lists.offsets, strict=True)
            ]
        return self._cycles[max_length]

    def _listed_cycles(self, max_length: int) -> CycleLists:
        return list_chordless_cycles(
            self._arrays.edges,
            self._arrays.node_offsets,
            self._arrays.edge_offsets,
            max_length,
            max_cycles=self._max_cycles,
        )

    def _assemble(
        self, graphs: np.ndarray[Any, np.dtype[np.int64]], cycles: list[_Cycles] | None
    ) -> tuple[GraphBatch, CycleSet | None]:
        # All that depends on the choice of graphs is a few numbers per graph. They are computed
        # here, where sizes are known, and travel to the device in one small copy.
        sections = [
            _Section(self._arrays.node_offsets, graphs),
            _Section(self._arrays.edge_offsets, graphs),
            *(_Section(part.offsets, graphs) for part in cycles or ()),
        ]
        numbers = np.stack(
            [row for section in sections for row in (section.offsets, section.shift)]
        )
        table = torch.from_numpy(numbers).to(self._device, non_blocking=True)
        node_offsets, edge_offsets, edge_shift = table[0], table[2], table[3]

        num_edges = sections[1].total
        graph_of_edge, source = _sources(edge_offsets, edge_shift, num_edges)
        first_node = node_offsets.index_select(0, graph_of_edge)
        batch = GraphBatch(
            edges=self._edges.index_select(1, source) + first_node,
            costs=self._costs.index_select(0, source),
            num_nodes=sections[0].total,
            node_offsets=node_offsets,
            edge_offsets=edge_offsets,
            cut=None if self._cut is None else self._cut.index_select(0, source).float(),
        )
        if cycles is None:
            return batch, None
        rows = []
        for i, (part, section) in enumerate(zip(cycles, sections[2:], strict=True)):
            offsets, shift = table[2 * i + 4], table[2 * i + 5]
            graph_of_row, source = _sources(offsets, shift, section.total)
            chosen = part.rows.index_select(0, source)
            # Edge numbers go from places in the dataset to places in the batch.
            moved = chosen - edge_shift.index_select(0, graph_of_row).int()[:, None]
            rows.append(torch.where(chosen < 0, num_edges, moved))
        return batch, CycleSet(tuple(rows), num_edges)


class _Section:
    """Where the things of chosen graphs go, and how far they lie from there in the dataset."""

    def __init__(
        self,
        offsets: np.ndarray[Any, np.dtype[np.int64]],
        graphs: np.ndarray[Any, np.dtype[np.int64]],
    ) -> None:
        first = offsets[graphs]
        counts = offsets[graphs + 1] - first
        self.offsets = np.zeros(len(graphs) + 1, dtype=np.int64)
        np.cumsum(counts, out=self.offsets[1:])
        self.shift = np.zeros(len(graphs) + 1, dtype=np.int64)
        np.subtract(first, self.offsets[:-1], out=self.shift[:-1])
        self.total = int(self.offsets[-1])


def _sources(offsets: Tensor, shift: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Return for each of `count` things in a batch its graph and its place in the dataset."""
    graphs = torch.arange(offsets.shape[0] - 1, device=offsets.device)
    owners = torch.repeat_interleave(graphs, torch.diff(offsets), output_size=count)
    places = torch.arange(count, device=offsets.device) + shift.index_select(0, owners)
    return owners, places


def _has_cuts(arrays: DatasetArrays) -> bool:
    """Whether all solutions are there; the flags of those that are not do not add up to a cost."""
    if arrays.cut is None:
        return False
    sums = arrays.per_graph(np.where(arrays.cut, arrays.costs, 0.0))
    size = arrays.per_graph(np.abs(arrays.costs))
    return bool((np.abs(sums - arrays.objective) <= 1e-6 * size + 1e-12).all())
