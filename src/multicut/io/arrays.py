"""Checks of arrays in binary files."""

from __future__ import annotations

from typing import Any

from multicut.io.source import Source

_KIND_NAMES = {"iu": "integers", "iuf": "numbers", "U": "strings", "iuU": "integers or strings"}


def check_array(source: Source, what: str, array: Any, kinds: str, ndim: int) -> None:
    """Raise an error if an array or a dataset has other entries or another number of dimensions."""
    if array.shape is None or len(array.shape) != ndim or array.dtype.kind not in kinds:
        raise source.error(
            f"{what} must have {ndim} dimension(s) and hold {_KIND_NAMES[kinds]}, got "
            f"{array.dtype} of shape {array.shape}"
        )
