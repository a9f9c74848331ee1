"""Which graphs each training step sees: a function of the seed and the step alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Protocol

import numpy as np


class Sampler(Protocol):
    """Chooses graphs by step."""

    @property
    def batch_size(self) -> int:
        """Graphs per batch."""

    @property
    def chances(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """How often each graph is drawn, as shares of all draws."""

    def graphs(self, step: int) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return the numbers of the graphs of a batch, the first of which is step 0."""


def stage_rng(seed: int, step: int, rank: int) -> np.random.Generator:
    """Return random numbers of a step in one process, independent of the choice of its graphs."""
    # NumPy takes a missing number for 0, so [seed, step, 0] would be the stream of `Mixture`.
    return np.random.default_rng([seed, step, rank + 1])


class Passes:
    """Shuffled passes over a dataset, one after the other, cut into batches.

    Batch number t is known without the batches before it, so training that is resumed at step t
    sees what it would have seen. A batch may begin in one pass and end in the next, so all batches
    are full.

    Parameters
    ----------
    num_graphs
        The size of the dataset.
    batch_size
        Graphs per batch.
    seed
        Determines the order.
    """

    def __init__(self, num_graphs: int, batch_size: int, seed: int) -> None:
        if num_graphs == 0:
            raise ValueError("there are no graphs to train on")
        self._num_graphs = num_graphs
        self._batch_size = batch_size
        self._seed = seed
        self._pass = lru_cache(maxsize=2)(self._shuffle)

    @property
    def batch_size(self) -> int:
        """Graphs per batch."""
        return self._batch_size

    @property
    def chances(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """How often each graph is drawn, as shares of all draws."""
        return np.full(self._num_graphs, 1 / self._num_graphs)

    def graphs(self, step: int) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return the numbers of the graphs of a batch, the first of which is step 0."""
        begin = step * self._batch_size
        end = begin + self._batch_size
        parts = []
        while begin < end:
            number, offset = divmod(begin, self._num_graphs)
            part = self._pass(number)[offset : offset + end - begin]
            parts.append(part)
            begin += len(part)
        return np.concatenate(parts)

    def _shuffle(self, number: int) -> np.ndarray[Any, np.dtype[np.int64]]:
        rng = np.random.default_rng([self._seed, number])
        return rng.permutation(self._num_graphs).astype(np.int64)


class Mixture:
    """Batches of graphs from several datasets that lie one behind the other, by their shares.

    Graphs are drawn with replacement, so large and small datasets go together.

    Parameters
    ----------
    sizes
        How many graphs each dataset has.
    shares
        How much of a batch comes from each, on average; they need not add up to 1.
    batch_size
        Graphs per batch.
    seed
        Determines what is drawn.
    """

    def __init__(
        self, sizes: Sequence[int], shares: Sequence[float], batch_size: int, seed: int
    ) -> None:
        if min(sizes) == 0:
            raise ValueError("there are no graphs to train on in one of the datasets")
        self._sizes = sizes
        self._first = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
        self._shares = np.asarray(shares, dtype=np.float64) / np.sum(shares)
        self._batch_size = batch_size
        self._seed = seed

    @property
    def batch_size(self) -> int:
        """Graphs per batch."""
        return self._batch_size

    @property
    def chances(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """How often each graph is drawn, as shares of all draws."""
        return np.repeat(self._shares / np.asarray(self._sizes), self._sizes)

    def graphs(self, step: int) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return the numbers of the graphs of a batch, the first of which is step 0."""
        rng = np.random.default_rng([self._seed, step])
        counts = rng.multinomial(self._batch_size, self._shares)
        drawn = [
            first + rng.integers(size, size=count)
            for first, size, count in zip(self._first, self._sizes, counts, strict=True)
        ]
        # In random order, so that each process gets its share of every dataset.
        return rng.permutation(np.concatenate(drawn))
