"""Where training gets its batches from: a stored dataset, or graphs made as it goes on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from multicut._arrays import IntArray
from multicut._threads import available_processors
from multicut.datasets.dataset import Dataset
from multicut.nn.batch import GraphBatch
from multicut.nn.cycles import CycleSet
from multicut.training.device_dataset import DeviceDataset
from multicut.training.named_graphs import with_cost_scale
from multicut.training.recorded.capacity import Capacity
from multicut.training.sampler import Sampler


@dataclass(frozen=True, eq=False)
class TrainingBatch:
    """What one process sees of one step.

    Attributes
    ----------
    graphs
        This process's graphs.
    cycles
        Their chordless cycles, if this step needs them.
    num_edges, num_graphs
        Of all processes together. With these as denominators, the mean over processes of what each
        computes is what one process would have computed for all. Tensors of shape () in batches of
        fixed size, whose numbers are known to the device alone.
    """

    graphs: GraphBatch
    cycles: CycleSet | None
    num_edges: int | Tensor
    num_graphs: int | Tensor


class BatchSource(Protocol):
    """Batches by step number."""

    def batches(self, first_step: int) -> Generator[TrainingBatch]:
        """Yield the batches from `first_step` on, without end."""

    def capacity(self, max_length: int | None) -> Capacity | None:
        """Return the room that batches need, with cycles up to a length; None if unknown."""


# Tells up to which length a step needs cycles, if at all.
CycleNeed = Callable[[int], int | None]


@dataclass(frozen=True)
class Share:
    """Which part of each batch this process computes."""

    rank: int = 0
    world_size: int = 1

    def of(self, graphs: IntArray) -> slice:
        """Return the part of this process; all are equally large."""
        size = len(graphs) // self.world_size
        return slice(self.rank * size, (self.rank + 1) * size)


class StoredGraphs:
    """Batches of a dataset that lies on the device."""

    def __init__(
        self, dataset: DeviceDataset, sampler: Sampler, need: CycleNeed, share: Share
    ) -> None:
        self._dataset = dataset
        self._sampler = sampler
        self._need = need
        self._share = share

    def batches(self, first_step: int) -> Generator[TrainingBatch]:
        """Yield the batches from `first_step` on, without end."""
        edge_counts = np.diff(self._dataset.arrays.edge_offsets)
        step = first_step
        while True:
            chosen = self._sampler.graphs(step)
            mine = chosen[self._share.of(chosen)]
            max_length = self._need(step)
            cycles = None
            if max_length is None:
                graphs = self._dataset.batch(mine)
            else:
                graphs, cycles = self._dataset.batch_with_cycles(mine, max_length)
            num_edges = max(1, int(edge_counts[chosen].sum()))
            yield TrainingBatch(graphs, cycles, num_edges, len(chosen))
            step += 1

    def capacity(self, max_length: int | None) -> Capacity | None:
        """Return the room that nearly all batches need, with cycles up to a length."""
        arrays = self._dataset.arrays
        cycles = [] if max_length is None else self._dataset.list_cycles(max_length)
        return Capacity.of_batches(
            self._sampler.batch_size // self._share.world_size,
            self._sampler.chances,
            np.diff(arrays.node_offsets),
            np.diff(arrays.edge_offsets),
            [np.diff(part.offsets) for part in cycles],
        )


class FreshGraphs:
    """Batches of graphs that nobody has seen before, made and labelled in other threads.

    Parameters
    ----------
    draw
        Makes the graphs from one number on, so many of them. The same numbers give the same graphs,
        so batch t is known without those before it.
    label
        Adds solutions to graphs; None leaves them unlabelled.
    cost_scale
        Bring the mean absolute cost of each graph to this; None leaves costs as they are.
    batch_size
        Graphs per batch.
    device
        Where batches go.
    need, share
        Which steps need cycles, and which part of a batch this process computes.
    num_workers
        Threads, by default as many as this process may use. Each makes one batch at a time.
    """

    def __init__(
        self,
        draw: Callable[[int, int], Dataset],
        label: Callable[[Dataset], Dataset] | None,
        cost_scale: float | None,
        batch_size: int,
        device: torch.device | str,
        need: CycleNeed,
        share: Share,
        num_workers: int | None = None,
    ) -> None:
        self._draw = draw
        self._label = label
        self._cost_scale = cost_scale
        self._batch_size = batch_size
        self._device = torch.device(device)
        self._need = need
        self._share = share
        self._num_workers = num_workers or available_processors()

    def batches(self, first_step: int) -> Generator[TrainingBatch]:
        """Yield the batches from `first_step` on, without end."""
        pool = ThreadPoolExecutor(self._num_workers)
        ahead: deque[Future[TrainingBatch]] = deque()
        try:
            step = first_step
            while True:
                while len(ahead) <= self._num_workers:
                    ahead.append(pool.submit(self._make, step))
                    step += 1
                yield ahead.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def capacity(self, max_length: int | None) -> Capacity | None:  # noqa: ARG002
        """Return None: nobody knows what graphs will come."""
        return None

    def _make(self, step: int) -> TrainingBatch:
        # Every process makes all graphs, since each must know how many edges there are.
        drawn = self._draw(step * self._batch_size, self._batch_size)
        mine = drawn[self._share.of(drawn.numbers)]
        if self._label is not None:
            mine = self._label(mine)
        arrays = mine.arrays()
        if self._cost_scale is not None:
            arrays = with_cost_scale(arrays, self._cost_scale)
        dataset = DeviceDataset(arrays, self._device)
        everything = np.arange(len(mine))
        max_length = self._need(step)
        cycles = None
        if max_length is None:
            graphs = dataset.batch(everything)
        else:
            graphs, cycles = dataset.batch_with_cycles(everything, max_length)
        return TrainingBatch(graphs, cycles, max(1, int(drawn.num_edges.sum())), len(drawn))
