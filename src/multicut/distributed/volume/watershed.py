"""The first stage: fragments of a block, from a watershed of the block and its surroundings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from multicut.vision.region_graph import as_evidence, check_evidence
from multicut.vision.superpixels import BoundaryWatershed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multicut._arrays import IntArray
    from multicut.distributed.volume.blocks import Box


def boundary_map(evidence: NDArray[Any], offsets: IntArray | None) -> NDArray[np.float32]:
    """Return boundary probabilities of a box from one channel, or from affinities.

    Of affinities, those between neighbouring voxels count.
    """
    name = "boundaries" if offsets is None else "affinities"
    near = range(1) if offsets is None else np.flatnonzero(np.abs(offsets).sum(axis=1) == 1)
    total = np.zeros(evidence.shape[1:], dtype=np.float32)
    for channel in near:
        values = as_evidence(evidence[channel], name)
        check_evidence(values, name)
        total += values / np.float32(255) if values.dtype == np.uint8 else values
    if offsets is None:
        return total
    return 1 - total / np.float32(len(near))


def divide_block(
    boundaries: NDArray[np.float32],
    core: Box,
    watershed: BoundaryWatershed,
    mask: NDArray[np.bool_] | None,
) -> tuple[NDArray[np.uint32], int]:
    """Return the fragment of each voxel of a block, 1 … n, or 0 outside of the mask; and n.

    Parameters
    ----------
    boundaries
        Boundary probabilities of the block and its halo.
    core
        Where the block lies in them.
    watershed
        How to divide them.
    mask
        Which voxels of the block belong to the volume; None for all.
    """
    regions = watershed.divide_map(boundaries)[core.slices]
    if mask is not None:
        regions = np.where(mask, regions + 1, 0)
        is_used = np.bincount(regions.ravel(), minlength=1) > 0
        is_used[0] = False
        numbers = np.cumsum(is_used)
        numbers[~is_used] = 0
    else:
        numbers = np.cumsum(np.bincount(regions.ravel()) > 0)
    return numbers.astype(np.uint32)[regions], int(numbers[-1]) if len(numbers) else 0
