"""Shapes of blocks and halos: chosen, or given and checked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import SupportsIndex

from multicut._checks import check_integer
from multicut.distributed.volume.blocks import Shape

# With it, segments at faces between blocks are those of a single block (docs/volumes.md).
DEFAULT_HALO = 24
# Of 256 × 256 × 256 voxels. A watershed of one with its halo needs about 1 GiB.
MOST_VOXELS = 1 << 24


def choose_block_shape(shape: Shape, chunks: Shape) -> Shape:
    """Return the shape of blocks: of whole chunks, about as long as wide, not too large."""
    block = list(chunks)
    while True:
        for axis in sorted(range(len(shape)), key=lambda axis: block[axis]):
            if block[axis] < shape[axis] and 2 * math.prod(block) <= MOST_VOXELS:
                block[axis] *= 2
                break
        else:
            return tuple(block)


def check_block_shape(given: SupportsIndex | Sequence[int], shape: Shape, chunks: Shape) -> Shape:
    """Return the shape of blocks that a caller gives; no two blocks may share a chunk."""
    lengths = list(given) if isinstance(given, Sequence) else [given] * len(shape)
    if len(lengths) != len(shape):
        raise ValueError(
            f"block_shape must have {len(shape)} entries, one for each axis of space, got {given}"
        )
    block = tuple(check_integer(1, block_shape=length) for length in lengths)
    fitting = tuple(-(-b // c) * c for b, c in zip(block, chunks, strict=True))
    for length, chunk, whole in zip(block, chunks, shape, strict=True):
        if length % chunk != 0 and length < whole:
            raise ValueError(
                f"block_shape must be a multiple of the chunks {chunks} along each axis, so that "
                f"no chunk is written twice, got {block}; use {fitting}"
            )
    return fitting
