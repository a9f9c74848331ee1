"""Sizes of graphs, as options of several benchmarks name them."""

from __future__ import annotations

_MAX_SIZE = 100_000_000


def parse_sizes(text: str) -> tuple[int, ...]:
    """Read whole numbers with commas between them."""
    return tuple(_parse_size(part.strip()) for part in text.split(","))


def _parse_size(text: str) -> int:
    try:
        size = float(text)
    except ValueError:
        raise ValueError(
            f"--sizes must be whole numbers with commas between them, got {text!r}"
        ) from None
    if not 2 <= size <= _MAX_SIZE or not size.is_integer():
        raise ValueError(f"--sizes must be whole numbers from 2 to {_MAX_SIZE:,}, got {text}")
    return int(size)
