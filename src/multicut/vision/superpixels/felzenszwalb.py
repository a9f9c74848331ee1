"""Felzenszwalb and Huttenlocher's graph-based regions."""

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
class Felzenszwalb(Superpixels):
    """Efficient graph-based regions (Felzenszwalb and Huttenlocher 2004) by scikit-image.

    Regions follow edges and differ much in size; how many there are follows from the image. For
    images only, not for volumes. Boundary probabilities play no part in it.
    """

    name: ClassVar[str] = "felzenszwalb"
    description: ClassVar[str] = "minimum spanning trees, regions of uneven size"

    scale: float = option(30.0, "the larger, the larger the regions", least=0)
    smoothing: float = option(0.8, "width of a Gaussian filter applied first, in pixels", least=0)
    min_size: int = option(40, "smaller regions are merged into a neighbour, in pixels", least=1)

    def divide(
        self,
        picture: Picture,
        boundaries: NDArray[Any] | None = None,  # noqa: ARG002
    ) -> NDArray[np.integer]:
        """Return the region of each pixel."""
        needed("skimage", by="Felzenszwalb")
        from skimage.segmentation import felzenszwalb

        if picture.is_volume:
            raise ValueError(
                "superpixels 'felzenszwalb' are for images, got a volume; "
                "use 'watershed', 'slic' or 'boundary-watershed'"
            )
        regions = felzenszwalb(
            picture.values,
            scale=self.scale,
            sigma=self.smoothing,
            min_size=self.min_size,
            channel_axis=-1,
        )
        return np.asarray(regions)
