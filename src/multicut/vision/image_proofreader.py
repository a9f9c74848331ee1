"""A segmentation that follows corrections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from multicut.problem import Problem
from multicut.proofreading import Proofreader
from multicut.proofreading.corrections import read_corrections
from multicut.vision.region_problem import RegionProblem
from multicut.vision.segmentation import Segmentation

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike

    from multicut._arrays import IntArray


class ImageProofreader(Proofreader):
    """A segmentation of an image or volume that follows corrections, each at once.

    Nodes are regions: ``proof.join(u, v)`` and ``proof.separate(u, v)`` take their numbers, and
    :meth:`region_at` finds the region at a pixel.

    Parameters
    ----------
    parts
        What :func:`multicut.vision.segment` or :func:`multicut.vision.region_problem` returns. The
        partition of a segmentation is where corrections start.
    solver, initial, **options
        As in :class:`multicut.Proofreader`.

    Examples
    --------
    >>> import numpy as np
    >>> import multicut as mc
    >>> image = np.repeat([[0, 0, 90, 90, 200, 200]], 6, axis=0)
    >>> regions = np.repeat([[0, 0, 1, 1, 2, 2]], 6, axis=0)
    >>> proof = mc.vision.ImageProofreader(mc.vision.segment(image, regions))
    >>> _ = proof.join(proof.region_at((3, 0)), proof.region_at((3, 5)))
    >>> proof.segmentation.labels[0]
    array([0, 0, 1, 1, 0, 0])
    """

    def __init__(
        self,
        parts: RegionProblem,
        solver: str = "klj",
        *,
        initial: ArrayLike | None = None,
        **options: Any,
    ) -> None:
        if not isinstance(parts, RegionProblem):
            raise TypeError(
                f"parts must be a segmentation or a region problem, got {type(parts).__name__}; "
                f"multicut.vision.segment returns one"
            )
        if initial is None and isinstance(parts, Segmentation):
            initial = parts.result.labels
        super().__init__(parts.problem, solver, initial=initial, **options)
        self.parts = parts

    @property
    def pixel_labels(self) -> IntArray:
        """The segment of each pixel, or -1 outside of the mask.

        Segments keep their numbers where they can, so these have gaps. The labels of
        :attr:`segmentation` have none.
        """
        return np.append(self.labels.astype(np.int64), -1)[self.parts.superpixels]

    @property
    def segmentation(self) -> Segmentation:
        """The segmentation as it is now, with the corrected problem."""
        parts = self.parts
        return Segmentation(parts.image, parts.superpixels, parts.graph, self.problem, self.result)

    def region_at(self, position: Sequence[float]) -> int:
        """Return the region at a position: row and column, in volumes with the depth before."""
        shape = self.parts.superpixels.shape
        if len(position) != len(shape):
            raise ValueError(f"position must have {len(shape)} numbers, got {len(position)}")
        pixel = tuple(round(float(each)) for each in position)
        if not all(0 <= at < length for at, length in zip(pixel, shape, strict=True)):
            raise ValueError(f"position must lie in the image of shape {shape}, got {pixel}")
        region = int(self.parts.superpixels[pixel])
        if region < 0:
            raise ValueError(f"there is no region at position {pixel}: it is outside of the mask")
        return region

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        problem: Problem | RegionProblem,
        solver: str = "klj",
        **options: Any,
    ) -> Self:
        """Make all corrections of a file, one after the other, on a segmentation."""
        if isinstance(problem, Problem):
            raise TypeError(
                "problem must be a segmentation or a region problem; multicut.Proofreader.load "
                "takes a Problem"
            )
        corrections = read_corrections(path, problem.problem.num_nodes)
        proof = cls(problem, solver, **options)
        for correction in corrections:
            proof.apply(correction)
        return proof
