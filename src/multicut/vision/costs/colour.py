"""Costs from colours, as in the paper's example."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from multicut._extras import needed
from multicut._options import option
from multicut.vision.costs.record import Costs
from multicut.vision.regions import region_means

if TYPE_CHECKING:
    from multicut._arrays import FloatArray, IntArray
    from multicut.vision.image import Picture
    from multicut.vision.region_graph import RegionGraph


@dataclass(frozen=True)
class ColourCosts(Costs):
    """Regions of similar mean colour attract each other.

    The similarity of regions with mean colours c_i and c_j is ``s = exp(-|c_i - c_j|^power /
    sigma)``, and the cost of cutting them apart its log odds, ``log(s / (1 - s))``: zero where
    ``|c_i - c_j|^power = sigma · log 2``. Colours are red, green and blue between 0 and 1, or
    CIELAB divided by 100; grey counts as a colour with three equal parts. The defaults were chosen
    on ten of the Berkeley images; those of the paper are in the presets ``"paper"`` and
    ``"paper-squared"``.
    """

    name: ClassVar[str] = "colour"
    description: ClassVar[str] = "difference of the mean colours of two regions"

    clip: float = option(0.01, "smallest probability of a cut or a join", least=1e-12, most=0.5)
    sigma: float = option(0.3, "distance of colours that counts as different", least=1e-9)
    space: str = option("lab", "the space in which colours are compared", choices=("rgb", "lab"))
    power: int = option(1, "of the distance in the kernel", least=1, most=2)

    def probabilities(
        self, picture: Picture, superpixels: IntArray, graph: RegionGraph
    ) -> FloatArray:
        """Return one minus the similarity of the two regions of each edge."""
        means = region_means(self._values(picture), superpixels, graph.num_regions)
        u, v = graph.edges.T
        distances = np.linalg.norm(means[u] - means[v], axis=1)
        probabilities: FloatArray = -np.expm1(-(distances**self.power) / self.sigma)
        return probabilities

    def _values(self, picture: Picture) -> np.ndarray:
        if self.space == "rgb":
            return picture.colours()
        needed("skimage", by="ColourCosts")
        from skimage.color import rgb2lab

        return np.asarray(rgb2lab(picture.colours())) / 100
