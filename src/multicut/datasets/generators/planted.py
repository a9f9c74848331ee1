"""A hidden partition seen through noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multicut._options import Options, check_order, option
from multicut.datasets.generators.costs import draw_size
from multicut.datasets.generators.graph import GeneratedGraph, all_pairs
from multicut.datasets.generators.record import GeneratorRecord

_MOST_NODES = 20_000


@dataclass(frozen=True)
class PlantedOptions(Options):
    """Options of planted partitions."""

    min_nodes: int = option(40, "fewest nodes", least=1, most=_MOST_NODES)
    max_nodes: int = option(80, "most nodes", least=1, most=_MOST_NODES)
    num_clusters: int = option(6, "hidden clusters", least=1, most=_MOST_NODES)
    mean_degree: float = option(8.0, "mean number of edges at a node", least=0)
    noise: float = option(1.0, "standard deviation of the noise on costs of ±1", least=0)

    def check_together(self) -> None:
        """Complain about an empty range of sizes."""
        check_order(min_nodes=self.min_nodes, max_nodes=self.max_nodes)


def draw_planted(rng: np.random.Generator, options: PlantedOptions) -> GeneratedGraph:
    """Give +1 to random pairs within a cluster and -1 to others; add noise."""
    num_nodes = draw_size(rng, options.min_nodes, options.max_nodes)
    clusters = (rng.random(num_nodes) * options.num_clusters).astype(np.int64)
    pairs = all_pairs(num_nodes)
    edges = pairs[rng.random(len(pairs)) * (num_nodes - 1) < options.mean_degree]
    same = clusters[edges[:, 0]] == clusters[edges[:, 1]]
    costs = np.where(same, 1.0, -1.0) + rng.normal(0, options.noise, len(edges))
    return GeneratedGraph(num_nodes, edges, costs)


RECORD = GeneratorRecord(
    name="planted",
    description="a hidden partition: random pairs attract within clusters, repel between, noisily",
    draw=draw_planted,
    options=PlantedOptions,
)
