"""Complete graphs of points: near ones attract, far ones repel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multicut._options import Options, check_order, option
from multicut.datasets.generators.costs import draw_size
from multicut.datasets.generators.graph import GeneratedGraph, all_pairs
from multicut.datasets.generators.record import GeneratorRecord

_MOST_NODES = 10_000


@dataclass(frozen=True)
class PointCloudOptions(Options):
    """Options of point clouds."""

    min_nodes: int = option(15, "fewest points", least=1, most=_MOST_NODES)
    max_nodes: int = option(40, "most points", least=1, most=_MOST_NODES)
    num_clusters: int = option(4, "clusters of the points", least=1, most=_MOST_NODES)
    dimension: int = option(2, "coordinates of a point", least=1, most=1000)
    spread: float = option(0.25, "deviation of a cluster, whose centre is in [0, 1]^d", least=0)
    threshold: float = option(0.5, "distance, over √dimension, at which the cost is zero", least=0)
    noise: float = option(0.05, "standard deviation of the noise on costs", least=0)

    def check_together(self) -> None:
        """Complain about an empty range of sizes."""
        check_order(min_nodes=self.min_nodes, max_nodes=self.max_nodes)


def draw_point_cloud(rng: np.random.Generator, options: PointCloudOptions) -> GeneratedGraph:
    """Draw points around centres; the cost of a pair is a threshold less their distance."""
    num_nodes = draw_size(rng, options.min_nodes, options.max_nodes)
    centres = rng.random((options.num_clusters, options.dimension))
    clusters = (rng.random(num_nodes) * options.num_clusters).astype(np.int64)
    points = centres[clusters] + rng.normal(0, options.spread, (num_nodes, options.dimension))
    edges = all_pairs(num_nodes)
    squared = np.zeros(len(edges))
    for axis in points.T:  # one axis at a time, so that many of them need little memory
        squared += (axis[edges[:, 0]] - axis[edges[:, 1]]) ** 2
    costs = options.threshold - np.sqrt(squared / options.dimension)
    costs += rng.normal(0, options.noise, len(edges))
    positions = points if options.dimension == 2 else None
    return GeneratedGraph(num_nodes, edges, costs, positions)


RECORD = GeneratorRecord(
    name="point-cloud",
    description="complete graphs of points: near ones attract, far ones repel",
    draw=draw_point_cloud,
    options=PointCloudOptions,
)
