"""Validation of images and volumes, and scaling of their values to 0 … 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._extras import needed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_COLOURS = (3, 4)


@dataclass(frozen=True, eq=False)
class Picture:
    """An image or a volume, checked.

    Attributes
    ----------
    values
        Array of float32 between 0 and 1: the shape of the image, then 1 channel (grey) or 3 (red,
        green, blue).
    """

    values: NDArray[np.float32]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape in space: (height, width) or (depth, height, width)."""
        return self.values.shape[:-1]

    @property
    def is_volume(self) -> bool:
        """Whether there are three dimensions."""
        return len(self.shape) == 3

    @property
    def is_colour(self) -> bool:
        """Whether pixels have colours, not only a brightness."""
        return int(self.values.shape[-1]) == 3

    def grey(self) -> NDArray[np.float32]:
        """Return the brightness of each pixel."""
        if not self.is_colour:
            return self.values[..., 0]
        needed("skimage", by="a grey version of an image")
        from skimage.color import rgb2gray

        return np.asarray(rgb2gray(self.values), dtype=np.float32)

    def colours(self) -> NDArray[np.float32]:
        """Return red, green and blue of each pixel; they are equal where the image is grey."""
        return np.broadcast_to(self.values, (*self.shape, 3))


def as_picture(image: ArrayLike, *, volume: bool | None = None) -> Picture:
    """Check an image.

    Accepted are (H, W), (H, W, 3 or 4), (D, H, W) and (D, H, W, 3 or 4). Three axes are a colour
    image if the last has 3 or 4 entries and a volume otherwise, unless `volume` decides. Alpha is
    blended with white. Values are scaled to the range 0 … 1: those of 8 bits are divided by 255,
    floating-point numbers between 0 and 1 are kept, and all others are scaled linearly from their
    minimum and maximum.
    """
    array = np.asarray(image)
    if array.dtype.kind not in "uifb":
        raise TypeError(f"image must contain real numbers, got {array.dtype}")
    has_channels = _has_channels(array.shape, volume)
    if array.size == 0:
        raise ValueError(f"image must have pixels, got shape {array.shape}")
    values = _between_zero_and_one(array)
    if not has_channels:
        return Picture(values[..., np.newaxis])
    if values.shape[-1] == 4:
        alpha = values[..., 3:]
        values = values[..., :3] * alpha + (1 - alpha)
    return Picture(values)


def _has_channels(shape: tuple[int, ...], volume: bool | None) -> bool:
    if len(shape) == 2 and not volume:
        return False
    if len(shape) == 3 and shape[-1] in _COLOURS and not volume:
        return True
    if len(shape) == 3 and volume is not False:
        return False
    if len(shape) == 4 and shape[-1] in _COLOURS and volume is not False:
        return True
    wanted = {
        None: "(H, W), (H, W, 3 or 4), (D, H, W) or (D, H, W, 3 or 4)",
        False: "(H, W) or (H, W, 3 or 4), since volume=False",
        True: "(D, H, W) or (D, H, W, 3 or 4), since volume=True",
    }[volume]
    raise ValueError(f"image must have shape {wanted}, got {shape}")


def _between_zero_and_one(array: NDArray[Any]) -> NDArray[np.float32]:
    if array.dtype == np.uint8:
        return array.astype(np.float32) / np.float32(255)
    if array.dtype.kind == "b":
        return array.astype(np.float32)
    low, high = float(array.min()), float(array.max())
    if not np.isfinite([low, high]).all():
        raise ValueError("image must be finite, but has nan or inf; replace these pixels")
    if array.dtype.kind == "f" and low >= 0 and high <= 1:
        return array.astype(np.float32)
    if low == high:
        return np.zeros(array.shape, dtype=np.float32)
    # float32 holds 16 bits exactly, and twice the memory may be too much for a volume.
    exact = np.float32 if array.dtype.itemsize <= 2 else np.float64
    stretched: NDArray[Any] = np.subtract(array, low, dtype=exact)
    np.divide(stretched, high - low, out=stretched)
    return stretched.astype(np.float32, copy=False)
