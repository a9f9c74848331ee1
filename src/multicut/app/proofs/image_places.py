"""Superpixels of an image, or of the slices of a volume, in pictures to click on."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut.app.proofs.scene import (
    PLAIN,
    SEGMENTS,
    SURE,
    UNCERTAINTY,
    crossings,
    doubt_colours,
)
from multicut.vision import region_centres

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multicut._arrays import FloatArray, IntArray
    from multicut.app.proofs.scene import Pair, Point, Scene
    from multicut.vision import RegionProblem

# Pixels of the longer side of a picture: smaller images are enlarged, larger ones made smaller.
_LEAST, _MOST = 900, 1600
_LINE = (16, 19, 26)
_YELLOW = (255, 212, 0)
_GREY = (150, 158, 172)
_WHITE = (255, 255, 255)
_PINK = (255, 0, 170)
_SLICES_KEPT = 4
# In pixels, how far the ring is from what it surrounds.
_RING = 30
_LARGEST_RING = 120


class ImagePlaces:
    """The superpixels of an image or volume as places to click on.

    Parameters
    ----------
    parts
        The image and its region problem; labels of shape (H, W) or (D, H, W).
    """

    noun = "superpixel"

    def __init__(self, parts: RegionProblem) -> None:
        self._parts = parts
        self._is_volume = parts.superpixels.ndim == 3
        self._edges = parts.problem.edges
        count = parts.problem.num_nodes
        self._centres = region_centres(parts.superpixels, count)
        self._canvas = lru_cache(_SLICES_KEPT)(self._make_canvas)

    @property
    def num_slices(self) -> int:
        """The depth of a volume, or 1."""
        return len(self._parts.superpixels) if self._is_volume else 1

    def hit(self, point: Point, number: int) -> int | None:
        """Return the superpixel at a place of a slice; None where there is none."""
        return self._canvas(number).region_at(point)

    def crossed(self, start: Point, end: Point, number: int, labels: IntArray) -> list[Pair]:
        """Return the edges inside segments that a line in a slice crosses.

        An edge is the line between the centres of its superpixels, those in the slice alone.
        """
        canvas = self._canvas(number)
        edges = self._edges[canvas.shown_edges]
        edges = edges[labels[edges[:, 0]] == labels[edges[:, 1]]]
        ends = [np.array(point, dtype=np.float64) * canvas.size for point in (start, end)]
        found = edges[crossings(canvas.centres, edges, *ends)]
        return [(int(u), int(v)) for u, v in found]

    def slice_of(self, pair: Pair) -> int:
        """Return the slice in which two superpixels touch most, or one that shows the first."""
        if not self._is_volume:
            return 0
        first, second = (self._parts.superpixels == node for node in pair)
        touching = np.zeros(self.num_slices, dtype=np.int64)
        for a, b in ((first, second), (second, first)):
            touching += (a[:, 1:] & b[:, :-1]).sum(axis=(1, 2))
            touching += (a[:, :, 1:] & b[:, :, :-1]).sum(axis=(1, 2))
        shown = touching if touching.any() else first.sum(axis=(1, 2))
        return int(shown.argmax())

    def draw(self, scene: Scene, number: int) -> NDArray[np.uint8]:
        """Draw a slice."""
        return self._canvas(number).draw(scene, self._edges)

    def _make_canvas(self, number: int) -> _Canvas:
        parts = self._parts
        image, regions = parts.image, parts.superpixels
        if self._is_volume:
            image, regions = image[number], regions[number]
        return _Canvas(image, regions, self._edges, parts.problem.num_nodes)


class _Canvas:
    """One picture in the size in which it is shown, with what is the same each time."""

    def __init__(
        self, image: NDArray[Any], regions: IntArray, edges: IntArray, num_nodes: int
    ) -> None:
        height, width = regions.shape
        longest = max(height, width)
        scale = _MOST / longest if longest > _MOST else -(-_LEAST // longest)
        self.height, self.width = max(1, round(scale * height)), max(1, round(scale * width))
        rows = np.arange(self.height) * height // self.height
        columns = np.arange(self.width) * width // self.width
        self.regions = np.ascontiguousarray(regions[rows][:, columns])
        self.image = _resized(image, self.width, self.height)
        rows_and_columns = region_centres(self.regions, num_nodes)
        self.centres: FloatArray = rows_and_columns[:, ::-1] + 0.5
        self._pixels, self._edge_at = _borders(self.regions, edges, num_nodes)
        self.shown_edges = np.unique(self._edge_at)

    @property
    def size(self) -> FloatArray:
        """Width and height."""
        return np.array([self.width, self.height], dtype=np.float64)

    def region_at(self, point: Point) -> int | None:
        """Return the region at a place; None outside, and where the image has none."""
        x, y = point
        if not (0 <= x < 1 and 0 <= y < 1):
            return None
        region = int(self.regions[int(y * self.height), int(x * self.width)])
        return region if region >= 0 else None

    def draw(self, scene: Scene, edges: IntArray) -> NDArray[np.uint8]:
        """Draw what a scene holds."""
        picture = self.image.copy()
        if scene.view == SEGMENTS:
            picture = self._tinted(picture, scene)
        elif scene.view == UNCERTAINTY:
            picture //= 2
        self._light_up(picture, scene)
        flat = picture.reshape(-1, 3)
        cut = scene.labels[edges[:, 0]] != scene.labels[edges[:, 1]]
        is_cut = cut[self._edge_at]
        line = {PLAIN: _YELLOW, UNCERTAINTY: _GREY}.get(scene.view, _LINE)
        flat[self._pixels[is_cut]] = line
        if scene.view == UNCERTAINTY and scene.doubts is not None:
            self._colour_doubts(picture, scene.doubts)
        self._mark(picture, scene, is_cut)
        return picture

    def _colour_doubts(self, picture: NDArray[np.uint8], doubts: FloatArray) -> None:
        """Draw borders in doubt, whether they are cut or not; the least sure ones on top."""
        at = np.flatnonzero(doubts[self._edge_at] > SURE)
        at = at[np.argsort(doubts[self._edge_at[at]], kind="stable")]
        _dab(picture, self._pixels[at], 1, doubt_colours(doubts)[self._edge_at[at]])

    def _tinted(self, picture: NDArray[np.uint8], scene: Scene) -> NDArray[np.uint8]:
        # 16 bits hold the sum of two bytes, and are faster than floats.
        table = np.append(scene.colours, [[0, 0, 0]], axis=0).astype(np.uint16)
        mixed = (picture + table[self.regions]) // 2
        mixed[self.regions < 0] = picture[self.regions < 0]
        return np.asarray(mixed, dtype=np.uint8)

    def _light_up(self, picture: NDArray[np.uint8], scene: Scene) -> None:
        """Darken all but the segments of a suggestion; lighten the segment of the first click."""
        if scene.suggested is not None:
            within = np.isin(scene.labels, scene.labels[list(scene.suggested)])
            outside = ~np.append(within, False)[self.regions]
            picture[outside] = picture[outside] // 5 * 2
        if scene.selected is not None:
            own = scene.labels == scene.labels[scene.selected]
            inside = np.append(own, False)[self.regions]
            picture[inside] = 255 - (255 - picture[inside]) // 5 * 3

    def _mark(self, picture: NDArray[np.uint8], scene: Scene, is_cut: NDArray[np.bool_]) -> None:
        """Outline what is selected and what is suggested."""
        if scene.selected is not None:
            segment = scene.labels[scene.selected]
            regions_at = self.regions.ravel()[self._pixels]
            own = np.append(scene.labels == segment, False)[regions_at]
            _dab(picture, self._pixels[own & is_cut], 1, _WHITE)
            _stroke(picture, _rim(self.regions == scene.selected))
        if scene.suggested is not None:
            border = () if scene.border is None else scene.border
            shared = self._pixels[np.isin(self._edge_at, border)]
            if len(shared) == 0:  # the two sides do not touch here
                rims = [_rim(self.regions == node) for node in scene.suggested]
                shared = np.concatenate(rims)
            _stroke(picture, shared)
            _ring(picture, shared)


def _resized(image: NDArray[Any], width: int, height: int) -> NDArray[np.uint8]:
    from PIL import Image

    colours = Image.fromarray(image).convert("RGB")
    kind = Image.Resampling.BOX if width < colours.width else Image.Resampling.NEAREST
    return np.array(colours.resize((width, height), kind))


def _borders(
    regions: IntArray, edges: IntArray, num_nodes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pixels on both sides of each border, and the edge that it belongs to."""
    keys = edges.min(axis=1) * num_nodes + edges.max(axis=1)
    order = np.argsort(keys, kind="stable")
    positions = np.arange(regions.size).reshape(regions.shape)
    pixels, found = [], []
    for axis in (0, 1):
        ahead = np.moveaxis(regions, axis, 0)
        places = np.moveaxis(positions, axis, 0)
        a, b = ahead[:-1], ahead[1:]
        differ = (a != b) & (a >= 0) & (b >= 0)
        low, high = np.minimum(a, b)[differ], np.maximum(a, b)[differ]
        own = low.astype(np.int64) * num_nodes + high
        at = np.minimum(np.searchsorted(keys, own, sorter=order), max(len(keys) - 1, 0))
        edge = order[at] if len(keys) else at
        is_known = keys[edge] == own if len(keys) else np.zeros(len(own), dtype=bool)
        for side in (places[:-1], places[1:]):
            pixels.append(side[differ][is_known])
            found.append(edge[is_known])
    return np.concatenate(pixels), np.concatenate(found)


