"""Watershed of the image's gradient, as in the paper's example."""

from __future__ import annotations

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
class Watershed(Superpixels):
    """Compact watershed of the Sobel gradient, from markers on a regular grid.

    Regions grow from the markers along small gradients. The larger `compactness`, the more they
    look like squares. The number of markers is that of the finest grid with at most about
    `num_regions` points: 50 give 54 on a Berkeley image.

    Where boundary probabilities are given, they take the gradient's place.
    """

    name: ClassVar[str] = "watershed"
    description: ClassVar[str] = "compact watershed of the Sobel gradient, markers on a grid"

    num_regions: int = option(600, "about how many regions to make", least=1)
    compactness: float = option(0.0014, "weight of distance against gradient", least=0)

    def divide(
        self, picture: Picture, boundaries: NDArray[Any] | None = None
    ) -> NDArray[np.integer]:
        """Return the region of each pixel."""
        needed("skimage", by="Watershed")
        from skimage.filters import sobel
        from skimage.segmentation import watershed

        relief = sobel(picture.grey()) if boundaries is None else boundaries
        markers = min(self.num_regions, relief.size)
        regions = watershed(relief, markers=markers, compactness=self.compactness)
        return np.asarray(regions) - 1
