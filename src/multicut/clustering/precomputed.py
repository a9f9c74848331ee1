"""Pairs of samples from a matrix that the user has computed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from multicut.clustering.affinities import check_probabilities

if TYPE_CHECKING:
    from multicut._arrays import FloatArray, IntArray


def stated_pairs(matrix: Any, *, probabilities: bool) -> tuple[IntArray, FloatArray]:
    """Read a square matrix, dense or sparse: pairs (m, 2), each once, and their values.

    Entries (i, j) and (j, i) state the same pair: where both are there they must agree, where one
    is there it counts. A sparse matrix states what it stores. In a dense one of costs, zeros state
    nothing; one of probabilities states everything, since zero is a probability.
    """
    if matrix.shape[0] != matrix.shape[1]:
        kind = "probabilities" if probabilities else "costs"
        raise ValueError(f"X must be a square matrix of {kind}, got shape {matrix.shape}")
    rows, columns, values = _entries(matrix, keep_zeros=probabilities)
    missing = np.flatnonzero(np.isnan(values))
    if len(missing):
        u, v = rows[missing[0]], columns[missing[0]]
        raise ValueError(f"X contains NaN at [{u}, {v}]; drop or impute it")
    apart = rows != columns
    rows, columns, values = rows[apart], columns[apart], values[apart]
    if probabilities:
        check_probabilities(values, rows, columns, "X must contain")
    pairs = np.sort(np.stack([rows, columns], axis=1), axis=1)
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    pairs, values = pairs[order], values[order]
    again = np.flatnonzero((pairs[1:] == pairs[:-1]).all(axis=1)) + 1
    _check_agreement(pairs, values, again)
    keep = np.ones(len(values), dtype=bool)
    keep[again] = False
    return pairs[keep], values[keep]


def _entries(matrix: Any, *, keep_zeros: bool) -> tuple[IntArray, IntArray, FloatArray]:
    if hasattr(matrix, "tocoo"):
        entries = matrix.tocoo(copy=True)
        entries.sum_duplicates()
        rows, columns, values = entries.row, entries.col, entries.data
    elif keep_zeros:
        rows, columns = (index.ravel() for index in np.indices(matrix.shape))
        values = matrix.ravel()
    else:
        rows, columns = np.nonzero(matrix)
        values = matrix[rows, columns]
    return rows.astype(np.int64), columns.astype(np.int64), values.astype(np.float64)


def _check_agreement(pairs: IntArray, values: FloatArray, again: IntArray) -> None:
    finite = values[np.isfinite(values)]
    tolerance = 1e-9 * float(np.abs(finite).max(initial=0))
    differ = ~np.isclose(values[again], values[again - 1], rtol=1e-6, atol=tolerance)
    if differ.any():
        at = again[np.flatnonzero(differ)[0]]
        u, v = pairs[at]
        raise ValueError(
            f"X must be symmetric, but samples {u} and {v} have the values {values[at - 1]:g} and "
            f"{values[at]:g}; take their mean, (X + X.T) / 2, or one triangle"
        )
