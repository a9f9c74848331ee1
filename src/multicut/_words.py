"""Numbers and blocks of lines as people read them; every message of the package uses these."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

_IRREGULAR = {"axis": "axes", "index": "indices"}
_HISSING = ("s", "x", "ch", "sh")


def plural(noun: str) -> str:
    """Return the plural of a noun; of several words, that of the last one."""
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(_HISSING) else f"{noun}s"


def count(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 node``, ``2 nodes``, ``1,000 nodes``."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def image_size(shape: Sequence[int]) -> str:
    """Return the size of an image or a volume from the shape of its array, the width first.

    Arrays have rows before columns, people say width before height: an array of shape (400, 600)
    is an image of 600 × 400 pixels.
    """
    unit = "pixels" if len(shape) == 2 else "voxels"
    return f"{' × '.join(f'{length}' for length in reversed(shape))} {unit}"


def block(rows: Mapping[str, str], *, width: int | None = None) -> str:
    """Return lines of a name and a value, the values below each other.

    Parameters
    ----------
    rows
        The values by name.
    width
        The most characters of a line: longer values go on below where they began. By default
        lines are as long as they have to be.
    """
    indent = max(map(len, rows), default=0) + 2
    lines = []
    for name, value in rows.items():
        parts = [value]
        # Below a dozen characters there is no room to go on in.
        if width is not None and width - indent >= 12:
            parts = textwrap.wrap(value, width - indent, break_on_hyphens=False) or [""]
        lines += [f"{name if i == 0 else '':<{indent}}{part}" for i, part in enumerate(parts)]
    return "\n".join(lines)
