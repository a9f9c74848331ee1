"""Common parts of figures of images: colours, and borders as lines between pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._words import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    from multicut._arrays import BoolArray, FloatArray, IntArray

# Above this, a vector file would be slow to open: the lines are stored as pixels inside it.
_MAX_VECTOR_LINES = 50_000


def as_colours(image: ArrayLike) -> FloatArray:
    """Return an image, grey or in colours, as red, green and blue between 0 and 1."""
    from multicut.vision.image import as_picture

    return np.asarray(as_picture(image, volume=False).colours())


def as_regions(regions: ArrayLike, shape: tuple[int, ...], name: str) -> IntArray:
    """Validate one integer label for each pixel."""
    array = np.asarray(regions)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, one for each pixel, got {array.dtype}")
    if array.shape != shape:
        raise ValueError(f"{name} must have the shape of the image, {shape}, got {array.shape}")
    return array.astype(np.int64, copy=False)


def labels_of_pixels(labels: Any, superpixels: IntArray) -> IntArray:
    """Return one label per pixel, given one for each pixel or one for each superpixel."""
    array = np.asarray(getattr(labels, "labels", labels))
    if array.ndim == 1 and array.dtype.kind in "iu":
        num_regions = int(superpixels.max(initial=-1)) + 1
        if len(array) != num_regions:
            raise ValueError(
                f"labels must contain {count(num_regions, 'label')}, one per superpixel, "
                f"or one for each pixel, got {len(array)}"
            )
        # Superpixel -1, outside of the mask, reads the last entry.
        return np.append(array.astype(np.int64), -1)[superpixels]
    return as_regions(array, superpixels.shape, "labels")


def faded(colours: FloatArray, strength: float) -> FloatArray:
    """Mix an image with white, so that lines over it stand out."""
    return np.asarray(1 - strength * (1 - colours))


def show_image(ax: Axes | None, colours: FloatArray) -> Axes:
    """Show an image without frame; by default in a new figure of its shape."""
    height, width = colours.shape[:2]
    if ax is None:
        import matplotlib.pyplot as plt

        scale = 6 / max(height, width)
        size = (max(width * scale, 1.0), max(height * scale, 1.0))
        _, ax = plt.subplots(figsize=size, layout="constrained")
    ax.imshow(np.clip(colours, 0, 1), interpolation="nearest")
    ax.set(xticks=[], yticks=[], xlim=(-0.5, width - 0.5), ylim=(height - 0.5, -0.5))
    ax.spines[:].set_visible(False)
    return ax


def border_lines(differs_right: BoolArray, differs_below: BoolArray) -> FloatArray:
    """Return lines between pixels, shape (n, 2, 2), as long as they can be.

    ``differs_right[i, j]`` is whether there is a border between the pixels (i, j) and
    (i, j + 1), ``differs_below[i, j]`` between (i, j) and (i + 1, j).
    """
    columns, tops, bottoms = _runs(differs_right.T)
    x = columns + 0.5
    upright = np.stack([np.stack([x, tops - 0.5], 1), np.stack([x, bottoms - 0.5], 1)], 1)
    rows, lefts, rights = _runs(differs_below)
    y = rows + 0.5
    level = np.stack([np.stack([lefts - 0.5, y], 1), np.stack([rights - 0.5, y], 1)], 1)
    return np.concatenate([upright, level])


def differences(labels: NDArray[Any]) -> tuple[BoolArray, BoolArray]:
    """Return where pixels differ from the one to the right, and from the one below."""
    return labels[:, :-1] != labels[:, 1:], labels[:-1] != labels[1:]


def draw_borders(ax: Axes, lines: FloatArray, colour: Any, width: float, order: int) -> None:
    """Draw lines between pixels as one collection."""
    from matplotlib.collections import LineCollection

    collection = LineCollection(
        list(lines),
        colors=[colour],
        linewidths=width,
        capstyle="projecting",
        zorder=order,
        rasterized=len(lines) > _MAX_VECTOR_LINES,
    )
    ax.add_collection(collection, autolim=False)


def _runs(flags: BoolArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return row, start and end of each run of true values along the rows."""
    padded = np.zeros((flags.shape[0], flags.shape[1] + 2), dtype=np.int8)
    padded[:, 1:-1] = flags
    change = np.diff(padded, axis=1)
    rows, starts = np.nonzero(change == 1)
    _, ends = np.nonzero(change == -1)
    return rows, starts, ends
