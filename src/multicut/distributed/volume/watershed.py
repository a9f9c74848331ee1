"""The first stage: fragments of a block, from a watershed of the block and its surroundings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from multicut.vision.region_graph import as_evidence, check_evidence
from multicut.vision.superpixels import BoundaryWatershed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multicut._arrays import IntArray
    from multicut.distributed.volume.blocks import Box, Shape

_UNSEEDED = 1 << 62


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


class Division(NamedTuple):
    """The fragments of a block.

    Attributes
    ----------
    local
        For each voxel of the block 1 + the position of the name of its fragment, or 0 outside of
        the mask.
    names
        The names of fragments, ascending.
    beyond
        The same as `local` for the voxels of the halo next to each face of the block, ``before0``,
        ``after0`` and so on; 0 for what has no voxels in the block.
    """

    local: NDArray[np.uint32]
    names: NDArray[np.uint64]
    beyond: dict[str, NDArray[np.uint32]]


def divide_block(
    boundaries: NDArray[np.float32],
    outer: Box,
    core: Box,
    shape: Shape,
    watershed: BoundaryWatershed,
    mask: NDArray[np.bool_] | None,
) -> Division:
    """Divide a block into fragments, and look how these go on in its halo.

    A fragment is named by where its seed lies in the volume. So if two blocks see the same seed, in
    the halo of one of them, they give the same name to what it floods.

    Parameters
    ----------
    boundaries
        Boundary probabilities of the block and its halo.
    outer, core
        The block with its halo, and without.
    shape
        The shape of the volume.
    watershed
        How to divide them.
    mask
        Which voxels of the block belong to the volume; None for all.
    """
    flooded, seeds = watershed.flood(boundaries)
    inside = core.within(outer)
    regions = flooded[inside.slices]
    if len(seeds) > 0:
        places = np.unravel_index(seeds, boundaries.shape)
        seeds = np.ravel_multi_index(
            [place + first for place, first in zip(places, outer.begin, strict=True)], shape
        )
    # Names without a seed come last: each block that has none is a fragment.
    unseeded = _UNSEEDED + int(np.ravel_multi_index(core.begin, shape))
    names_of_seeds = np.append(np.uint64(unseeded), seeds.astype(np.uint64))
    counts = np.bincount(
        regions.ravel() if mask is None else regions[mask], minlength=len(names_of_seeds)
    )
    used = np.flatnonzero(counts)
    names = np.sort(names_of_seeds[used])
    positions = np.zeros(len(names_of_seeds), dtype=np.uint32)
    positions[used] = np.searchsorted(names, names_of_seeds[used]) + 1
    local = positions[regions]
    if mask is not None:
        local[~mask] = 0
    beyond = {}
    for axis in range(len(shape)):
        for side, place in (("before", inside.begin[axis] - 1), ("after", inside.end[axis])):
            if 0 <= place < flooded.shape[axis]:
                index: list[Any] = list(inside.slices)
                index[axis] = place
                beyond[f"{side}{axis}"] = positions[flooded[tuple(index)]]
    return Division(local, names, beyond)
