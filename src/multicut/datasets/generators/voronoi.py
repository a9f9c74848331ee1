"""Region graphs of cells in the plane, with noisy evidence for boundaries between objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from multicut._arrays import FloatArray
from multicut._options import Options, check_order, option
from multicut.datasets.generators.costs import draw_size
from multicut.datasets.generators.graph import GeneratedGraph
from multicut.datasets.generators.record import GeneratorRecord

_MOST_NODES = 1_000_000


@dataclass(frozen=True)
class VoronoiOptions(Options):
    """Options of Voronoi region graphs."""

    min_nodes: int = option(60, "fewest cells", least=4, most=_MOST_NODES)
    max_nodes: int = option(200, "most cells", least=4, most=_MOST_NODES)
    cells_per_object: float = option(12.0, "mean number of cells in an object", least=1)
    contrast: float = option(1.0, "mean evidence for or against a boundary", least=0)
    noise: float = option(1.2, "standard deviation of the evidence", least=0)

    def check_together(self) -> None:
        """Complain about an empty range of sizes."""
        check_order(min_nodes=self.min_nodes, max_nodes=self.max_nodes)


def draw_voronoi(rng: np.random.Generator, options: VoronoiOptions) -> GeneratedGraph:
    """Break the plane into cells, group them into objects, and look at the borders.

    A cell belongs to the object whose centre is nearest. Evidence is positive between cells of one
    object and negative else, up to noise; its weight grows with the square root of the border's
    length, as independent observations along it would have it.
    """
    from scipy.spatial import Voronoi, cKDTree

    num_nodes = draw_size(rng, options.min_nodes, options.max_nodes)
    points = rng.random((num_nodes, 2))
    centres = rng.random((max(1, round(num_nodes / options.cells_per_object)), 2))
    cells = Voronoi(points)
    pairs = np.sort(cells.ridge_points.astype(np.int64), axis=1)
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    edges = pairs[order]
    lengths = _lengths(cells)[order]
    objects = np.asarray(cKDTree(centres).query(points)[1])
    same = objects[edges[:, 0]] == objects[edges[:, 1]]
    evidence = np.where(same, options.contrast, -options.contrast)
    evidence += rng.normal(0, options.noise, len(edges))
    return GeneratedGraph(num_nodes, edges, evidence * np.sqrt(lengths), points)


def _lengths(cells: Any) -> FloatArray:
    """Lengths of the borders in units of the median; none longer than four, open ones count one."""
    ridges = np.array(cells.ridge_vertices)
    ends = cells.vertices[ridges]
    lengths = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
    bounded = (ridges >= 0).all(axis=1)
    median = np.median(lengths[bounded]) if bounded.any() else 1.0
    return np.where(bounded, np.minimum(lengths / median, 4.0), 1.0)


RECORD = GeneratorRecord(
    name="voronoi",
    description="region graphs of Voronoi cells, with noisy evidence for object boundaries",
    draw=draw_voronoi,
    options=VoronoiOptions,
)
