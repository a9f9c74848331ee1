"""Pictures of images and of what became of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multicut.app.solving import Solved
    from multicut.app.subjects import ImageSubject

# Lines between so many regions would cover the image.
_MOST_EDGES_DRAWN = 15_000
# No screen shows more pixels than this along a side, and sending them takes time.
_LONGEST_SIDE = 1600
# Smaller images are enlarged, so that lines are thin beside what they surround.
_READABLE = 700


def shows_graph(solved: Solved) -> bool:
    """Whether the region graph is small enough to be drawn, and flat."""
    is_flat = solved.segmentations[0].superpixels.ndim == 2
    return is_flat and solved.problem.num_edges <= _MOST_EDGES_DRAWN


def picture_of(
    subject: ImageSubject, solved: Solved | None, view: str, number: int
) -> NDArray[Any]:
    """Draw the image, its superpixels, their graph, or the segments of result `number`.

    Of a volume that is the slice in the middle.
    """
    image = subject.middle
    if solved is None or view == "Image":
        return _fitted(image)
    from multicut.vision import boundary_overlay, graph_picture, mean_colours

    found = solved.segmentations[number]
    if view == "Region graph":
        return _fitted(graph_picture(found, found.result.labels))
    labels, superpixels = (
        regions[len(regions) // 2] if subject.is_volume else regions
        for regions in (found.labels, found.superpixels)
    )
    if view == "Segments":
        return _fitted(mean_colours(image, labels))
    regions = superpixels if view == "Superpixels" else labels
    times = max(1, _READABLE // max(image.shape[:2]))
    return _fitted(boundary_overlay(_enlarged(image, times), _enlarged(regions, times)))


def _enlarged(pixels: NDArray[Any], times: int) -> NDArray[Any]:
    return pixels.repeat(times, axis=0).repeat(times, axis=1)


def _fitted(picture: NDArray[Any]) -> NDArray[Any]:
    """Make a picture as small as a screen."""
    height, width = picture.shape[:2]
    if max(height, width) <= _LONGEST_SIDE:
        return picture
    from PIL import Image

    share = _LONGEST_SIDE / max(height, width)
    size = (max(1, round(width * share)), max(1, round(height * share)))
    return np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.BOX))
