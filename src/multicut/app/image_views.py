"""Pictures of images and of what became of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multicut.app.solving import Solved
    from multicut.app.subjects import ImageSubject


def picture_of(
    subject: ImageSubject, solved: Solved | None, view: str, number: int
) -> NDArray[np.uint8]:
    """Draw the image, its superpixels, their graph, or the segments of result `number`."""
    segmentation = None if solved is None else solved.segmentation
    if solved is None or segmentation is None or view == "Image":
        return subject.image
    from multicut import vision
    from multicut.app.canvas import draw
    from multicut.plotting import plot_region_graph

    found = segmentation.relabelled(solved.results[number])
    if view == "Superpixels":
        return vision.boundary_overlay(subject.image, found.superpixels)
    if view == "Boundaries":
        return vision.boundary_overlay(subject.image, found.labels)
    if view == "Region graph":
        height, width = subject.image.shape[:2]
        inches = 6.0 / max(height, width)
        return draw(
            lambda ax: plot_region_graph(
                subject.image,
                found.superpixels,
                solved.problem,
                solved.results[number].labels,
                ax=ax,
            ),
            inches * width,
            inches * height,
        )
    return vision.mean_colours(subject.image, found.labels)
