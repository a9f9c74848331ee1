"""Groups of nodes in which greedy contraction goes its own way, down to some cost, on a device."""

from __future__ import annotations

import torch
from torch import Tensor

from multicut.nn.rounding import component_numbers, connected_components
from multicut.nn.search.contraction import numbered_runs

# Of a sum of costs, what rounding may make of it, and more.
_ROUNDING = 1e-9


def independent_groups(edges: Tensor, costs: Tensor, num_nodes: int, threshold: float) -> Tensor:
    """Return groups of nodes, no two of which attract each other by `threshold` or more.

    Attractive costs between two groups count together, and repulsive ones do not count. So no edge
    between them can ever cost as much, whatever is contracted within them. Groups begin as
    components of costly edges; those that attract each other become one, until there are none.

    Parameters
    ----------
    edges
        Shape (2, num_edges), int64: each undirected edge once.
    costs
        Shape (num_edges,), float64, finite.
    num_nodes
        The number of nodes.
    threshold
        More than zero.

    Returns
    -------
    Tensor
        Shape (num_nodes,), int64: groups 0 … k-1.
    """
    least = threshold * (1 - _ROUNDING)
    attractive = torch.nonzero(costs > 0).squeeze(1)
    edges, sums = edges[:, attractive], costs[attractive]
    groups = torch.arange(num_nodes, device=edges.device)
    while True:
        strong = torch.nonzero(sums >= least).squeeze(1)
        if len(strong) == 0:
            return groups
        nothing = torch.zeros_like(strong, dtype=torch.bool)
        joined = component_numbers(connected_components(edges[:, strong], nothing, num_nodes))
        groups = joined[groups]
        num_nodes = int(joined.max()) + 1
        edges, sums = _between(joined[edges], sums, num_nodes)


def _between(edges: Tensor, values: Tensor, num_nodes: int) -> tuple[Tensor, Tensor]:
    """Return the edges between different nodes, each once, and sums of their values."""
    low, high = edges.amin(0), edges.amax(0)
    outside = torch.nonzero(low != high).squeeze(1)
    keys, order = torch.sort(low[outside] * num_nodes + high[outside])
    is_first, number = numbered_runs(keys)
    keys = keys[is_first]
    sums = values.new_zeros(len(keys)).index_add(0, number, values[outside[order]])
    return torch.stack([keys // num_nodes, keys % num_nodes]), sums


def contracted(
    edges: Tensor, costs: Tensor, labels: Tensor, num_clusters: int
) -> tuple[Tensor, Tensor]:
    """Return the edges between clusters, each once, and what they cost together.

    Parameters
    ----------
    edges, costs
        Of the graph, as :func:`independent_groups` takes them.
    labels
        Shape (num_nodes,): clusters 0 … num_clusters - 1.
    num_clusters
        The number of clusters.
    """
    return _between(labels[edges], costs, num_clusters)
