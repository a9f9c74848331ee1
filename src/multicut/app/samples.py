"""Sample data that is built in: painted and photographed images, and random problems."""

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
