"""Unweighted cluster editing: complete graphs with costs +1 and -1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multicut._options import Options, check_order, option
from multicut.datasets.generators.costs import draw_size
from multicut.datasets.generators.graph import GeneratedGraph, all_pairs
from multicut.datasets.generators.record import GeneratorRecord

_MOST_NODES = 10_000


@dataclass(frozen=True)
class ClusterEditingOptions(Options):
    """Options of cluster editing."""

    min_nodes: int = option(15, "fewest nodes", least=1, most=_MOST_NODES)
    max_nodes: int = option(40, "most nodes", least=1, most=_MOST_NODES)
    num_clusters: int = option(5, "clusters before pairs are flipped", least=1)
    flipped: float = option(0.15, "probability that a pair is flipped", least=0, most=1)

    def check_together(self) -> None:
        """Complain about an empty range of sizes."""
        check_order(min_nodes=self.min_nodes, max_nodes=self.max_nodes)


def draw_cluster_editing(
    rng: np.random.Generator, options: ClusterEditingOptions
) -> GeneratedGraph:
    """Link the nodes of each cluster and no others, flip some pairs; links +1, missing ones -1.

    The number of edits that make clusters again is the minimal objective plus the number of pairs
    of cost -1.
    """
    num_nodes = draw_size(rng, options.min_nodes, options.max_nodes)
    clusters = (rng.random(num_nodes) * options.num_clusters).astype(np.int64)
    edges = all_pairs(num_nodes)
    linked = clusters[edges[:, 0]] == clusters[edges[:, 1]]
    linked ^= rng.random(len(edges)) < options.flipped
    return GeneratedGraph(num_nodes, edges, np.where(linked, 1.0, -1.0))


RECORD = GeneratorRecord(
    name="cluster-editing",
    description="unweighted cluster editing: complete graphs with costs +1 and -1",
    draw=draw_cluster_editing,
    options=ClusterEditingOptions,
)
