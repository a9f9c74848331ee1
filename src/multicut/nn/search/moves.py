"""Local search on a device: nodes that gain by moving to another cluster, many at a time."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from multicut.nn.batch import GraphBatch
from multicut.nn.search.contraction import numbered_runs
from multicut.nn.search.contraction_rounds import ordered_keys

# What a move must gain, in units of about the graph's largest |cost|: less may be rounding, and
# would never end.
_LEAST_GAIN = 1e-6


def improve_by_moves(
    batch: GraphBatch,
    labels: Tensor,
    *,
    max_rounds: int = 20,
    after_round: Callable[[], object] | None = None,
) -> Tensor:
    """Move single nodes to neighbouring clusters, or out of all, as long as that helps.

    In each round those nodes move that gain more than any of their neighbours would. So no two
    neighbours move at once, each gain is what it was computed to be, and the objective of no graph
    ever gets worse.

    Parameters
    ----------
    batch
        The graphs.
    labels
        Shape (num_nodes,): clusters, none of which has nodes of two graphs.
    max_rounds
        How often nodes may move.
    after_round
        Called after each round; an exception in it ends the search.

    Returns
    -------
    Tensor
        Shape (num_nodes,): 0 … k-1.
    """
    labels = numbered(labels)
    if batch.num_edges == 0:
        return labels
    num_labels = int(labels.max()) + 1
    ends = torch.cat([batch.edges, batch.edges.flip(0)], dim=1)
    costs = batch.costs.detach().double() / batch.cost_units[batch.graph_of_edge()]
    costs = costs.repeat(2)
    is_open = _may_gain(ends, costs, labels)
    for _ in range(max_rounds):
        # Only nodes next to one that has moved, or that had to wait, can have something to gain.
        near = torch.nonzero(is_open[ends[0]]).squeeze(1)
        gains, targets = _best_moves(ends[:, near], costs[near], labels, num_labels)
        keys = ordered_keys(torch.where(gains > _LEAST_GAIN, gains, 0.0).float())
        largest = keys.new_zeros(batch.num_nodes)
        largest.scatter_reduce_(0, batch.edges[0], keys[batch.edges[1]], "amax")
        largest.scatter_reduce_(0, batch.edges[1], keys[batch.edges[0]], "amax")
        moving = torch.nonzero(keys > largest).squeeze(1)
        if len(moving) == 0:
            break
        # Those that are best off alone get new labels; gaps do not matter before the end.
        target = targets[moving]
        alone = target < 0
        target = torch.where(alone, num_labels + torch.cumsum(alone, 0) - 1, target)
        labels = labels.index_copy(0, moving, target)
        num_labels += len(moving)
        is_open = keys > 0
        is_open[moving] = False
        has_moved = torch.zeros_like(is_open)
        has_moved[moving] = True
        is_open[ends[0][has_moved[ends[1]]]] = True
        if after_round is not None:
            after_round()
    return numbered(labels)


def _may_gain(ends: Tensor, costs: Tensor, labels: Tensor) -> Tensor:
    """Return which nodes may gain by a move: most do not, and need not be looked at closely.

    A node stays where it is attracted at least as much as by all others together.
    """
    is_inside = labels[ends[0]] == labels[ends[1]]
    # Positive where those beside attract more. Rounding does not matter: such moves gain nothing.
    balance = torch.where(is_inside, -costs, costs.clamp(min=0))
    sums = costs.new_zeros(2, len(labels))
    sums[0].index_add_(0, ends[0], balance)
    sums[1].index_add_(0, ends[0], torch.where(is_inside, costs, 0.0))
    return (sums[0] > 0) | (sums[1] < 0)


def numbered(labels: Tensor) -> Tensor:
    """Return the same clusters as 0 … k-1, in the order of their labels."""
    numbers: Tensor = torch.unique(labels, return_inverse=True)[1]
    return numbers


def _best_moves(
    ends: Tensor, costs: Tensor, labels: Tensor, num_labels: int
) -> tuple[Tensor, Tensor]:
    """Return what each node gains at best, and by moving to which cluster; -1 is to be alone.

    `ends` holds directed edges, of some nodes all that leave them; the others gain nothing.
    """
    num_nodes = len(labels)
    # The cost between a node and each cluster around it: edges sorted by node and cluster.
    keys, order = torch.sort(ends[0] * num_labels + labels[ends[1]])
    is_first, number = numbered_runs(keys)
    keys = keys[is_first]
    to_cluster = costs.new_zeros(len(keys)).index_add(0, number, costs[order])
    nodes, clusters = keys // num_labels, keys % num_labels
    is_own = clusters == labels[nodes]
    staying = costs.new_zeros(num_nodes)
    staying[nodes[is_own]] = to_cluster[is_own]
    nodes, clusters, to_cluster = nodes[~is_own], clusters[~is_own], to_cluster[~is_own]
    best = costs.new_zeros(num_nodes).scatter_reduce(0, nodes, to_cluster, "amax")
    is_best = (to_cluster == best[nodes]) & (to_cluster > 0)
    targets = torch.full_like(labels, -1)
    targets.scatter_reduce_(0, nodes[is_best], clusters[is_best], "amax")
    has_edges = torch.zeros(num_nodes, dtype=torch.bool, device=labels.device)
    has_edges[ends[0]] = True
    return torch.where(has_edges, best - staying, 0.0), targets
