"""Signed Barabási–Albert graphs: new nodes prefer nodes that have many links."""

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
class BarabasiAlbertOptions(Options):
    """Options of Barabási–Albert graphs."""

    min_nodes: int = option(40, "fewest nodes", least=1, most=_MOST_NODES)
    max_nodes: int = option(80, "most nodes", least=1, most=_MOST_NODES)
    links: int = option(3, "links of a new node; those to the same node are one", least=1, most=99)
    distribution: str = distribution_option()
    attractive_share: float = attractive_option()

    def check_together(self) -> None:
        """Complain about an empty range of sizes."""
        check_order(min_nodes=self.min_nodes, max_nodes=self.max_nodes)


def draw_barabasi_albert(
    rng: np.random.Generator, options: BarabasiAlbertOptions
) -> GeneratedGraph:
    """Grow the graph by the method of Batagelj and Brandes, all links at once.

    All ends of links form a list: at 0 node 0, at 2i+1 the node that link i starts from, at 2i+2
    the node it leads to. Link i leads to whatever is at a random place before 2i+1, so that a node
    is hit in proportion to its links. The first link of a node leads to an older one: the graph is
    connected.
    """
    num_nodes = draw_size(rng, options.min_nodes, options.max_nodes)
    links = np.arange(options.links * (num_nodes - 1))
    starts = 1 + links // options.links
    places = (rng.random(len(links)) * (2 * links + 1)).astype(np.int64)
    # What lies at an even place is in turn whatever is at the place its link points to.
    found = places.copy()
    while (unresolved := (found % 2 == 0) & (found > 0)).any():
        found[unresolved] = places[found[unresolved] // 2 - 1]
    targets = np.where(found == 0, 0, starts[np.maximum(found - 1, 0) // 2])
    edges = distinct_edges(starts, targets, num_nodes)
    costs = draw_costs(rng, len(edges), options.distribution, options.attractive_share)
    return GeneratedGraph(num_nodes, edges, costs)


RECORD = GeneratorRecord(
    name="barabasi-albert",
    description="signed Barabási-Albert graphs: new nodes prefer nodes with many links",
    draw=draw_barabasi_albert,
    options=BarabasiAlbertOptions,
)
