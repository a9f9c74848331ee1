"""The segmentation of an image: its regions and their labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from multicut._arrays import frozen
from multicut._words import block, count, image_size
from multicut.vision.region_problem import RegionProblem

if TYPE_CHECKING:
    from multicut._arrays import IntArray
    from multicut.result import Result


@dataclass(frozen=True, eq=False)
class Segmentation(RegionProblem):
    """The result of :func:`multicut.vision.segment`.

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
                f"result must have {count(self.problem.num_nodes, 'label')}, one per region, "
                f"got {len(result.labels)}"
            )
        return replace(self, result=result)

    def summary(self) -> str:
        """Return a description of a few lines."""
        return block(self.rows())

    def rows(self) -> dict[str, str]:
        """Return the lines of :meth:`summary` as a mapping of names to values."""
        return {
            "image": image_size(self.superpixels.shape),
            "regions": f"{self.graph.num_regions:,}, {count(self.graph.num_edges, 'edge')}",
            "segments": f"{self.num_segments:,}",
            **self.result.rows(),
        }

    def __repr__(self) -> str:
        return (
            f"Segmentation({count(self.num_segments, 'segment')} of "
            f"{count(self.graph.num_regions, 'region')}, "
            f"objective {self.result.objective:.6g})"
        )
