"""Single arrays of numpy, in files or as members of archives; nothing is ever unpickled."""

from __future__ import annotations

import io
import os
import stat
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from multicut.io.errors import DAMAGE, shortened

_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def read_npy_header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Read what comes before the numbers: shape, whether columns come first, and type.

    Raises ValueError on anything else than numbers and text.
    """
    version = npy.read_magic(stream)
    if version not in _HEADERS:
        raise ValueError(f"unknown version {version} of the array format")
    try:
        shape, fortran_order, dtype = _HEADERS[version](stream)
    except (SyntaxError, LookupError, AttributeError) as error:
        # numpy evaluates some names of types as Python code would be.
        raise ValueError(f"its header is damaged: {error}") from None
    if dtype.hasobject:
        raise ValueError("it contains pickled objects, which are never loaded")
    if any(length < 0 for length in shape):
        raise ValueError(f"shape {shape} is negative")
    return shape, fortran_order, dtype


def read_npy(path: Path) -> NDArray[Any]:
    """Read an array; its shape is compared with the size of the file before memory is allocated.

    Raises ValueError, whose message is one line that does not name the file, if it is damaged.
    """
    with path.open("rb") as file:
        try:
            shape, _, dtype = read_npy_header(file)
            status = os.fstat(file.fileno())
            if stat.S_ISREG(status.st_mode):
                at_hand = status.st_size - file.tell()
                if at_hand < int(np.prod(shape, dtype=object)) * dtype.itemsize:
                    raise ValueError(f"shape {shape} of {dtype} is more than its {at_hand} bytes")
                file.seek(0)
                return np.asarray(npy.read_array(file, allow_pickle=False))
        except (ValueError, TypeError, RecursionError, MemoryError, *DAMAGE) as error:
            raise ValueError(shortened(str(error) or type(error).__name__)) from None
    raise ValueError("it is not a plain file")


def unpack_npy(content: bytes) -> NDArray[Any]:
    """Read an array from bytes; its shape is compared with these before memory is allocated."""
    stream = io.BytesIO(content)
    shape, fortran_order, dtype = read_npy_header(stream)
    rest = memoryview(content)[stream.tell() :]
    size = int(np.prod(shape, dtype=object))
    if len(rest) != size * dtype.itemsize:
        raise ValueError(f"shape {shape} of {dtype} does not match its {len(rest)} bytes")
    if dtype.itemsize == 0:
        return np.zeros(shape, dtype)
    return np.frombuffer(rest, dtype).reshape(shape, order="F" if fortran_order else "C")
