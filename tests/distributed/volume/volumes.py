"""Small volumes with cells, and files of them."""

from __future__ import annotations

import json

import numpy as np
import tensorstore
from scipy.spatial import cKDTree


def cells(shape, num_cells=12, seed=0, noise=0.05):
    """Return boundary probabilities between Voronoi cells as float32, and the cells."""
    rng = np.random.default_rng(seed)
    points = rng.random((num_cells, len(shape))) * shape
    grid = np.indices(shape).reshape(len(shape), -1).T
    distances, nearest = cKDTree(points).query(grid, k=2)
    values = np.exp(-(((distances[:, 1] - distances[:, 0]) / 2) ** 2)).reshape(shape)
    values = np.clip(values + rng.normal(0, noise, shape), 0, 1)
    return values.astype(np.float32), nearest[:, 0].reshape(shape)


def write_zarr(path, array, chunks, driver="zarr", attributes=None):
    """Write an array as Zarr of version 2 or 3."""
    if driver == "zarr":
        metadata = {"dtype": array.dtype.str, "shape": array.shape, "chunks": chunks}
    else:
        metadata = {
            "data_type": str(array.dtype),
            "shape": array.shape,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunks}},
        }
    kvstore = {"driver": "file", "path": str(path)}
    spec = {"driver": driver, "kvstore": kvstore, "metadata": metadata}
    tensorstore.open(spec, create=True).result().write(array).result()
    if attributes is not None:
        (path / ".zattrs").write_text(json.dumps(attributes))
    return path


def bytes_of(path):
    """Return the content of all files in a folder, by their names."""
    return {
        str(file.relative_to(path)): file.read_bytes()
        for file in sorted(path.rglob("*"))
        if file.is_file()
    }
