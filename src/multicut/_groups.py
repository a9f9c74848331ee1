"""Many items in groups of a bounded size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def grouped(
    items: Iterable[Item], size: Callable[[Item], int], most: float
) -> Iterator[list[Item]]:
    """Divide items, in order, into groups of at most a size in all, or of one item."""
    group: list[Item] = []
    room = most
    for item in items:
        if group and size(item) > room:
            yield group
            group, room = [], most
        group.append(item)
        room -= size(item)
    if group:
        yield group
