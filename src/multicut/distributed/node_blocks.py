"""Which block each node belongs to, and how blocks are joined to larger ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from multicut._arrays import IntArray


@dataclass(frozen=True, eq=False)
class NodeBlocks:
    """Blocks of nodes, and a hierarchy above them.

    Attributes
    ----------
    offsets
        Block ``b`` of level 0 consists of the nodes ``offsets[b] … offsets[b + 1] - 1``.
    parents
        ``parents[l][b]`` is the block of level ``l + 1`` that contains block ``b`` of level ``l``.
        The last level consists of one block.
    """

    offsets: IntArray
    parents: tuple[IntArray, ...]

    def __post_init__(self) -> None:
        offsets = np.ascontiguousarray(self.offsets, dtype=np.int64)
        if offsets.ndim != 1 or len(offsets) < 2 or offsets[0] != 0:
            raise ValueError("offsets must begin with 0 and have one entry more than blocks")
        if np.any(offsets[1:] < offsets[:-1]):
            raise ValueError("offsets must not decrease")
        count, parents = len(offsets) - 1, []
        for level, given in enumerate(self.parents):
            parent = np.ascontiguousarray(given, dtype=np.int64)
            if parent.shape != (count,):
                raise ValueError(
                    f"parents[{level}] must name a block for each of {count}, got {parent.shape}"
                )
            found = np.unique(parent)
            if not np.array_equal(found, np.arange(len(found))):
                raise ValueError(f"parents[{level}] must use all numbers 0 … {len(found) - 1}")
            parents.append(parent)
            count = len(found)
        if count != 1:
            raise ValueError(f"the last level must be one block, got {count}")
        object.__setattr__(self, "offsets", offsets)
        object.__setattr__(self, "parents", tuple(parents))

    @classmethod
    def of_ranges(cls, offsets: IntArray) -> Self:
        """Join blocks that follow each other, two and two, until one is left."""
        return cls.of_grid(offsets, (len(offsets) - 1,))

    @classmethod
    def of_grid(cls, offsets: IntArray, shape: Sequence[int]) -> Self:
        """Join blocks of a grid, numbered along the last axis first, two along each axis."""
        if int(np.prod(shape)) != len(offsets) - 1:
            raise ValueError(
                f"a grid of shape {tuple(shape)} does not have {len(offsets) - 1} blocks"
            )
        parents = []
        sizes = np.array(shape, dtype=np.int64)
        while sizes.prod() > 1:
            halves = (sizes + 1) // 2
            places = np.indices(tuple(sizes)).reshape(len(sizes), -1) // 2
            parents.append(np.ravel_multi_index(tuple(places), tuple(halves)).astype(np.int64))
            sizes = halves
        return cls(offsets, tuple(parents))

    @property
    def num_nodes(self) -> int:
        """The number of nodes."""
        return int(self.offsets[-1])

    @property
    def num_blocks(self) -> int:
        """The number of blocks of level 0."""
        return len(self.offsets) - 1

    @property
    def num_levels(self) -> int:
        """The number of levels, the one that is a single block included."""
        return len(self.parents) + 1

    def num_blocks_of(self, level: int) -> int:
        """Return the number of blocks of a level."""
        return self.num_blocks if level == 0 else int(self.parents[level - 1].max()) + 1

    def children(self, level: int, block: int) -> list[int]:
        """Return the blocks of the level below that a block consists of."""
        return [int(child) for child in np.flatnonzero(self.parents[level - 1] == block)]

    def ancestors(self, level: int) -> IntArray:
        """Return the block of a level that contains each block of level 0."""
        found = np.arange(self.num_blocks)
        for parent in self.parents[:level]:
            found = parent[found]
        return found

    def block_of(self, nodes: IntArray) -> IntArray:
        """Return the block of level 0 of each node."""
        return np.searchsorted(self.offsets, nodes, side="right") - 1

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, of which :meth:`of_dict` makes the same again."""
        return {
            "offsets": self.offsets.tolist(),
            "parents": [parent.tolist() for parent in self.parents],
        }

    @classmethod
    def of_dict(cls, values: dict[str, Any]) -> Self:
        """Make the blocks again from plain values."""
        return cls(
            np.array(values["offsets"], dtype=np.int64),
            tuple(np.array(parent, dtype=np.int64) for parent in values["parents"]),
        )
