r"""From probabilities to a partition: the paper's :math:`f_r`, on the device the scores are on."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from multicut.nn.batch import GraphBatch


@dataclass(frozen=True, eq=False)
class Rounding:
    """Partitions of the graphs of a batch.

    Attributes
    ----------
    labels
        Shape (num_nodes,), int64: the part each node is in, within each graph 0 … k-1 in order of
        first appearance.
    cut
        Shape (num_edges,), bool: the edges between different parts.
    num_infeasible
        Shape (num_graphs,), int64: edges that were to be cut although a path of uncut edges joins
        their ends, and have been reinstated.
    """

    labels: Tensor
    cut: Tensor
    num_infeasible: Tensor


def round_scores(batch: GraphBatch, probabilities: Tensor, threshold: float = 0.5) -> Rounding:
    """Cut edges of at least `threshold`, join what stays connected, reinstate edges inside.

    Parameters
    ----------
    batch
        The graphs.
    probabilities
        Shape (num_edges,): how likely each edge is cut.
    threshold
        From here on an edge is cut.
    """
    if probabilities.shape != batch.costs.shape:
        raise ValueError(
            f"probabilities must contain one value per edge, shape {tuple(batch.costs.shape)}, got "
            f"{tuple(probabilities.shape)}"
        )
    with torch.no_grad():
        wanted = probabilities >= threshold
        least = connected_components(batch.edges, wanted, batch.num_nodes)
        cut = least[batch.edges[0]] != least[batch.edges[1]]
        num_infeasible = batch.sum_per_graph((wanted & ~cut).to(torch.int64))
        return Rounding(_numbered(batch, least), cut, num_infeasible)


def connected_components(edges: Tensor, cut: Tensor, num_nodes: int) -> Tensor:
    """Return the least node of the component that each node is in, when cut edges are removed.

    Messages are labels: in each round an edge tells the larger of the labels at its ends of the
    smaller one, and then each label is replaced by its own label until chains are short (hooking
    and pointer jumping). Few rounds do, since components at least pair up in each. The host learns
    nothing but whether the rounds are over.

    Parameters
    ----------
    edges
        Shape (2, num_edges).
    cut
        Shape (num_edges,), bool.
    num_nodes
        The number of nodes.
    """
    labels = torch.arange(num_nodes, device=edges.device)
    # A cut edge becomes a loop, which says nothing; so no size depends on the data.
    first, second = edges[0], torch.where(cut, edges[0], edges[1])
    at_first, at_second = first, second
    while True:
        larger, smaller = torch.maximum(at_first, at_second), torch.minimum(at_first, at_second)
        labels.scatter_reduce_(0, larger, smaller, "amin")
        labels = labels[labels]
        labels = labels[labels]
        at_first, at_second = labels[first], labels[second]
        # Labels never grow and stay within a component. Once they agree along all edges they are
        # constant on each component, and its least node is labelled with itself.
        if torch.equal(at_first, at_second):
            return labels


def component_numbers(least: Tensor) -> Tensor:
    """Return components as 0 … k-1, in the order of their least nodes, from the latter."""
    is_first = least == torch.arange(len(least), device=least.device)
    return (torch.cumsum(is_first, 0) - 1)[least]


def _numbered(batch: GraphBatch, least: Tensor) -> Tensor:
    """Give components numbers within each graph, in the order of their least nodes."""
    labels = component_numbers(least)
    # Graphs without nodes may begin past the last node; nobody asks for their first label.
    starts = batch.node_offsets[:-1].clamp(max=max(batch.num_nodes - 1, 0))
    return labels - labels[starts][batch.graph_of_node()] if batch.num_nodes else labels
