"""Contraction on the device: joined nodes become one, costs of parallel edges add up."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from multicut.nn.batch import GraphBatch
from multicut.nn.rounding import connected_components


@dataclass(frozen=True, eq=False)
class Contraction:
    """Smaller graphs, and where the nodes and edges of the larger ones went.

    Attributes
    ----------
    batch
        The smaller graphs.
    node_of_input
        Shape (num_nodes,): the new node that each node became a part of.
    edge_of_input
        Shape (num_edges,): the new edge that each edge became a part of, or -1 within a node.
    """

    batch: GraphBatch
    node_of_input: Tensor
    edge_of_input: Tensor


def contract(batch: GraphBatch, join: Tensor) -> Contraction:
    """Contract the edges of a batch that are marked.

    Where the optimal cut is known it stays so if only edges were joined that it does not cut.

    Parameters
    ----------
    batch
        The graphs.
    join
        Shape (num_edges,), bool: the edges to contract.
    """
    return contract_to(batch, connected_components(batch.edges, ~join, batch.num_nodes))


def contract_to(batch: GraphBatch, hosts: Tensor) -> Contraction:
    """Make one node of all nodes with the same host, shape (num_nodes,); hosts host themselves."""
    is_root = hosts == torch.arange(batch.num_nodes, device=batch.device)
    number = torch.cumsum(is_root, 0)
    node_of_input = number[hosts] - 1
    node_offsets = torch.cat([number.new_zeros(1), number])[batch.node_offsets]
    num_nodes = int(node_offsets[-1])

    ends = node_of_input[batch.edges]
    low, high = ends.amin(0), ends.amax(0)
    between = torch.nonzero(low != high).squeeze(1)
    keys, order = torch.sort(low[between] * num_nodes + high[between])
    is_first, number = numbered_runs(keys)
    source = between[order]
    edge_of_input = torch.full_like(low, -1)
    edge_of_input[source] = number
    keys = keys[is_first]
    edges = torch.stack([keys // max(num_nodes, 1), keys % max(num_nodes, 1)])
    # In double precision the order of summands, which varies on a GPU, is lost in rounding.
    exact = batch.costs[source].double()
    costs = exact.new_zeros(len(keys)).index_add(0, number, exact).to(batch.costs.dtype)
    cut = None
    if batch.cut is not None:
        cut = batch.cut.new_zeros(len(keys))
        cut[number] = batch.cut[source]
    smaller = GraphBatch(
        edges=edges,
        costs=costs,
        num_nodes=num_nodes,
        node_offsets=node_offsets,
        edge_offsets=torch.searchsorted(edges[0].contiguous(), node_offsets),
        cut=cut,
    )
    return Contraction(smaller, node_of_input, edge_of_input)


def numbered_runs(keys: Tensor) -> tuple[Tensor, Tensor]:
    """Return where runs of equal keys begin, and the number of the run that each key is in."""
    is_first = torch.ones_like(keys, dtype=torch.bool)
    is_first[1:] = keys[1:] != keys[:-1]
    return is_first, torch.cumsum(is_first, 0) - 1
