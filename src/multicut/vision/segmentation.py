"""The segmentation of an image: its regions, and which of them belong together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from multicut._arrays import frozen
from multicut.vision.region_problem import RegionProblem

if TYPE_CHECKING:
    from multicut._arrays import IntArray
    from multicut.result import Result


@dataclass(frozen=True, eq=False)
class Segmentation(RegionProblem):
    """What :func:`multicut.vision.segment` found.

    Attributes
    ----------
    image, superpixels, graph, problem
        As in :class:`multicut.vision.RegionProblem`.
    result
        The solution of the problem: a label for each region.
    """

    result: Result

    @cached_property
    def labels(self) -> IntArray:
        """The segment of each pixel, 0 … k-1, or -1 outside of the mask."""
        of_regions = np.append(self.result.labels, -1)  # the last one is for region -1
        return frozen(of_regions[self.superpixels])

    @property
    def num_segments(self) -> int:
        """The number of segments, k."""
        return self.result.num_clusters

    def relabelled(self, result: Result) -> Segmentation:
        """Return the same regions with another solution of the same problem."""
        if len(result.labels) != self.problem.num_nodes:
            raise ValueError(
                f"result must label the {self.problem.num_nodes} regions, "
                f"got one with {len(result.labels)} labels"
            )
        return replace(self, result=result)

    def summary(self) -> str:
        """Describe the segmentation in a few lines."""
        shape = " x ".join(map(str, self.superpixels.shape))
        return (
            f"image        {shape}\n"
            f"regions      {self.graph.num_regions:,}, {self.graph.num_edges:,} edges\n"
            f"segments     {self.num_segments:,}\n"
            f"{self.result.summary()}"
        )

    def __repr__(self) -> str:
        return (
            f"Segmentation({self.num_segments} segments of {self.graph.num_regions} regions, "
            f"objective {self.result.objective:.6g})"
        )
