"""Which pairs of samples are edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from multicut._arrays import distinct

if TYPE_CHECKING:
    from multicut._arrays import IntArray

# A tenth of the samples, so that small clusters are not drowned in their surroundings; twenty are
# enough to tell a gap from chance, and more only cost time.
FEWEST_NEIGHBORS = 5
MOST_NEIGHBORS = 20

# As many edges as a problem can have.
_MOST_PAIRS = 2**31


def usual_neighbors(num_samples: int) -> int:
    """Return how many neighbours to take unless told otherwise."""
    return int(np.clip(num_samples // 10, FEWEST_NEIGHBORS, MOST_NEIGHBORS))


@dataclass(frozen=True)
class DistinctSamples:
    """Samples without repetitions.

    Attributes
    ----------
    first
        Where each distinct sample occurs first, ascending.
    copies
        Pairs (first, other) of samples that are identical.
    """

    first: IntArray
    copies: IntArray


def distinct_samples(samples: Any) -> DistinctSamples:
    """Find repeated samples.

    Among more identical samples than there are neighbours, any graph of neighbours is arbitrary,
    and may fall apart. So neighbours are looked for among distinct samples.
    """
    if hasattr(samples, "tocsr"):
        group = _groups_of_sparse_rows(samples)
    else:
        _, group = np.unique(samples, axis=0, return_inverse=True)
    _, first, inverse = np.unique(group.ravel(), return_index=True, return_inverse=True)
    everyone = np.arange(samples.shape[0])
    owner = first[inverse]
    repeated = owner != everyone
    copies = np.stack([owner[repeated], everyone[repeated]], axis=1)
    return DistinctSamples(np.sort(first), copies)


def _groups_of_sparse_rows(samples: Any) -> IntArray:
    matrix = samples.tocsr(copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    known: dict[bytes, int] = {}
    groups = np.empty(matrix.shape[0], dtype=np.int64)
    for row, (begin, end) in enumerate(zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)):
        content = matrix.indices[begin:end].tobytes() + matrix.data[begin:end].tobytes()
        groups[row] = known.setdefault(content, len(known))
    return groups


def nearest_neighbors(samples: Any, num_neighbors: int, metric: str) -> IntArray:
    """List the nearest other samples of each sample, shape (n, k), nearest first."""
    count = min(num_neighbors, samples.shape[0] - 1)
    if count < 1:
        return np.empty((samples.shape[0], 0), dtype=np.int64)
    search = NearestNeighbors(n_neighbors=count, metric=metric).fit(samples)
    return np.asarray(search.kneighbors(return_distance=False), dtype=np.int64)


def neighbor_edges(neighbors: IntArray) -> IntArray:
    """Join each sample with its neighbours, shape (m, 2), sorted; each edge once."""
    num_samples, count = neighbors.shape
    ends = np.stack([np.repeat(np.arange(num_samples), count), neighbors.ravel()], axis=1)
    ends.sort(axis=1)
    keys = distinct(ends[:, 0] * num_samples + ends[:, 1])
    return np.stack([keys // max(num_samples, 1), keys % max(num_samples, 1)], axis=1)


def all_pairs(num_samples: int) -> IntArray:
    """Join all samples with each other, shape (m, 2), sorted."""
    count = num_samples * (num_samples - 1) // 2
    try:
        if count >= _MOST_PAIRS:
            raise MemoryError
        return np.stack(np.triu_indices(num_samples, 1), axis=1)
    except MemoryError:
        raise MemoryError(
            f"{num_samples:,} samples make {count:,} pairs, too many for graph='full'; "
            f"use graph='knn'"
        ) from None
