"""Pictures of images and of what became of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multicut.app.solving import Solved
    from multicut.app.subjects import ImageSubject

# Lines between so many regions would cover the image.
_MOST_EDGES_DRAWN = 30_000


def picture_of(
    subject: ImageSubject, solved: Solved | None, view: str, number: int
) -> NDArray[Any]:
    """Draw the image, its superpixels, their graph, or the segments of result `number`."""
    if solved is None or view == "Image":
        return subject.image
    from multicut.vision import boundary_overlay, graph_picture, mean_colours

    found = solved.segmentations[number]
    if view == "Superpixels":
        return boundary_overlay(subject.image, found.superpixels)
    if view == "Region graph" and found.problem.num_edges <= _MOST_EDGES_DRAWN:
        return graph_picture(found, found.result.labels)
    if view == "Segments":
        return mean_colours(subject.image, found.labels)
    return boundary_overlay(subject.image, found.labels)
