"""Segmentation of pixels by affinities, without superpixels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from multicut import _core
from multicut._arrays import plain
from multicut._checks import check_integer, check_seed
from multicut.vision.region_graph import as_evidence, as_offsets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from multicut._arrays import IntArray


def mutex_watershed(
    affinities: ArrayLike,
    offsets: ArrayLike,
    strides: Sequence[SupportsIndex] | None = None,
    *,
    num_attractive_channels: int | None = None,
    randomize_strides: bool = False,
    seed: SupportsIndex = 0,
    mask: ArrayLike | None = None,
) -> IntArray:
    """Segment an image or volume by the mutex watershed of its affinities.

    Pairs of pixels are taken by descending priority: the affinity in an attractive channel, one
    minus the affinity in a repulsive one. An attractive pair joins the segments of its pixels,
    unless a repulsive pair has parted them before. There is no threshold, and no superpixels are
    needed. Ties go by channel, then by pixel, so the result is always the same.

    Returns an integer array of the shape of a channel: segments 0 … k-1 in order of first
    appearance, -1 outside of `mask`. Memory: 16 bytes per pair of pixels and per pixel.

    Parameters
    ----------
    affinities
        Array of shape (C, H, W) or (C, D, H, W): ``affinities[c][x]`` between 0 and 1 (or uint8)
        is the probability that the pixels ``x`` and ``x + offsets[c]`` belong together. High
        values mean "together" in all channels. Values of double precision are rounded to single.
    offsets
        Integer array of shape (C, 2) or (C, 3), in the order of the array's axes.
    strides
        One positive integer per axis: repulsive pairs are only taken at pixels whose position is a
        multiple of these. They are many and alike, so this costs little quality.
    num_attractive_channels
        The first so many channels are attractive, the others are repulsive. By default as many as
        there are axes.
    randomize_strides
        Whether to take as many repulsive pairs at random instead of those on a regular grid.
    seed
        Seeds that choice.
    mask
        Array of the shape of a channel: pixels to segment are true or not zero.
    """
    shape, maps = _as_maps(
        affinities, offsets, strides, num_attractive_channels, randomize_strides, seed, mask
    )
    labels, _ = _core.pixel_mutex_watershed(**maps, classes=None, num_classes=0)
    return plain(labels).reshape(shape)


def semantic_mutex_watershed(
    affinities: ArrayLike,
    offsets: ArrayLike,
    classes: ArrayLike,
    strides: Sequence[SupportsIndex] | None = None,
    *,
    num_attractive_channels: int | None = None,
    randomize_strides: bool = False,
    seed: SupportsIndex = 0,
    mask: ArrayLike | None = None,
) -> tuple[IntArray, IntArray]:
    """Segment an image or volume and classify its segments in one pass.

    As :func:`mutex_watershed`, with one more kind of evidence: the probability of a class at a
    pixel gives the pixel's segment that class, if it has none by then. Segments of different
    classes are never joined.

    Returns two integer arrays of the shape of a channel: segments 0 … k-1, and the class of each
    pixel; both are -1 outside of `mask`.

    Parameters
    ----------
    classes
        Array of shape (K, H, W) or (K, D, H, W), between 0 and 1 (or uint8): the probability of
        each class.
    affinities, offsets, strides, num_attractive_channels, randomize_strides, seed, mask
        As for :func:`mutex_watershed`.
    """
    shape, maps = _as_maps(
        affinities, offsets, strides, num_attractive_channels, randomize_strides, seed, mask
    )
    given = as_evidence(classes, "classes")
    if given.ndim != len(shape) + 1 or given.shape[1:] != shape or len(given) == 0:
        sizes = ", ".join(map(str, shape))
        raise ValueError(
            f"classes must have shape (K, {sizes}), one channel per class, got {given.shape}"
        )
    labels, found = _core.pixel_mutex_watershed(
        **maps, classes=given.ravel(), num_classes=len(given)
    )
    return plain(labels).reshape(shape), plain(found).reshape(shape)


def _as_maps(
    affinities: ArrayLike,
    offsets: ArrayLike,
    strides: Sequence[SupportsIndex] | None,
    num_attractive_channels: int | None,
    randomize_strides: bool,
    seed: SupportsIndex,
    mask: ArrayLike | None,
) -> tuple[tuple[int, ...], dict[str, Any]]:
    """Return the shape of the image, and arguments as the native core takes them."""
    array = as_evidence(affinities, "affinities")
    if array.ndim not in (3, 4):
        raise ValueError(f"affinities must have shape (C, H, W) or (C, D, H, W), got {array.shape}")
    shape = array.shape[1:]
    ndim = len(shape)
    steps = as_offsets(offsets, len(array), ndim)
    # An image is a volume of one plane.
    in_front = 3 - ndim
    steps = np.pad(steps, [(0, 0), (in_front, 0)])
    attractive = ndim if num_attractive_channels is None else num_attractive_channels
    attractive = check_integer(0, num_attractive_channels=attractive)
    if attractive > len(array):
        raise ValueError(
            f"num_attractive_channels must be at most the number of channels, {len(array)}, got "
            f"{attractive}"
        )
    if randomize_strides and strides is None:
        raise ValueError("randomize_strides needs strides=..., one integer per axis")
    every = [1] * ndim if strides is None else [check_integer(1, strides=step) for step in strides]
    if len(every) != ndim:
        raise ValueError(f"strides must be {ndim} integers, one per axis, got {len(every)}")
    return shape, {
        "shape": (1,) * in_front + shape,
        "offsets": np.ascontiguousarray(steps),
        "affinities": array.ravel(),
        "num_attractive": attractive,
        "strides": (1,) * in_front + tuple(every),
        "seed": check_seed(seed) if randomize_strides else None,
        "mask": _as_mask(mask, shape),
    }


def _as_mask(mask: ArrayLike | None, shape: tuple[int, ...]) -> NDArray[np.bool_] | None:
    if mask is None:
        return None
    array = np.asarray(mask)
    if array.shape != shape:
        raise ValueError(f"mask must have the shape of a channel, {shape}, got {array.shape}")
    return np.ascontiguousarray(array != 0).ravel()
