"""Names for the array types that cross the package, and what is done to all of them."""

from __future__ import annotations

from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

Array = TypeVar("Array", bound=NDArray[Any])


def frozen(array: Array) -> Array:
    """Return a view of an array that is read-only for good; the array itself becomes so, too.

    An array that owns its memory can be made writable again by a flag; this view cannot, as it
    rests on a buffer that is read-only.
    """
    array.flags.writeable = False
    buffer: Any = memoryview(array).toreadonly()  # type: ignore[arg-type]
    view: Any = np.asarray(buffer)
    return cast(Array, view)


class MaskedError(ValueError):
    """An array has entries that are masked."""


def given_array(values: ArrayLike, name: str) -> NDArray[Any]:
    """Return what a caller has passed as an array; tensors of torch from any device included."""
    if np.ma.is_masked(values):
        raise MaskedError(f"{name} must not be masked; drop what is masked")
    if _is_tensor(values):
        return _of_tensor(values)
    if isinstance(values, list | tuple) and any(map(_is_tensor, values)):
        return np.asarray([_of_tensor(v) if _is_tensor(v) else v for v in values])
    return np.asarray(values)


def _is_tensor(values: Any) -> bool:
    """Whether this is a tensor of torch, without importing that."""
    return type(values).__module__.partition(".")[0] == "torch" and hasattr(values, "detach")


def _of_tensor(tensor: Any) -> NDArray[Any]:
    plain_tensor = tensor.detach().cpu()
    try:
        return np.asarray(plain_tensor.numpy())
    except TypeError:  # numpy has no bfloat16; a float holds all of its values
        return np.asarray(plain_tensor.float().numpy())


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
