"""Boundary evidence of any size, written to disk chunk by chunk: noisy walls between Voronoi cells.

One periodic tile of cells is repeated. The strength of walls varies smoothly over the volume, with
gaps, and each chunk has its own noise, so that no two places are equal.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import tensorstore
from numpy.typing import NDArray
from scipy.spatial import cKDTree

# Not a divisor of the length of blocks, so that blocks cut cells in different ways.
_PERIOD = 200
_CELLS = 340
_CHUNK = 64
_SLAB = 128
_WALL = 2.0
_NOISE = 0.1


class Cells:
    """A periodic tile of Voronoi cells."""

    def __init__(self, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self._points = rng.random((_CELLS, 3)) * _PERIOD
        grid = np.indices((_PERIOD,) * 3).reshape(3, -1).T
        tree = cKDTree(self._points, boxsize=_PERIOD)
        distances, nearest = tree.query(grid, k=2, workers=-1)
        self._wall = np.exp(-(((distances[:, 1] - distances[:, 0]) / _WALL) ** 2)).astype(
            np.float32
        )
        self._wall = self._wall.reshape((_PERIOD,) * 3)
        self._nearest = nearest[:, 0].reshape((_PERIOD,) * 3)

    def evidence(self, begin: tuple[int, ...], shape: tuple[int, ...]) -> NDArray[np.uint8]:
        """Return boundary probabilities of a box, as integers of 8 bits."""
        axes = [np.arange(b, b + n) for b, n in zip(begin, shape, strict=True)]
        wall = self._wall[np.ix_(*(axis % _PERIOD for axis in axes))]
        # Incommensurable periods: walls are weak in other places everywhere.
        waves = [
            np.cos(axis * 2 * np.pi / period).astype(np.float32)
            for axis, period in zip(axes, (61.8, 73.1, 89.7), strict=True)
        ]
        strength = 0.72 + 0.3 * (
            waves[0][:, None, None] * waves[1][None, :, None] * waves[2][None, None, :]
        )
        rng = np.random.default_rng([7, *begin])
        noise = rng.standard_normal(shape, dtype=np.float32) * np.float32(_NOISE)
        return np.rint(np.clip(wall * strength + noise, 0, 1) * 255).astype(np.uint8)

    def truth(self, shape: tuple[int, ...]) -> NDArray[np.int64]:
        """Return the cell of each voxel of a volume that begins at the origin."""
        axes = [np.arange(n) for n in shape]
        point = self._nearest[np.ix_(*(axis % _PERIOD for axis in axes))]
        cell = point.astype(np.int64)
        for axis, places in enumerate(axes):
            along = places.reshape([-1 if i == axis else 1 for i in range(3)])
            image = np.rint((along - self._points[point, axis]) / _PERIOD).astype(np.int64)
            cell = cell * 64 + image + 1
        return np.asarray(np.unique(cell, return_inverse=True)[1].reshape(shape))


def write_volume(path: Path, shape: tuple[int, int, int], cells: Cells | None = None) -> None:
    """Write a volume as Zarr, with chunks of 64³ voxels; at no time is more than 128³ in memory."""
    cells = cells or Cells()
    metadata: dict[str, Any] = {"dtype": "|u1", "shape": list(shape), "chunks": [_CHUNK] * 3}
    array = tensorstore.open(
        {
            "driver": "zarr",
            "kvstore": {"driver": "file", "path": str(path)},
            "metadata": metadata,
        },
        create=True,
        delete_existing=True,
    ).result()
    for begin in itertools.product(*(range(0, length, _SLAB) for length in shape)):
        size = tuple(min(_SLAB, n - b) for b, n in zip(begin, shape, strict=True))
        index = tuple(slice(b, b + n) for b, n in zip(begin, size, strict=True))
        array[index].write(cells.evidence(begin, size)).result()
