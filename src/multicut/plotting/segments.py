"""Figure of the segments of an image, each tinted in another colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multicut.plotting.palette import HALO, segment_colours
from multicut.plotting.picture import (
    as_colours,
    as_regions,
    border_lines,
    differences,
    draw_borders,
    show_image,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from multicut._arrays import FloatArray, IntArray

_TINT = 0.5
_BRIGHTNESS = np.array([0.2126, 0.7152, 0.0722])


def plot_segments(
    image: ArrayLike, labels: ArrayLike, ax: Axes | None = None, *, tint: float = _TINT
) -> Axes:
    """Tint the segments of an image, adjacent ones differently, and draw their borders.

    Parameters
    ----------
    image
        Shape (H, W), (H, W, 3) or (H, W, 4); one slice of a volume.
    labels
        The segment of each pixel, shape (H, W); pixels with negative labels stay as they are.
    ax
        Where to draw; by default the axes of a new figure.
    tint
        How strong the colours are: 0 leaves the image, 1 hides it.
    """
    if not 0 <= tint <= 1:
        raise ValueError(f"tint must be between 0 and 1, got {tint}")
    colours = as_colours(image)
    segments = as_regions(labels, colours.shape[:2], "labels")
    painted = _paint(segments)
    inside = (segments >= 0)[..., np.newaxis]
    # Tinted brightness shows whose colour it is; tinted colours would be a third one.
    grey = (colours @ _BRIGHTNESS)[..., np.newaxis]
    ax = show_image(ax, np.where(inside, (1 - tint) * grey + tint * painted, colours))
    lines = border_lines(*differences(segments))
    # Many small segments would drown in their borders.
    width = float(np.clip(np.sqrt(segments.size / (np.ptp(segments) + 1)) / 40, 0.4, 1.0))
    draw_borders(ax, lines, HALO, 1.9 * width, order=2)
    draw_borders(ax, lines, "white", width, order=3)
    return ax


def _paint(segments: IntArray) -> FloatArray:
    """Give each pixel the colour of its segment."""
    _, numbers, sizes = np.unique(segments, return_inverse=True, return_counts=True)
    numbers = numbers.reshape(segments.shape)
    right = np.stack([numbers[:, :-1].ravel(), numbers[:, 1:].ravel()], axis=1)
    below = np.stack([numbers[:-1].ravel(), numbers[1:].ravel()], axis=1)
    pairs = np.concatenate([right, below])
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return np.asarray(segment_colours(pairs, sizes)[numbers])
