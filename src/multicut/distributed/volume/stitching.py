"""Fragments on both sides of a face between blocks that are parts of one basin.

The watersheds of two neighbouring blocks both see the two layers of voxels at the face between
them. If a fragment of one and a fragment of the other are mostly the same voxels there, they are
one basin that the face cuts, and no boundary is between them, whatever the evidence there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from multicut.distributed.volume.blocks import Box
from multicut.distributed.volume.fragments import OUTSIDE, Fragments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multicut._arrays import IntArray

# The share of both fragments, of their voxels at the face, that must be common.
_SHARE = 0.75


def mark_basins(table: NDArray[Any], fragments: Fragments, block: int) -> None:
    """Write into a table of contacts how many voxels are common to the parts of one basin."""
    for axis in range(len(fragments.job.shape)):
        for step in (-1, 1):
            other = fragments.job.grid.neighbour(block, axis, step)
            if other is not None:
                for u, v, count in _common_basins(fragments, block, other, axis, step):
                    row = _row_of(table, u, v)
                    if row is not None:
                        table["overlap"][row] = count


def _common_basins(
    fragments: Fragments, block: int, other: int, axis: int, step: int
) -> list[tuple[int, int, int]]:
    grid = fragments.job.grid
    face, opposite = ("after", "before") if step > 0 else ("before", "after")
    here = fragments.read_beyond(block, f"{face}{axis}")
    there = fragments.read(_layer(grid.box(other), axis, first=step > 0))
    own = fragments.read(_layer(grid.box(block), axis, first=step < 0))
    back = fragments.read_beyond(other, f"{opposite}{axis}")
    return common_basins(
        np.concatenate([here.ravel(), own.ravel()]), np.concatenate([there.ravel(), back.ravel()])
    )


def _layer(box: Box, axis: int, *, first: bool) -> Box:
    """Return the first or the last layer of voxels of a box."""
    begin, end = list(box.begin), list(box.end)
    if first:
        end[axis] = begin[axis] + 1
    else:
        begin[axis] = end[axis] - 1
    return Box(tuple(begin), tuple(end))


def common_basins(a: IntArray, b: IntArray) -> list[tuple[int, int, int]]:
    """Return pairs of nodes (the lesser one first) that are mostly the same voxels, with how many.

    `a` and `b` are the nodes that two watersheds give to the same voxels.
    """
    known = (a != OUTSIDE) & (b != OUTSIDE) & (a != b)
    pairs, counts = np.unique(np.stack([a[known], b[known]], axis=1), axis=0, return_counts=True)
    sizes = []
    for nodes, column in ((a, pairs[:, 0]), (b, pairs[:, 1])):
        present, present_counts = np.unique(nodes, return_counts=True)
        sizes.append(present_counts[np.searchsorted(present, column)])
    same = counts > _SHARE * np.maximum(*sizes)
    ordered = np.sort(pairs[same], axis=1)
    return [(int(u), int(v), int(n)) for (u, v), n in zip(ordered, counts[same], strict=True)]


def _row_of(table: NDArray[Any], u: int, v: int) -> int | None:
    """Return the row of two nodes in a table that is sorted by them, None if they do not meet."""
    begin, end = np.searchsorted(table["u"], [u, u + 1])
    row = int(begin + np.searchsorted(table["v"][begin:end], v))
    return row if row < end and table["v"][row] == v else None
