"""Pictures of segmentations as arrays of colours, without matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multicut._extras import needed
from multicut.vision.image import as_picture
from multicut.vision.regions import region_centres, region_means

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from multicut._arrays import IntArray
    from multicut.vision.region_problem import RegionProblem

Colour = tuple[int, int, int]

_YELLOW = (255, 230, 0)
_BLACK = (0, 0, 0)
_WHITE = (255, 255, 255)
_RED = (230, 30, 40)
# Lines of a graph get lost in fewer pixels than this along the longer side.
_READABLE = 900
# In pixels: the lowest and the highest strip above a picture, and the smallest letters in it.
_TITLE_HEIGHTS, _SMALLEST_TITLE = (24, 60), 8


def boundary_overlay(
    image: ArrayLike, labels: ArrayLike, colour: Colour = _YELLOW
) -> NDArray[np.uint8]:
    """Draw the boundaries between segments over an image, as an array (H, W, 3)."""
    picture, segments = _colours(image, labels)
    needed("skimage", by="boundary_overlay")
    from skimage.segmentation import find_boundaries

    picture = picture.copy()
    picture[find_boundaries(segments, mode="thick")] = colour
    return picture


def mean_colours(image: ArrayLike, labels: ArrayLike) -> NDArray[np.uint8]:
    """Return an array (H, W, 3) with the mean colour of each segment; white for labels < 0."""
    picture, segments = _colours(image, labels)
    numbers = np.unique(segments, return_inverse=True)[1].reshape(segments.shape)
    means = region_means(picture, numbers, int(numbers.max()) + 1)
    painted: NDArray[np.uint8] = np.rint(means).astype(np.uint8)[numbers]
    painted[segments < 0] = _WHITE
    return painted


def graph_picture(parts: RegionProblem, labels: ArrayLike | None = None) -> NDArray[np.uint8]:
    """Draw the region graph over the superpixels' mean colours, as an array (H, W, 3).

    Lines link the centres of regions; those of edges between different segments are red and thin.
    `labels` holds the segment of each region; without it, repulsive edges are red.
    Small images are enlarged.
    """
    needed("skimage", by="graph_picture")
    from skimage.draw import disk

    canvas = mean_colours(parts.image, parts.superpixels)
    scale = max(1, -(-_READABLE // max(canvas.shape[:2])))
    canvas = canvas.repeat(scale, axis=0).repeat(scale, axis=1)
    centres = region_centres(parts.superpixels, parts.graph.num_regions) * scale + scale // 2
    centres = np.rint(centres).astype(int)
    u, v = parts.problem.edges.T
    of_regions = None if labels is None else np.asarray(labels)
    is_cut = parts.problem.costs < 0 if of_regions is None else of_regions[u] != of_regions[v]
    for cut in (True, False):
        for edge in np.flatnonzero(is_cut == cut):
            _draw_line(canvas, centres[u[edge]], centres[v[edge]], _RED if cut else _BLACK)
            if not cut:
                for step in ((1, 0), (0, 1)):
                    _draw_line(canvas, centres[u[edge]] + step, centres[v[edge]] + step, _BLACK)
    for centre in centres:
        canvas[disk(centre, 3.5, shape=canvas.shape[:2])] = _BLACK
        canvas[disk(centre, 2.5, shape=canvas.shape[:2])] = _WHITE
    return canvas


def side_by_side(
    pictures: list[NDArray[np.uint8]], gap: int = 8, titles: Sequence[str] | None = None
) -> NDArray[np.uint8]:
    """Return pictures of equal height side by side, with white gaps.

    Parameters
    ----------
    pictures
        Arrays of shape (H, W, 3).
    gap
        Pixels between them.
    titles
        What to write above each picture; by default nothing.
    """
    if titles is not None:
        if len(titles) != len(pictures):
            raise ValueError(f"titles must be {len(pictures)}, one per picture, got {len(titles)}")
        widest = max((picture.shape[1] for picture in pictures), default=0)
        height = int(np.clip(widest // 20, *_TITLE_HEIGHTS))
        named = zip(pictures, titles, strict=True)
        pictures = [_titled(picture, text, height) for picture, text in named]
    heights = {picture.shape[0] for picture in pictures}
    if len(heights) != 1:
        raise ValueError(f"pictures must be of equal height, got heights {sorted(heights)}")
    space = np.full((heights.pop(), gap, 3), 255, dtype=np.uint8)
    parts = [part for picture in pictures for part in (picture, space)]
    return np.concatenate(parts[:-1], axis=1)


def _titled(picture: NDArray[np.uint8], text: str, height: int) -> NDArray[np.uint8]:
    """Write a line of text above a picture, as large as fits it; cut where nothing fits."""
    needed("PIL", by="a title in a picture")
    from PIL import Image, ImageDraw, ImageFont

    width = picture.shape[1]
    strip = Image.new("RGB", (width, height), _WHITE)
    draw = ImageDraw.Draw(strip)
    size = 2 * height // 3
    font = ImageFont.load_default(size)
    while size > _SMALLEST_TITLE and draw.textlength(text, font=font) > width - 4:
        size -= 1
        font = ImageFont.load_default(size)
    while len(text) > 1 and draw.textlength(text, font=font) > width - 4:
        text = f"{text[:-2]}…"
    draw.text((width / 2, height / 2), text, fill=_BLACK, font=font, anchor="mm")
    return np.concatenate([np.asarray(strip), picture])


def _draw_line(canvas: NDArray[np.uint8], start: IntArray, end: IntArray, colour: Colour) -> None:
    from skimage.draw import line_aa

    rows, columns, strength = line_aa(*map(int, start), *map(int, end))
    height, width = canvas.shape[:2]
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    rows, columns, share = rows[inside], columns[inside], strength[inside, np.newaxis]
    canvas[rows, columns] = np.rint((1 - share) * canvas[rows, columns] + share * np.array(colour))


def _colours(image: ArrayLike, labels: ArrayLike) -> tuple[NDArray[np.uint8], NDArray[np.integer]]:
    segments = np.asarray(labels)
    if segments.ndim != 2:
        raise ValueError(
            f"pictures are made of images, got labels of shape {segments.shape}; "
            f"take one slice of a volume, such as image[z] and labels[z]"
        )
    picture = as_picture(image, volume=False)
    if picture.shape != segments.shape:
        raise ValueError(
            f"labels must have the image's shape {picture.shape}, got {segments.shape}"
        )
    return np.rint(picture.colours() * 255).astype(np.uint8), segments
