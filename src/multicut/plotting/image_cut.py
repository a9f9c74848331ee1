"""Figure of a cut on an image: thin borders of superpixels, thick ones where they are cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicut.plotting.palette import BORDER, CUT_BORDER, HALO
from multicut.plotting.picture import (
    as_colours,
    as_regions,
    border_lines,
    differences,
    draw_borders,
    labels_of_pixels,
    show_image,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from multicut.result import Result


def plot_image_cut(
    image: ArrayLike,
    superpixels: ArrayLike,
    labels: Result | ArrayLike,
    ax: Axes | None = None,
) -> Axes:
    """Draw the borders of superpixels over an image; those between segments stand out.

    Parameters
    ----------
    image
        Shape (H, W), (H, W, 3) or (H, W, 4); one slice of a volume.
    superpixels
        The superpixel of each pixel, shape (H, W).
    labels
        The segment of each superpixel or of each pixel, or a result.
    ax
        Where to draw; by default the axes of a new figure.
    """
    colours = as_colours(image)
    regions = as_regions(superpixels, colours.shape[:2], "superpixels")
    segments = labels_of_pixels(labels, regions)
    ax = show_image(ax, colours)
    (right, below), (cut_right, cut_below) = differences(regions), differences(segments)
    inner = border_lines(right & ~cut_right, below & ~cut_below)
    draw_borders(ax, inner, BORDER, 0.45, order=2)
    cut = border_lines(cut_right, cut_below)
    draw_borders(ax, cut, HALO, 2.6, order=3)
    draw_borders(ax, cut, CUT_BORDER, 1.4, order=4)
    return ax
