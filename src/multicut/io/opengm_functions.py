"""Functions of OpenGM models, each reduced to what a multicut needs of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from multicut._arrays import FloatArray, IntArray
from multicut.io.hdf5 import read_array
from multicut.io.source import Source

_TABLE = 16000
POTTS = 16006


def read_functions(source: Source, group: Any, type_id: int, count: int) -> dict[int, FloatArray]:
    """Read the functions of one type.

    Returns
    -------
    For each dimension an array with an entry per function, nan where the function has another
    dimension. For two variables: the cost of different labels over that of equal ones. For one:
    zero if the function is zero, else some value of it.
    """
    if count == 0:
        return {}
    name = f"function-id-{type_id}"
    if type_id not in (_TABLE, POTTS):
        raise source.error(
            f"not a multicut: has functions of type {type_id}; only {_TABLE} (tables) and {POTTS} "
            f"(Potts) can be read"
        )
    if name not in group:
        raise source.error(f"the header states {count} functions of type {type_id}, none are there")
    indices = read_array(source, group[name], "indices", "iu")
    values = read_array(source, group[name], "values", "iuf").astype(np.float64)
    if np.isnan(values).any():
        raise source.error(f"functions of type {type_id} must not have values of nan")
    if type_id == POTTS:
        if len(indices) != 2 * count or len(values) != 2 * count:
            raise source.error(
                f"{count} Potts functions must have {2 * count} indices and values, got "
                f"{len(indices)} and {len(values)}"
            )
        return {2: _differences(source, values[0::2], values[1::2])}
    return _reduce_tables(source, indices, values, count)


def _differences(source: Source, equal: FloatArray, different: FloatArray) -> FloatArray:
    if np.isinf(equal).any():
        raise source.error("not a multicut: a function forbids equal labels by an infinite value")
    # Where equal labels cost nothing, this keeps the sign of zero.
    result: FloatArray = np.where(equal == 0, different, different - equal)
    return result


def _reduce_tables(
    source: Source, indices: IntArray, values: FloatArray, count: int
) -> dict[int, FloatArray]:
    cut_short = source.error(
        f"the header states {count} tables, but their indices or values are cut short"
    )
    if count > len(indices):
        raise cut_short
    result = {1: np.full(count, np.nan), 2: np.full(count, np.nan)}
    entries = indices.tolist()
    position, offset = 0, 0
    for function in range(count):
        dimension = entries[position] if position < len(entries) else 0
        shape = entries[position + 1 : position + 1 + dimension]
        if dimension not in (1, 2) or len(shape) != dimension:
            raise source.error(
                f"table {function} has {dimension} dimensions; a multicut has tables of two"
            )
        size = int(np.prod(shape, dtype=object))
        if size < 0 or offset + size > len(values):
            raise cut_short
        table = values[offset : offset + size].reshape(shape, order="F")
        result[dimension][function] = (
            _reduce_pair(source, table, function) if dimension == 2 else _reduce_unary(table)
        )
        position, offset = position + 1 + dimension, offset + size
    if position != len(entries) or offset != len(values):
        raise source.error(f"the header states {count} tables, but there are more")
    return result


def _reduce_unary(table: FloatArray) -> float:
    nonzero = table[table != 0]
    return float(nonzero[0]) if len(nonzero) > 0 else 0.0


def _reduce_pair(source: Source, table: FloatArray, function: int) -> float:
    if min(table.shape) < 2:
        raise source.error(f"table {function} has shape {table.shape}; expected two labels or more")
    equal, different = table[0, 0], table[1, 0]
    expected = np.full(table.shape, different)
    np.fill_diagonal(expected, equal)
    if not np.array_equal(table, expected):
        raise source.error(
            f"not a multicut: table {function} has more values than one for equal and one for "
            f"different labels"
        )
    return float(_differences(source, equal, different))
