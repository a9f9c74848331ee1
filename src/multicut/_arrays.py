"""Names for the array types that cross the package, and what is done to all of them."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

Array = TypeVar("Array", bound=NDArray[Any])


def frozen(array: Array) -> Array:
    """Make an array read-only, in place."""
    array.flags.writeable = False
    return array


def distinct(values: IntArray) -> IntArray:
    """Return the different values, ascending; numpy hashes, which takes seconds for millions."""
    ordered = np.sort(values)
    is_first = np.ones(len(ordered), dtype=np.bool_)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_first]


def plain(array: IntArray) -> IntArray:
    """Give an integer array of the native core the type that numpy itself uses.

    Where C has two integer types of 64 bits, the core's arrays come with the other one, and numpy
    would print ``dtype=int64`` behind them.
    """
    return array.view(np.int64)
