"""Sample data that is built in: images, a volume, and random problems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from multicut._registry import Registry
from multicut.app.subjects import GraphSubject, ImageSubject, Subject
from multicut.datasets import draw_graph, mosaic

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Sample:
    """One sample.

    Attributes
    ----------
    name
        What the page shows.
    make
        Makes it.
    """

    name: str
    make: Callable[[], Subject]


def _photograph(name: str, title: str) -> Callable[[], Subject]:
    def make() -> Subject:
        from multicut.vision import sample_image

        return ImageSubject(title, sample_image(name))

    return make


def _painted() -> Subject:
    from scipy.ndimage import gaussian_filter

    # Pixels are noisier than those of a camera, which is more than superpixels can stand.
    smooth = gaussian_filter(mosaic(seed=6).image, (1.0, 1.0, 0))
    return ImageSubject("painted image", np.asarray(np.rint(255 * smooth), dtype=np.uint8))


def _cells() -> Subject:
    """Paint a volume of cells: each voxel has the shade of the nearest centre."""
    from scipy.ndimage import gaussian_filter
    from scipy.spatial import cKDTree

    rng = np.random.default_rng(4)
    shape = (16, 150, 200)
    # Slices are farther apart than pixels, as in volumes from a microscope.
    voxels = np.indices(shape).reshape(3, -1).T * (5.0, 1.0, 1.0)
    centres = rng.uniform(size=(40, 3)) * voxels.max(axis=0)
    _, cells = cKDTree(centres).query(voxels)
    shade = rng.uniform(0.1, 0.9, size=len(centres))[cells]
    noisy = shade.reshape(shape) + rng.normal(0, 0.12, shape)
    smooth = np.clip(gaussian_filter(noisy, (0.4, 1.2, 1.2)), 0, 1)
    return ImageSubject("painted cells", np.asarray(np.rint(255 * smooth), dtype=np.uint8))


def _drawn(generator: str, title: str) -> Callable[[], Subject]:
    def make() -> Subject:
        graph = draw_graph(generator, 0, split="test")
        return GraphSubject(title, graph.to_problem(), graph.positions)

    return make


_SAMPLES: Registry[Sample] = Registry(
    "sample",
    (
        Sample("Image: coffee", _photograph("coffee", "coffee")),
        Sample("Image: astronaut", _photograph("astronaut", "astronaut")),
        Sample("Image: coins (grey)", _photograph("coins", "coins")),
        Sample("Image: painted", _painted),
        Sample("Volume: cells", _cells),
        Sample("Graph: RandomMP", _drawn("randommp", "RandomMP")),
        Sample("Graph: IrisMP", _drawn("irismp", "IrisMP")),
        Sample("Graph: planted clusters", _drawn("planted", "planted clusters")),
        Sample("Graph: Voronoi cells", _drawn("voronoi", "Voronoi cells")),
        Sample("Graph: grid", _drawn("grid-2d", "grid")),
        Sample("Graph: points in the plane", _drawn("point-cloud", "points")),
    ),
)


def sample_names() -> Sequence[str]:
    """List what the page offers."""
    return [sample.name for sample in _SAMPLES]


def make_sample(name: str) -> Subject:
    """Make a sample by its name."""
    return _SAMPLES.get(name).make()
