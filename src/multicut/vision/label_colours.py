"""Colours for labels; consecutive labels get clearly different ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# Steps of the golden angle never come back to a hue, and neighbours in number lie far apart.
_GOLDEN = (5**0.5 - 1) / 2
# Pairs of saturation and value; more than two would be too dark or too pale for borders to show.
_SHADES = ((0.62, 0.95), (0.78, 0.72), (0.40, 0.88))


def label_palette(num_labels: int) -> NDArray[np.uint8]:
    """Return one colour per label 0, 1, …, shape (num_labels, 3)."""
    numbers = np.arange(num_labels)
    hue = (0.58 + numbers * _GOLDEN) % 1.0 * 6.0
    saturation, value = np.array(_SHADES)[numbers % len(_SHADES)].T
    # Red, green and blue of a hue are the same function, a third of the circle apart.
    shift = (np.array([5.0, 3.0, 1.0]) + hue[:, np.newaxis]) % 6.0
    strength = np.clip(np.minimum(shift, 4.0 - shift), 0.0, 1.0)
    colours = value[:, np.newaxis] * (1 - saturation[:, np.newaxis] * strength)
    palette: NDArray[np.uint8] = np.rint(255 * colours).astype(np.uint8)
    return palette


def label_colours(labels: ArrayLike) -> NDArray[np.uint8]:
    """Return an image with one colour for each label; its last axis is red, green, blue.

    Parameters
    ----------
    labels
        Integers, one for each pixel; black where they are negative.
    """
    array = np.asarray(labels)
    if array.dtype.kind not in "iub":
        raise TypeError(f"labels must be integers, got {array.dtype}")
    numbers = np.unique(array, return_inverse=True)
    inside = int((numbers[0] >= 0).sum())
    black = np.zeros((len(numbers[0]) - inside, 3), dtype=np.uint8)
    return np.concatenate([black, label_palette(inside)])[numbers[1].reshape(array.shape)]
