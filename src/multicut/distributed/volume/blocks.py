"""Boxes of voxels, and the grid of blocks that a volume is divided into."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

Shape = tuple[int, ...]


class Box(NamedTuple):
    """The voxels from `begin` up to, but not including, `end`."""

    begin: Shape
    end: Shape

    @property
    def shape(self) -> Shape:
        """The lengths of its sides."""
        return tuple(end - begin for begin, end in zip(self.begin, self.end, strict=True))

    @property
    def size(self) -> int:
        """The number of its voxels."""
        return math.prod(self.shape)

    @property
    def slices(self) -> tuple[slice, ...]:
        """The index of its voxels in an array of the volume."""
        return tuple(slice(*ends) for ends in zip(self.begin, self.end, strict=True))

    def within(self, outer: Box) -> Box:
        """Return the same box in coordinates that begin where another one does."""
        return Box(
            tuple(a - b for a, b in zip(self.begin, outer.begin, strict=True)),
            tuple(a - b for a, b in zip(self.end, outer.begin, strict=True)),
        )

    def common(self, other: Box) -> Box:
        """Return the voxels that two boxes have in common, where there are some."""
        return Box(tuple(map(max, self.begin, other.begin)), tuple(map(min, self.end, other.end)))

    def __str__(self) -> str:
        return ", ".join(f"{a}:{b}" for a, b in zip(self.begin, self.end, strict=True))


@dataclass(frozen=True)
class BlockGrid:
    """Blocks of equal shape, smaller at the far ends, that cover a volume without overlap.

    They are numbered along the last axis first.
    """

    shape: Shape
    block_shape: Shape

    @property
    def counts(self) -> Shape:
        """The number of blocks along each axis."""
        return tuple(-(-n // b) for n, b in zip(self.shape, self.block_shape, strict=True))

    def __len__(self) -> int:
        return math.prod(self.counts)

    def box(self, block: int) -> Box:
        """Return the voxels of a block."""
        place = []
        for length in reversed(self.counts):
            block, index = divmod(block, length)
            place.append(index)
        begin = tuple(i * b for i, b in zip(reversed(place), self.block_shape, strict=True))
        return Box(
            begin,
            tuple(
                min(a + b, n) for a, b, n in zip(begin, self.block_shape, self.shape, strict=True)
            ),
        )

    def grown(self, box: Box, before: Sequence[int], after: Sequence[int]) -> Box:
        """Return a box with more voxels along each axis, as far as the volume reaches."""
        return Box(
            tuple(max(a - m, 0) for a, m in zip(box.begin, before, strict=True)),
            tuple(min(b + m, n) for b, m, n in zip(box.end, after, self.shape, strict=True)),
        )

    def overlapping(self, box: Box) -> Iterator[int]:
        """Return the blocks that a box has voxels in."""
        ranges = [
            range(a // size, -(-b // size))
            for a, b, size in zip(box.begin, box.end, self.block_shape, strict=True)
        ]
        for place in itertools.product(*ranges):
            block = 0
            for index, length in zip(place, self.counts, strict=True):
                block = block * length + index
            yield block

    def neighbour(self, block: int, axis: int, step: int) -> int | None:
        """Return the block before (-1) or after (1) another one along an axis, if there is one."""
        after = math.prod(self.counts[axis + 1 :])
        place = block // after % self.counts[axis] + step
        return block + step * after if 0 <= place < self.counts[axis] else None

    def coarser(self) -> BlockGrid:
        """Return the grid of the volume at half the resolution, with blocks of the same shape."""
        return BlockGrid(tuple(-(-n // 2) for n in self.shape), self.block_shape)
