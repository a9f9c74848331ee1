"""Signed Watts–Strogatz graphs: a ring with shortcuts."""

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
from multicut.datasets.generators.graph import GeneratedGraph, distinct_edges
from multicut.datasets.generators.record import GeneratorRecord

_MOST_NODES = 10_000_000


@dataclass(frozen=True)
class WattsStrogatzOptions(Options):
    """Options of Watts–Strogatz graphs."""

    min_nodes: int = option(40, "fewest nodes", least=1, most=_MOST_NODES)
    max_nodes: int = option(80, "most nodes", least=1, most=_MOST_NODES)
    reach: int = option(3, "links of a node to those that follow it on the ring", least=1, most=99)
    rewired: float = option(0.2, "probability that a link leads anywhere instead", least=0, most=1)
    distribution: str = distribution_option()
    attractive_share: float = attractive_option()

    def check_together(self) -> None:
        """Complain about an empty range of sizes."""
        check_order(min_nodes=self.min_nodes, max_nodes=self.max_nodes)


def draw_watts_strogatz(rng: np.random.Generator, options: WattsStrogatzOptions) -> GeneratedGraph:
    """Link each node of a ring to the next few, then lead some links elsewhere."""
    num_nodes = draw_size(rng, options.min_nodes, options.max_nodes)
    starts = np.repeat(np.arange(num_nodes), options.reach)
    steps = np.tile(np.arange(1, options.reach + 1), num_nodes)
    anywhere = (rng.random(len(starts)) * num_nodes).astype(np.int64)
    is_rewired = rng.random(len(starts)) < options.rewired
    targets = np.where(is_rewired, anywhere, (starts + steps) % num_nodes)
    edges = distinct_edges(starts, targets, num_nodes)
    costs = draw_costs(rng, len(edges), options.distribution, options.attractive_share)
    angles = 2 * np.pi * np.arange(num_nodes) / num_nodes
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return GeneratedGraph(num_nodes, edges, costs, circle)


RECORD = GeneratorRecord(
    name="watts-strogatz",
    description="signed Watts-Strogatz graphs: a ring with shortcuts",
    draw=draw_watts_strogatz,
    options=WattsStrogatzOptions,
)
