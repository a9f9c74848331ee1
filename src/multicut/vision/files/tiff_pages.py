"""Checks of TIFF files that come before tifffile reads them, as it may take for ever otherwise."""

from __future__ import annotations

import struct
from typing import IO, Any

# Strips or tiles that a file may lack; tifffile looks at each of them.
_MOST_MISSING = 1000


def check_pages(file: IO[bytes]) -> None:
    """Raise ValueError if pages of a TIFF file lead back to an earlier one, so that none is last.

    What is not a TIFF file is left to whoever reads it.
    """
    order = {b"II": "<", b"MM": ">"}.get(file.read(2))
    if order is None:
        return
    # TIFF and BigTIFF: formats of an offset and of the number of tags, and the size of a tag.
    version = _read(file, f"{order}H")
    kinds = {42: ("I", "H", 12), 43: ("Q", "Q", 20)}
    if version not in kinds:
        return
    offset_format, count_format, size = kinds[version]
    if version == 43:
        file.read(4)
    seen: set[int] = set()
    offset = _read(file, order + offset_format)
    while offset:
        if offset in seen:
            raise ValueError(f"page {len(seen)} leads back to an earlier one")
        seen.add(offset)
        file.seek(offset)
        count = _read(file, order + count_format)
        if count is None:
            return
        try:
            file.seek(size * count, 1)
        except (OSError, OverflowError):
            return
        offset = _read(file, order + offset_format)


def check_strips(page: Any) -> None:
    """Raise ValueError if a page states far more strips or tiles than it has."""
    stated = 1
    for number in page.chunked:
        stated *= int(number)
    if stated > len(page.dataoffsets) + _MOST_MISSING:
        raise ValueError(f"{len(page.dataoffsets)} of {stated:,} strips are there")


def _read(file: IO[bytes], form: str) -> int | None:
    """Read one number; None at the end of the file."""
    data = file.read(struct.calcsize(form))
    return struct.unpack(form, data)[0] if len(data) == struct.calcsize(form) else None
