"""Where training gets its batches from: a stored dataset, or graphs made as it goes on."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch

from multicut.nn.batch import GraphBatch
from multicut.nn.cycles import CycleSet
from multicut.problem import Problem
from multicut.training.arrays import GraphArrays
from multicut.training.device_dataset import DeviceDataset
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
        computes is what one process would have computed for all.
    """

    graphs: GraphBatch
    cycles: CycleSet | None
    num_edges: int
    num_graphs: int


class BatchSource(Protocol):
    """Batches by step number."""

    def batches(self, first_step: int) -> Iterator[TrainingBatch]:
        """Yield the batches from `first_step` on, without end."""


# Tells up to which length a step needs cycles, if at all.
CycleNeed = Callable[[int], int | None]


@dataclass(frozen=True)
class Share:
    """Which part of each batch this process computes."""

    rank: int = 0
    world_size: int = 1

    def of(self, graphs: np.ndarray[tuple[int], np.dtype[np.int64]]) -> slice:
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

    def batches(self, first_step: int) -> Iterator[TrainingBatch]:
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
            yield TrainingBatch(graphs, cycles, int(edge_counts[chosen].sum()), len(chosen))
            step += 1


class FreshGraphs:
    """Batches of graphs that nobody has seen before, made and labelled in other threads.

    Graph number i is made from the seed [seed, i], so batch t is known without those before it.

    Parameters
    ----------
    generate
        Makes a problem from a seed.
    label
        Solves a list of problems and returns one cut per problem; None leaves them unlabelled.
    batch_size
        Graphs per batch.
    seed
        Determines the graphs.
    device
        Where batches go.
    need, share
        Which steps need cycles, and which part of a batch this process computes.
    num_workers
        Threads, by default one per processor. Each makes one batch at a time.
    """

    def __init__(
        self,
        generate: Callable[[int], Problem],
        label: Callable[[list[Problem]], GraphArrays] | None,
        batch_size: int,
        seed: int,
        device: torch.device | str,
        need: CycleNeed,
        share: Share,
        num_workers: int | None = None,
    ) -> None:
        self._generate = generate
        self._label = label or GraphArrays.from_problems
        self._batch_size = batch_size
        self._seed = seed
        self._device = torch.device(device)
        self._need = need
        self._share = share
        self._num_workers = num_workers or os.cpu_count() or 1

    def batches(self, first_step: int) -> Iterator[TrainingBatch]:
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

    def _make(self, step: int) -> TrainingBatch:
        numbers = np.arange(step * self._batch_size, (step + 1) * self._batch_size)
        # All graphs are made by every process, since each must know how many edges there are.
        problems = [self._generate(self._seed_of(int(number))) for number in numbers]
        num_edges = sum(problem.num_edges for problem in problems)
        arrays = self._label(problems[self._share.of(numbers)])
        dataset = DeviceDataset(arrays, self._device)
        everything = np.arange(arrays.num_graphs)
        max_length = self._need(step)
        cycles = None
        if max_length is None:
            graphs = dataset.batch(everything)
        else:
            graphs, cycles = dataset.batch_with_cycles(everything, max_length)
        return TrainingBatch(graphs, cycles, num_edges, len(problems))

    def _seed_of(self, number: int) -> int:
        return int(np.random.SeedSequence([self._seed, number]).generate_state(1, np.uint64)[0])
