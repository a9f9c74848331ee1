"""Batches filled up to a fixed size: which of their nodes and edges are real.

A step that is recorded once and replayed needs tensors whose sizes never change. So batches are
filled up with nodes that have no edge to a real one, and with edges of cost 0 among those. Losses,
batch statistics and gradients are those of the real graphs alone: padding edges weigh nothing, and
no real node or edge gets anything from padding.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class RealRows:
    """Which rows of a tensor are real; all of it lives on the device.

    Attributes
    ----------
    count
        Shape (): how many are real, in the type of costs.
    mask
        Shape (all rows, 1), in the type of costs: 1 for real rows, 0 for others.
    are_first
        Whether no row of padding comes before a real one.
    """

    count: Tensor
    mask: Tensor
    are_first: bool

    # What all layers need of this is computed once.

    @cached_property
    def ceiling(self) -> Tensor:
        """Shape (all rows, 1): what states are cut off at, infinity for real rows, else 0."""
        return torch.where(self.mask > 0, torch.inf, 0.0).to(self.mask.dtype)

    @cached_property
    def floor(self) -> Tensor:
        """Shape (1, 1): zero."""
        return self.mask.new_zeros(1, 1)

    @cached_property
    def all_per_real(self) -> Tensor:
        """Shape (): all rows over real rows."""
        return self.mask.shape[0] / self.count

    @cached_property
    def padding_share(self) -> Tensor:
        """Shape (): rows of padding over all rows."""
        return 1 - self.count / self.mask.shape[0]

    @cached_property
    def without_bias(self) -> Tensor:
        """Shape (): what makes a variance over the real rows unbiased."""
        return self.count / (self.count - 1)


@dataclass(frozen=True, eq=False)
class Padding:
    """What is real in a batch that was filled up; all of it lives on the device.

    Attributes
    ----------
    num_nodes, num_edges
        Shape (): how many are real, in the type of costs; they are the first ones.
    node_mask
        Shape (all nodes, 1), in the type of costs: 1 for real nodes, 0 for others.
    edge_mask
        Shape (all edges,), in the type of costs: 1 for real edges, 0 for others.
    """

    num_nodes: Tensor
    num_edges: Tensor
    node_mask: Tensor
    edge_mask: Tensor

    @classmethod
    def of(
        cls, num_nodes: Tensor, num_edges: Tensor, sizes: tuple[int, int], dtype: torch.dtype
    ) -> Padding:
        """Take numbers of real nodes and edges, on the device, and those of all of them."""
        nodes = torch.arange(sizes[0], device=num_nodes.device) < num_nodes
        edges = torch.arange(sizes[1], device=num_edges.device) < num_edges
        counts = (num_nodes.to(dtype), num_edges.to(dtype))
        return cls(*counts, nodes.to(dtype)[:, None], edges.to(dtype))

    def to(self, device: torch.device | str) -> Padding:
        """Copy to another device."""
        parts = (self.num_nodes, self.num_edges, self.node_mask, self.edge_mask)
        return Padding(*(part.to(device) for part in parts))

    @cached_property
    def nodes(self) -> RealRows:
        """The rows of a tensor with one row per node."""
        return RealRows(self.num_nodes, self.node_mask, are_first=True)

    @cached_property
    def directed_edges(self) -> RealRows:
        """The rows of a tensor with one row per edge, then one per edge in the other direction."""
        mask = torch.cat([self.edge_mask, self.edge_mask])[:, None]
        return RealRows(2 * self.num_edges, mask, are_first=False)