def _rim(inside: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the pixels of a region that lie at its border."""
    padded = np.pad(inside, 1)
    inner = padded[:-2, 1:-1] & padded[2:, 1:-1] & padded[1:-1, :-2] & padded[1:-1, 2:]
    return np.flatnonzero(inside & ~inner)


def _stroke(picture: NDArray[np.uint8], pixels: NDArray[np.int64]) -> None:
    """Draw a pink line with a white rim, which is seen on any colour."""
    _dab(picture, pixels, 4, _WHITE)
    _dab(picture, pixels, 2, _PINK)


def _ring(picture: NDArray[np.uint8], pixels: NDArray[np.int64]) -> None:
    """Draw a circle around pixels that are near each other and might be overlooked."""
    if len(pixels) == 0:
        return
    height, width = picture.shape[:2]
    rows, columns = np.divmod(pixels, width)
    row, column = rows.mean(), columns.mean()
    reach = np.hypot(rows - row, columns - column).max() + _RING
    if reach > _LARGEST_RING:
        return
    down, right = np.ogrid[:height, :width]
    distance = np.abs(np.hypot(down - row, right - column) - reach)
    picture[distance < 4] = _WHITE
    picture[distance < 2] = _PINK


def _dab(
    picture: NDArray[np.uint8],
    pixels: NDArray[np.int64],
    radius: int,
    colour: tuple[int, int, int] | NDArray[np.uint8],
) -> None:
    """Paint squares around pixels, in one colour or in that of each."""
    height, width = picture.shape[:2]
    rows, columns = np.divmod(pixels, width)
    for down in range(-radius, radius + 1):
        for right in range(-radius, radius + 1):
            row, column = (
                np.clip(rows + down, 0, height - 1),
                np.clip(columns + right, 0, width - 1),
            )
            picture[row, column] = colour
