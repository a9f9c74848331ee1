"""A synthetic noisy image, cut into fragments that belong together or do not."""

from __future__ import annotations

from colorsys import hsv_to_rgb
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from multicut.problem import Problem

if TYPE_CHECKING:
    from multicut._arrays import FloatArray, IntArray

_NUM_OBJECTS = 16
_PIXEL_NOISE = 0.13
_COST_NOISE = 0.8


@dataclass(frozen=True, eq=False)
class Mosaic:
    """An image and the problem of putting its fragments together again.

    Attributes
    ----------
    image : array of shape (height, width, 3)
        Colours between 0 and 1, with noise.
    fragments : int64 array of shape (height, width)
        The node that each pixel belongs to.
    points : array of shape (num_nodes, 2)
        The centre of each fragment, as (column, row).
    truth : int64 array of shape (num_nodes,)
        The object that each fragment was broken from.
    problem
        One node for each fragment, one edge for each pair of fragments that touch. Fragments of
        similar colour attract, the more the longer their common border.
    """

    image: FloatArray
    fragments: IntArray
    points: FloatArray
    truth: IntArray
    problem: Problem


def mosaic(num_fragments: int = 700, seed: int = 0, height: int = 240, width: int = 360) -> Mosaic:
    """Paint an image of smooth objects, break it into fragments, and state the problem.

    Parameters
    ----------
    num_fragments
        About how many fragments, which become nodes.
    seed
        Determines image and problem.
    height, width
        Size of the image in pixels.
    """
    from scipy.spatial import cKDTree

    if num_fragments < 2 or num_fragments > height * width // 4:
        raise ValueError(
            f"num_fragments must be between 2 and {height * width // 4} (a quarter of the pixels), "
            f"got {num_fragments}"
        )
    rng = np.random.default_rng(seed)
    rows, columns = np.mgrid[0:height, 0:width].astype(float)
    objects = _draw_objects(rng, rows, columns)
    image = _paint(rng, objects, rows, columns)

    # A third coordinate that sets objects far apart keeps fragments from crossing their borders.
    centres = _spread(rng, num_fragments, height, width)
    apart = 10.0 * (height + width)
    pixels = np.stack([columns, rows, apart * objects], axis=-1).reshape(-1, 3)
    seeds = pixels[centres[:, 0] * width + centres[:, 1]]
    _, nearest = cKDTree(seeds).query(pixels)
    used, fragments = np.unique(nearest, return_inverse=True)
    fragments = fragments.reshape(height, width)

    sizes = np.bincount(fragments.ravel())
    colours = _means(fragments, image, sizes)
    points = _means(fragments, np.stack([columns, rows], axis=-1), sizes)
    truth = objects[centres[used, 0], centres[used, 1]]
    edges, border_lengths = _touching(fragments)
    distances = np.linalg.norm(colours[edges[:, 0]] - colours[edges[:, 1]], axis=1)
    evidence = 6.0 * (0.16 - distances) + rng.normal(0, _COST_NOISE, len(edges))
    costs = evidence * np.sqrt(border_lengths / border_lengths.mean())
    problem = Problem(edges, costs, num_nodes=len(used))
    return Mosaic(image, fragments.astype(np.int64), points, truth, problem)


def _draw_objects(rng: np.random.Generator, rows: FloatArray, columns: FloatArray) -> IntArray:
    """Cells around random points, their borders bent by a few long waves."""
    height, width = rows.shape
    bent_rows, bent_columns = rows.copy(), columns.copy()
    for bent in (bent_rows, bent_columns):
        for _ in range(4):
            along_rows, along_columns = rng.normal(0, 0.035, 2)
            phase = rng.uniform(0, 2 * np.pi)
            bent += 9 * np.sin(along_rows * rows + along_columns * columns + phase)
    centres = _spread(rng, _NUM_OBJECTS, height, width)
    squared = (bent_rows[..., None] - centres[:, 0]) ** 2
    squared += (bent_columns[..., None] - centres[:, 1]) ** 2
    nearest: IntArray = np.argmin(squared, axis=-1).astype(np.int64)
    return nearest


def _paint(
    rng: np.random.Generator, objects: IntArray, rows: FloatArray, columns: FloatArray
) -> FloatArray:
    """Give each object a colour and a gentle shading; add noise."""
    palette = _draw_palette(rng)
    slopes = rng.normal(0, 0.08, (_NUM_OBJECTS, 2))
    height, width = rows.shape
    shading = slopes[objects, 0] * (rows / height - 0.5) + slopes[objects, 1] * (
        columns / width - 0.5
    )
    image = palette[objects] + shading[..., None]
    noisy: FloatArray = np.clip(image + rng.normal(0, _PIXEL_NOISE, image.shape), 0, 1)
    return noisy


def _draw_palette(rng: np.random.Generator) -> FloatArray:
    """Draw muted colours whose hues go once around the circle, in random order."""
    hues = (rng.uniform() + np.arange(_NUM_OBJECTS) / _NUM_OBJECTS) % 1
    saturations = rng.uniform(0.35, 0.7, _NUM_OBJECTS)
    values = rng.uniform(0.55, 0.95, _NUM_OBJECTS)
    colours = [hsv_to_rgb(*hsv) for hsv in zip(hues, saturations, values, strict=True)]
    return np.array(colours)[rng.permutation(_NUM_OBJECTS)]


def _spread(rng: np.random.Generator, count: int, height: int, width: int) -> IntArray:
    """About `count` pixels (row, column), one in each cell of a grid."""
    num_rows = max(1, round(np.sqrt(count * height / width)))
    num_columns = max(1, round(count / num_rows))
    cells = np.indices((num_rows, num_columns)).reshape(2, -1).T
    inside = rng.uniform(0.08, 0.92, cells.shape)
    scale = np.array([height / num_rows, width / num_columns])
    pixels: IntArray = ((cells + inside) * scale).astype(np.int64)
    return pixels


def _means(fragments: IntArray, values: FloatArray, sizes: IntArray) -> FloatArray:
    """Mean over each fragment of a value per pixel, one column for each channel."""
    channels = values.reshape(-1, values.shape[-1]).T
    sums = [np.bincount(fragments.ravel(), weights=channel) for channel in channels]
    return np.stack(sums, axis=1) / sizes[:, None]


def _touching(fragments: IntArray) -> tuple[IntArray, IntArray]:
    """Pairs of fragments that share a border, and its length in pixels."""
    across = np.stack([fragments[:, :-1].ravel(), fragments[:, 1:].ravel()], axis=1)
    down = np.stack([fragments[:-1].ravel(), fragments[1:].ravel()], axis=1)
    pairs = np.concatenate([across, down])
    pairs = np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1)
    return np.unique(pairs, axis=0, return_counts=True)
