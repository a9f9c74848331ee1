"""How sure two samples belong together: similarities between 0 and 1, for given pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._registry import Registry

if TYPE_CHECKING:
    from multicut._arrays import FloatArray, IntArray

# Pairs that are looked at together: bounds the memory for their features.
_PAIRS_AT_ONCE = 1 << 15


@dataclass(frozen=True)
class Affinity:
    """A similarity by name.

    Attributes
    ----------
    name, description
        What it is called, and what it is.
    similarities
        From samples, neighbours (n, k), the value of gamma and pairs (m, 2) to m similarities.
    graph, metric
        The graph that suits it, and the metric in which neighbours are near.
    """

    name: str
    description: str
    similarities: Callable[[Any, IntArray, float, IntArray], FloatArray]
    graph: str
    metric: str = "euclidean"
    uses_gamma: bool = False
    uses_neighbors: bool = False


def shared_neighbors(
    samples: Any,  # noqa: ARG001
    neighbors: IntArray,
    gamma: float,  # noqa: ARG001
    pairs: IntArray,
) -> FloatArray:
    r"""Compare neighbourhoods: :math:`|N_u \cap N_v| / |N_u \cup N_v|`, each with its own sample.

    It adapts to density: what matters is who is near, not how near.
    """
    from scipy.sparse import csr_array

    num_samples, size = neighbors.shape[0], neighbors.shape[1] + 1
    members = np.concatenate([np.arange(num_samples)[:, None], neighbors], axis=1)
    begins = np.arange(0, members.size + 1, size)
    ones = np.ones(members.size, dtype=np.int64)
    sets = csr_array((ones, members.ravel(), begins), shape=(num_samples, num_samples))

    def compare(u: IntArray, v: IntArray) -> FloatArray:
        shared = np.asarray(sets[u].multiply(sets[v]).sum(axis=1)).ravel()
        return np.asarray(shared / (2.0 * size - shared))

    return in_pieces(compare, pairs)


def rbf(samples: Any, neighbors: IntArray, gamma: float, pairs: IntArray) -> FloatArray:  # noqa: ARG001
    r"""Gaussian kernel: :math:`\exp(-\gamma \|x_u - x_v\|^2)`."""

    def compare(u: IntArray, v: IntArray) -> FloatArray:
        difference = samples[u] - samples[v]
        return np.asarray(np.exp(-gamma * _row_sums(difference, difference)))

    return in_pieces(compare, pairs)


def cosine(samples: Any, neighbors: IntArray, gamma: float, pairs: IntArray) -> FloatArray:  # noqa: ARG001
    """Cosine of the angle between two samples; 0 where it is obtuse, or a sample is zero."""
    norms = np.sqrt(_row_sums(samples, samples))

    def compare(u: IntArray, v: IntArray) -> FloatArray:
        scale = norms[u] * norms[v]
        product = _row_sums(samples[u], samples[v])
        ratio = np.divide(product, scale, out=np.zeros_like(scale), where=scale > 0)
        return np.asarray(np.clip(ratio, 0, 1))

    return in_pieces(compare, pairs)


def called(function: Callable[[Any, Any], Any], samples: Any, pairs: IntArray) -> FloatArray:
    """Ask a function of the user for the similarities of pairs."""

    def compare(u: IntArray, v: IntArray) -> FloatArray:
        values = np.asarray(function(samples[u], samples[v]), dtype=np.float64)
        if values.shape != u.shape:
            raise ValueError(
                f"affinity must return one similarity per pair, shape ({len(u)},), got "
                f"{values.shape}; it is called with the samples at both ends of {len(u)} pairs"
            )
        check_probabilities(values, u, v, "affinity must return")
        return values

    return in_pieces(compare, pairs)


def in_pieces(compare: Callable[[IntArray, IntArray], FloatArray], pairs: IntArray) -> FloatArray:
    """Compare pairs a few at a time."""
    result = np.empty(len(pairs))
    for begin in range(0, len(pairs), _PAIRS_AT_ONCE):
        part = pairs[begin : begin + _PAIRS_AT_ONCE]
        result[begin : begin + len(part)] = compare(part[:, 0], part[:, 1])
    return result


def check_probabilities(values: FloatArray, u: IntArray, v: IntArray, subject: str) -> None:
    """Raise an error that names the first value not between 0 and 1."""
    wrong = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if len(wrong):
        at = wrong[0]
        raise ValueError(
            f"{subject} values between 0 and 1, got {values[at]:g} for samples {u[at]} and {v[at]}"
        )


def _row_sums(first: Any, second: Any) -> FloatArray:
    """Sum the products of each two rows, of arrays or of sparse matrices."""
    if hasattr(first, "tocsr"):
        return np.asarray(first.multiply(second).sum(axis=1), dtype=np.float64).ravel()
    return np.asarray(np.einsum("ij,ij->i", first, second))


AFFINITIES: Registry[Affinity] = Registry(
    "affinity",
    (
        Affinity(
            "shared_neighbors",
            "the share of nearest neighbours that two samples have in common",
            shared_neighbors,
            graph="knn",
            uses_neighbors=True,
        ),
        Affinity("rbf", "Gaussian kernel", rbf, graph="full", uses_gamma=True),
        Affinity("cosine", "cosine similarity", cosine, graph="full", metric="cosine"),
    ),
)
