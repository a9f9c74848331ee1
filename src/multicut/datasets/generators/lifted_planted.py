"""A hidden partition seen through noise, with evidence on pairs that no edge joins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multicut._options import Options, check_order, option
from multicut.datasets.generators.costs import draw_size
from multicut.datasets.generators.graph import GeneratedGraph, all_pairs
from multicut.datasets.generators.lifted_grid import noisy_costs
from multicut.datasets.generators.record import GeneratorRecord

_MOST_NODES = 20_000


@dataclass(frozen=True)
class LiftedPlantedOptions(Options):
    """Options of planted partitions with lifted edges."""

    min_nodes: int = option(30, "fewest nodes", least=1, most=_MOST_NODES)
    max_nodes: int = option(60, "most nodes", least=1, most=_MOST_NODES)
    num_clusters: int = option(4, "hidden clusters", least=1, most=_MOST_NODES)
    mean_degree: float = option(4.0, "mean number of edges at a node", least=0)
    lifted_degree: float = option(4.0, "mean number of lifted edges at a node", least=0)
    noise: float = option(0.7, "standard deviation of the noise on costs of ±1", least=0)
    lifted_noise: float = option(0.7, "the same for costs of lifted edges", least=0)

    def check_together(self) -> None:
        """Complain about an empty range of sizes."""
        check_order(min_nodes=self.min_nodes, max_nodes=self.max_nodes)


def draw_lifted_planted(rng: np.random.Generator, options: LiftedPlantedOptions) -> GeneratedGraph:
    """Make some random pairs edges and others lifted edges: +1 within a cluster, else -1."""
    num_nodes = draw_size(rng, options.min_nodes, options.max_nodes)
    clusters = (rng.random(num_nodes) * options.num_clusters).astype(np.int64)
    pairs = all_pairs(num_nodes)
    places = rng.random(len(pairs)) * (num_nodes - 1)
    edges = pairs[places < options.mean_degree]
    most = options.mean_degree + options.lifted_degree
    lifted = pairs[(places >= options.mean_degree) & (places < most)]
    return GeneratedGraph(
        num_nodes,
        edges,
        noisy_costs(rng, clusters, edges, options.noise),
        None,
        lifted,
        noisy_costs(rng, clusters, lifted, options.lifted_noise),
    )


RECORD = GeneratorRecord(
    name="lifted-planted",
    description="a hidden partition: random pairs are edges, others lifted edges, noisily",
    draw=draw_lifted_planted,
    options=LiftedPlantedOptions,
    is_lifted=True,
)
