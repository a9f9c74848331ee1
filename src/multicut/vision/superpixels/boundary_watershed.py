"""Watershed of a boundary map, seeded where boundaries are far away."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from multicut._extras import needed
from multicut._options import option
from multicut.vision.superpixels.record import Superpixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multicut.vision.image import Picture


@dataclass(frozen=True)
class BoundaryWatershed(Superpixels):
    """Watershed of boundary probabilities with seeds from the distance transform.

    Seeds are the maxima of the smoothed distance to the nearest likely boundary, so a cell gets few
    regions, however large it is. The relief that is flooded mixes the probabilities with
    that distance, which closes gaps in weak boundaries. This is what neuron segmentation pipelines
    do (Beier et al. 2017). Without boundary probabilities, the Sobel gradient, stretched to 0 … 1,
    takes their place.
    """

    name: ClassVar[str] = "boundary-watershed"
    description: ClassVar[str] = "watershed of boundary probabilities, seeds far from boundaries"

    threshold: float = option(0.5, "from which probability on a boundary counts", least=0, most=1)
    smoothing: float = option(2.0, "width of a Gaussian filter on the distances", least=0)
    distance_share: float = option(0.2, "share of distances in the relief", least=0, most=1)
    min_size: int = option(25, "smaller regions are merged into neighbours", least=0)
    per_slice: bool = option(False, "divide each slice of a volume on its own")
    reach: float = option(0.0, "distances beyond this count as equal; 0 for no limit", least=0)
    engine: str = option(
        "scikit-image",
        "who computes it; bioimage-cpp is several times as fast, with slightly other regions",
        choices=("scikit-image", "bioimage-cpp"),
    )

    def divide(
        self, picture: Picture, boundaries: NDArray[Any] | None = None
    ) -> NDArray[np.integer]:
        """Return the region of each pixel."""
        if boundaries is None:
            boundaries = _stretched_gradient(picture)
        regions, _ = self.flood(boundaries)
        is_used = np.bincount(regions.ravel()) > 0
        numbers: NDArray[np.int64] = (np.cumsum(is_used) - 1)[regions]
        return numbers

    def flood(self, boundaries: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return the seed whose flood each pixel belongs to, and where seeds lie.

        Seeds are numbered from 1 on; not all of them keep pixels. The second array holds the index
        of the first pixel of each in the flattened map. Without seeds, all pixels are 0.
        """
        if boundaries.ndim < 3 or not self.per_slice:
            return self._flood(boundaries)
        regions = np.empty(boundaries.shape, dtype=np.int64)
        places: list[NDArray[np.int64]] = []
        first = 0
        for z, part in enumerate(boundaries):
            found, seeds = self._flood(part)
            if len(seeds) == 0:  # a slice without seeds is a region of its own
                found, seeds = np.ones(part.shape, dtype=np.int64), np.zeros(1, dtype=np.int64)
            regions[z] = found.astype(np.int64) + first
            places.append(seeds + z * part.size)
            first += len(seeds)
        return regions, np.concatenate(places)

    def _flood(self, boundaries: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
        engine = _ENGINES[self.engine]
        inside = boundaries < self.threshold
        distances = self._distances(inside, engine)
        smooth = engine.smooth(distances, self.smoothing)
        seeds = engine.seeds(smooth, inside)
        del smooth, inside
        indices = np.flatnonzero(seeds)
        if len(indices) == 0:
            return np.zeros(boundaries.shape, dtype=np.int64), indices
        places = indices[np.unique(seeds.ravel()[indices], return_index=True)[1]]
        largest = self.reach or max(float(distances.max()), 1e-6)
        relief = (1 - self.distance_share) * boundaries + self.distance_share * (
            1 - distances / largest
        )
        del distances
        regions = engine.watershed(relief, seeds)
        kept = np.bincount(regions.ravel(), minlength=len(places) + 1) >= self.min_size
        if not kept[1:].all() and kept[1:].any():
            regions = _merge_small(regions, kept, relief, engine)
        return regions, places

    def _distances(self, inside: NDArray[np.bool_], engine: _Engine) -> NDArray[np.float32]:
        """Return the distance of each pixel to the nearest boundary."""
        if self.reach and inside.all():
            return np.full(inside.shape, self.reach, dtype=np.float32)
        # Where nothing is likely to be a boundary, the border of the image stands for one.
        distances = engine.distances(inside if not inside.all() else np.pad(inside, 1))
        if inside.all():
            distances = distances[(slice(1, -1),) * inside.ndim]
        if self.reach:
            np.minimum(distances, np.float32(self.reach), out=distances)
        return distances


class _Engine(ABC):
    """Who does the steps that take long."""

    @abstractmethod
    def distances(self, inside: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return the distance of each pixel inside to the nearest one that is not."""

    @abstractmethod
    def smooth(self, values: NDArray[np.float32], width: float) -> NDArray[np.float32]:
        """Apply a Gaussian filter."""

    @abstractmethod
    def seeds(self, heights: NDArray[np.float32], inside: NDArray[np.bool_]) -> NDArray[Any]:
        """Return numbers of local maxima inside; those that touch, on a plateau, are one."""

    @abstractmethod
    def watershed(
        self, relief: NDArray[Any], seeds: NDArray[Any], mask: NDArray[np.bool_] | None = None
    ) -> NDArray[Any]:
        """Flood a relief from seeds."""


class _ScikitImage(_Engine):
    def distances(self, inside: NDArray[np.bool_]) -> NDArray[np.float32]:
        from scipy import ndimage

        found: NDArray[np.float32] = ndimage.distance_transform_edt(inside).astype(np.float32)
        return found

    def smooth(self, values: NDArray[np.float32], width: float) -> NDArray[np.float32]:
        from scipy import ndimage

        return np.asarray(ndimage.gaussian_filter(values, width))

    def seeds(self, heights: NDArray[np.float32], inside: NDArray[np.bool_]) -> NDArray[Any]:
        needed("skimage", by="BoundaryWatershed")
        from scipy import ndimage
        from skimage.feature import peak_local_max

        places = peak_local_max(heights, exclude_border=False, labels=inside.astype(np.uint8))
        is_peak = np.zeros(heights.shape, dtype=bool)
        is_peak[tuple(places.T)] = True
        return np.asarray(ndimage.label(is_peak, np.ones((3,) * is_peak.ndim))[0])

    def watershed(
        self, relief: NDArray[Any], seeds: NDArray[Any], mask: NDArray[np.bool_] | None = None
    ) -> NDArray[Any]:
        needed("skimage", by="BoundaryWatershed")
        from skimage.segmentation import watershed

        return np.asarray(watershed(relief, seeds, mask=mask))


class _BioimageCpp(_Engine):
    def distances(self, inside: NDArray[np.bool_]) -> NDArray[np.float32]:
        needed("bioimage_cpp", by="BoundaryWatershed with engine='bioimage-cpp'")
        from bioimage_cpp.distance import distance_transform

        return np.asarray(distance_transform(inside), dtype=np.float32)

    def smooth(self, values: NDArray[np.float32], width: float) -> NDArray[np.float32]:
        if width == 0:
            return values
        needed("bioimage_cpp", by="BoundaryWatershed with engine='bioimage-cpp'")
        from bioimage_cpp.filters import gaussian_smoothing

        # As far as that of scipy, so that there are the same maxima.
        return np.asarray(gaussian_smoothing(values, width, window_size=4))

    def seeds(self, heights: NDArray[np.float32], inside: NDArray[np.bool_]) -> NDArray[Any]:
        needed("bioimage_cpp", by="BoundaryWatershed with engine='bioimage-cpp'")
        from bioimage_cpp.segmentation import label
        from scipy import ndimage

        is_peak = ndimage.maximum_filter(heights, 3, mode="nearest") == heights
        is_peak &= inside
        return np.asarray(label(is_peak)).astype(np.uint32)

    def watershed(
        self, relief: NDArray[Any], seeds: NDArray[Any], mask: NDArray[np.bool_] | None = None
    ) -> NDArray[Any]:
        needed("bioimage_cpp", by="BoundaryWatershed with engine='bioimage-cpp'")
        from bioimage_cpp.segmentation import watershed

        return np.asarray(
            watershed(relief.astype(np.float32, copy=False), seeds.astype(np.uint32), mask=mask)
        )


_ENGINES: dict[str, _Engine] = {"scikit-image": _ScikitImage(), "bioimage-cpp": _BioimageCpp()}


def _merge_small(
    regions: NDArray[Any], kept: NDArray[np.bool_], relief: NDArray[Any], engine: _Engine
) -> NDArray[Any]:
    """Let the neighbours of regions that are not kept flow in."""
    from scipy import ndimage

    freed = ~kept[regions]
    regions[freed] = 0
    # What lies farther away keeps its region.
    shore = ndimage.binary_dilation(freed)
    return np.where(shore, engine.watershed(relief, regions * shore, mask=shore), regions)


def _stretched_gradient(picture: Picture) -> NDArray[np.float32]:
    needed("skimage", by="BoundaryWatershed")
    from skimage.filters import sobel

    gradient: NDArray[np.float32] = sobel(picture.grey())
    largest = float(gradient.max())
    return gradient / np.float32(largest) if largest > 0 else gradient
