"""Costs from boundary probabilities or affinities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from multicut._options import option
from multicut.vision.costs.record import Costs

if TYPE_CHECKING:
    from multicut._arrays import FloatArray, IntArray
    from multicut.vision.image import Picture
    from multicut.vision.region_graph import RegionGraph


@dataclass(frozen=True)
class BoundaryCosts(Costs):
    """Regions attract each other where there is little evidence of a boundary between them.

    The probability of a cut is a statistic of the evidence along the contact: of boundary
    probabilities, or of one minus affinities. The mean is usual; a quantile tolerates gaps.
    """

    name: ClassVar[str] = "boundary"
    description: ClassVar[str] = "boundary probabilities or affinities along the contact"

    statistic: str = option(
        "mean", "of the evidence along a contact", choices=("mean", "median", "quantile", "maximum")
    )
    quantile: float = option(0.9, "which quantile, for that statistic", least=0, most=1)

    def probabilities(
        self,
        picture: Picture,  # noqa: ARG002
        superpixels: IntArray,  # noqa: ARG002
        graph: RegionGraph,
    ) -> FloatArray:
        """Return the statistic of the evidence along each edge."""
        return self.statistic_of(graph)

    @property
    def needs_histogram(self) -> bool:
        """Whether the statistic is read from histograms."""
        return self.statistic in ("median", "quantile")

    def statistic_of(self, graph: RegionGraph) -> FloatArray:
        """Return the statistic of the evidence along each edge of a region graph."""
        if graph.mean is None or graph.maximum is None:
            raise ValueError("costs 'boundary' need evidence; pass boundaries or affinities")
        if self.statistic == "mean":
            return graph.mean
        if self.statistic == "maximum":
            return graph.maximum
        return graph.quantile(0.5 if self.statistic == "median" else self.quantile)
