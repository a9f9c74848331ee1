"""SLIC: k-means in colour and space."""

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
class Slic(Superpixels):
    """Simple linear iterative clustering (Achanta et al. 2012) by scikit-image.

    Colour images are compared in CIELAB. Boundary probabilities play no part in it.
    """

    name: ClassVar[str] = "slic"
    description: ClassVar[str] = "k-means in colour and space, regions of even size"

    num_regions: int = option(600, "about how many regions to make", least=1)
    compactness: float = option(10.0, "weight of distance against colour", least=1e-6)
    smoothing: float = option(0.0, "width of a Gaussian filter applied first, in pixels", least=0)

    def divide(
        self,
        picture: Picture,
        boundaries: NDArray[Any] | None = None,  # noqa: ARG002
    ) -> NDArray[np.integer]:
        """Return the region of each pixel."""
        needed("skimage", by="Slic")
        from skimage.segmentation import slic

        # A grey value spans 0 … 1, lightness in CIELAB 0 … 100.
        scale = 1.0 if picture.is_colour else 0.01
        regions = slic(
            picture.values,
            n_segments=min(self.num_regions, picture.grey().size),
            compactness=self.compactness * scale,
            sigma=self.smoothing,
            start_label=0,
            channel_axis=-1,
        )
        return np.asarray(regions)
