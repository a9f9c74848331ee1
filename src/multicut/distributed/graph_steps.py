"""What lies within some steps of some nodes."""

from __future__ import annotations

from multicut._arrays import BoolArray, IntArray


def has_flagged_end(flags: BoolArray, ends: IntArray) -> BoolArray:
    """Flag the edges of which an end is flagged."""
    return flags[ends[:, 0]] | flags[ends[:, 1]]


def is_near(ends: IntArray, flags: BoolArray, steps: int) -> BoolArray:
    """Flag all nodes within some steps of flagged ones."""
    near = flags.copy()
    for _ in range(steps):
        near[ends[has_flagged_end(near, ends)].ravel()] = True
    return near
