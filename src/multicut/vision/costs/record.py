"""The base of all cost functions for region graphs: a frozen record of parameters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from multicut._options import Options, option

if TYPE_CHECKING:
    from multicut._arrays import FloatArray, IntArray
    from multicut.vision.image import Picture
    from multicut.vision.region_graph import RegionGraph


def check_bias(bias: float) -> None:
    """Raise an error if a prior probability of a cut is not between 0 and 1."""
    if isinstance(bias, str) or not 0 < bias < 1:
        raise ValueError(f"bias must be between 0 and 1, both excluded, got {bias}")


def log_odds(probabilities: FloatArray, bias: float = 0.5, clip: float = 0.001) -> FloatArray:
    """Turn probabilities of a cut into costs.

    The cost is ``log((1 - p) / p) + log((1 - bias) / bias)``: the log odds that the two ends belong
    together, where `bias` is the prior probability of a cut. `clip` bounds probabilities away from
    0 and 1, so that no single edge dominates.
    """
    check_bias(bias)
    p = np.clip(probabilities, clip, 1 - clip)
    costs: FloatArray = np.log((1 - p) / p) + np.log((1 - bias) / bias)
    return costs


@dataclass(frozen=True)
class Costs(Options, ABC):
    """A cost function; its fields are its parameters.

    With ``weighting="size"`` an edge counts in proportion to the length or area of the contact, or
    to the number of pairs of pixels with an affinity, relative to the mean over all edges: a long
    boundary then has more weight than a short one. With ``"none"`` all edges have equal weight.
    """

    name: ClassVar[str]
    description: ClassVar[str]

    clip: float = option(0.001, "smallest probability of a cut or a join", least=1e-12, most=0.5)
    weighting: str = option("size", "what an edge counts by", choices=("none", "size"))

    @abstractmethod
    def probabilities(
        self, picture: Picture, superpixels: IntArray, graph: RegionGraph
    ) -> FloatArray:
        """Return the probability of a cut for each edge of the region graph."""

    def costs(
        self, picture: Picture, superpixels: IntArray, graph: RegionGraph, bias: float
    ) -> FloatArray:
        """Return the cost of each edge of the region graph."""
        probabilities = self.probabilities(picture, superpixels, graph)
        return self.weigh(probabilities, graph, bias)

    def weigh(
        self,
        probabilities: FloatArray,
        graph: RegionGraph,
        bias: float,
        mean_size: float | None = None,
    ) -> FloatArray:
        """Return costs from probabilities of a cut.

        `mean_size` is the mean size of all edges, for a graph that holds a part of them.
        """
        costs = log_odds(probabilities, bias, self.clip)
        if self.weighting == "size" and graph.num_edges > 0:
            sizes = graph.sizes if graph.mean is None else graph.num_samples
            costs = costs * (sizes / (sizes.mean() if mean_size is None else mean_size))
        return costs
