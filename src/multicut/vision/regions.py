"""Mean colours and centres of regions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multicut._arrays import FloatArray, IntArray


def region_means(values: NDArray[Any], regions: IntArray, num_regions: int) -> FloatArray:
    """Average the channels of all pixels of each region; pixels of region -1 do not count."""
    # bincount takes no negative numbers: pixels without a region go to one more, which is dropped.
    index = np.where(regions < 0, num_regions, regions).ravel()
    counts = np.bincount(index, minlength=num_regions + 1)[:num_regions]
    flat = values.reshape(-1, values.shape[-1])
    sums = [
        np.bincount(index, weights=flat[:, channel], minlength=num_regions + 1)[:num_regions]
        for channel in range(flat.shape[1])
    ]
    means: FloatArray = np.stack(sums, axis=1) / np.maximum(counts, 1)[:, np.newaxis]
    return means


def region_centres(regions: IntArray, num_regions: int) -> FloatArray:
    """Return the mean position of the pixels of each region, in the order of the array's axes."""
    grids = np.meshgrid(*(np.arange(length) for length in regions.shape), indexing="ij")
    return region_means(np.stack(grids, axis=-1), regions, num_regions)
