"""Signed Erdős–Rényi graphs: every pair is linked with the same probability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multicut._options import Options, check_order, option
from multicut.datasets.generators.costs import (
    attractive_option,
    distribution_option,
    draw_costs,
    draw_size,
)
from multicut.datasets.generators.graph import GeneratedGraph, all_pairs
from multicut.datasets.generators.record import GeneratorRecord

_MOST_NODES = 20_000


@dataclass(frozen=True)
class ErdosRenyiOptions(Options):
    """Options of Erdős–Rényi graphs."""

    min_nodes: int = option(40, "fewest nodes", least=1, most=_MOST_NODES)
    max_nodes: int = option(80, "most nodes", least=1, most=_MOST_NODES)
    mean_degree: float = option(6.0, "mean number of edges at a node", least=0)
    distribution: str = distribution_option()
    attractive_share: float = attractive_option()

    def check_together(self) -> None:
        """Complain about an empty range of sizes."""
        check_order(min_nodes=self.min_nodes, max_nodes=self.max_nodes)


def draw_erdos_renyi(rng: np.random.Generator, options: ErdosRenyiOptions) -> GeneratedGraph:
    """Link each pair of n nodes with probability mean_degree / (n - 1)."""
    num_nodes = draw_size(rng, options.min_nodes, options.max_nodes)
    pairs = all_pairs(num_nodes)
    edges = pairs[rng.random(len(pairs)) * (num_nodes - 1) < options.mean_degree]
    costs = draw_costs(rng, len(edges), options.distribution, options.attractive_share)
    return GeneratedGraph(num_nodes, edges, costs)


RECORD = GeneratorRecord(
    name="erdos-renyi",
    description="signed Erdős-Rényi graphs: every pair is linked with the same probability",
    draw=draw_erdos_renyi,
    options=ErdosRenyiOptions,
)
