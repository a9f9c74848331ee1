"""Batches filled up to a fixed size: which of their nodes and edges are real.

A step that is recorded once and replayed needs tensors whose sizes never change. So batches are
filled up with nodes that have no edge to a real one, and with edges of cost 0 among those. Losses,
batch statistics and gradients are those of the real graphs alone: padding edges weigh nothing, and
the states of padding nodes are zero after each layer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Padding:
    """What is real in a batch that was filled up; all of it lives on the device.

    Attributes
    ----------
    num_nodes
        Shape (): how many nodes are real, in the type of costs; they are the first ones.
    nodes
        Shape (all nodes, 1), in the type of costs: 1 for real nodes, 0 for others.
    edges
        Shape (all edges,), in the type of costs: 1 for real edges, 0 for others.
    """

    num_nodes: Tensor
    nodes: Tensor
    edges: Tensor

    @classmethod
    def of(
        cls, num_nodes: Tensor, num_edges: Tensor, sizes: tuple[int, int], dtype: torch.dtype
    ) -> Padding:
        """Take numbers of real nodes and edges, on the device, and those of all of them."""
        nodes = torch.arange(sizes[0], device=num_nodes.device) < num_nodes
        edges = torch.arange(sizes[1], device=num_edges.device) < num_edges
        return cls(num_nodes.to(dtype), nodes.to(dtype)[:, None], edges.to(dtype))

    def to(self, device: torch.device | str) -> Padding:
        """Copy to another device."""
        return Padding(self.num_nodes.to(device), self.nodes.to(device), self.edges.to(device))

    # What all layers need of this is computed once.

    @cached_property
    def ceiling(self) -> Tensor:
        """Shape (all nodes, 1): what states are cut off at, infinity for real nodes, else 0."""
        return torch.where(self.nodes > 0, torch.inf, 0.0).to(self.nodes.dtype)

    @cached_property
    def floor(self) -> Tensor:
        """Shape (1, 1): zero."""
        return self.nodes.new_zeros(1, 1)

    @cached_property
    def all_per_real(self) -> Tensor:
        """Shape (): all nodes over real nodes."""
        return self.nodes.shape[0] / self.num_nodes

    @cached_property
    def padding_share(self) -> Tensor:
        """Shape (): padding nodes over all nodes."""
        return 1 - self.num_nodes / self.nodes.shape[0]

    @cached_property
    def without_bias(self) -> Tensor:
        """Shape (): what makes a variance over the real nodes unbiased."""
        return self.num_nodes / (self.num_nodes - 1)
