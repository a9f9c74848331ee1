"""What all convolutions share: the edges that messages go along, and the dense update."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.nn import MessagePassing

from multicut.nn.batch import GraphBatch
from multicut.nn.features import NUM_NODE_FEATURES
from multicut.nn.padded_norm import padded_norm_relu
from multicut.nn.padding import RealRows
from multicut.nn.symmetric_matrix import SymmetricMatrix


class Links:
    """The edges of a batch with the coefficients of messages, shared by all layers.

    Parameters
    ----------
    batch
        The graphs.
    coefficients
        Each of shape (num_edges,): by what messages along an edge are multiplied.
    node_scales
        Each of shape (num_nodes, 1): by what sums of messages at a node are multiplied.
    fused
        Whether sums of messages are taken by sparse products, without storing messages.
    """

    def __init__(
        self,
        batch: GraphBatch,
        coefficients: tuple[Tensor, ...],
        *,
        node_scales: tuple[Tensor, ...] = (),
        fused: bool,
    ) -> None:
        self.batch = batch
        self.coefficients = coefficients
        self.node_scales = node_scales
        self.fused = fused

    @property
    def node_rows(self) -> RealRows | None:
        """Which nodes are real; None if all are."""
        padding = self.batch.padding
        return None if padding is None else padding.nodes

    @property
    def directed_edge_rows(self) -> RealRows | None:
        """Which directed edges are real; None if all are."""
        padding = self.batch.padding
        return None if padding is None else padding.directed_edges

    @property
    def edge_index(self) -> Tensor:
        """Shape (2, 2 · num_edges): both directions, as PyG has them."""
        return self.batch.directed_edges

    @cached_property
    def directed_coefficients(self) -> tuple[Tensor, ...]:
        """The coefficients of both directions, each of shape (2 · num_edges, 1)."""
        return tuple(torch.cat([c, c])[:, None] for c in self.coefficients)

    @cached_property
    def matrices(self) -> tuple[SymmetricMatrix, ...]:
        """The coefficients as symmetric matrices."""
        adjacency, edges = self.batch.adjacency, self.batch.edges
        return tuple(SymmetricMatrix(adjacency, edges, c) for c in self.coefficients)


class Encoder(nn.Module):
    """What the first convolution gets: by default the features of nodes, and no edge states."""

    def __init__(self, width: int) -> None:  # noqa: ARG002 - those of subclasses have weights
        super().__init__()
        self.out_width = NUM_NODE_FEATURES

    def forward(self, features: Tensor, costs: Tensor) -> tuple[Tensor, Tensor | None]:  # noqa: ARG002
        """Turn node features and costs into states of nodes and of directed edges."""
        return features, None


class Convolution(MessagePassing):  # type: ignore[misc]
    """One step of message passing, activation included.

    Parameters
    ----------
    in_width, out_width
        Channels of the node states that come in and go out.
    batch_norm
        Whether states are normalised over the batch before the activation.
    """

    encoder: ClassVar[type[Encoder]] = Encoder
    has_edge_states: ClassVar[bool] = False
    has_fused_path: ClassVar[bool] = True
    width_multiple: ClassVar[int] = 1

    def __init__(self, in_width: int, out_width: int, *, batch_norm: bool) -> None:
        super().__init__(aggr="add")
        self.in_width = in_width
        self.out_width = out_width
        self.batch_norm = batch_norm

    @staticmethod
    def links(batch: GraphBatch, features: Tensor, *, fused: bool) -> Links:
        """Compute the coefficients of messages, once for all layers."""
        raise NotImplementedError

    def forward(
        self, nodes: Tensor, edges: Tensor | None, links: Links
    ) -> tuple[Tensor, Tensor | None]:
        """Update the states of nodes and, where there are such, of directed edges."""
        raise NotImplementedError

    def neighbour_sum(self, nodes: Tensor, links: Links, which: int = 0) -> Tensor:
        """Sum the neighbours' states times the coefficients of the edges to them."""
        if links.fused:
            return links.matrices[which].multiply(nodes)
        return self._propagate(nodes, links, which)

    def plus_neighbour_sum(self, nodes: Tensor, links: Links) -> Tensor:
        """Add the neighbour sum to a node's own state."""
        if links.fused:
            return links.matrices[0].multiply(nodes, plus_identity=True)
        return nodes + self._propagate(nodes, links, 0)

    def _propagate(self, nodes: Tensor, links: Links, which: int) -> Tensor:
        coefficient = links.directed_coefficients[which].to(nodes.dtype)
        total: Tensor = self.propagate(links.edge_index, x=nodes, coefficient=coefficient)
        return total

    def message(self, x_j: Tensor, coefficient: Tensor) -> Tensor:
        """Weight a neighbour's state."""
        return coefficient * x_j

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.in_width}, {self.out_width})"


class Dense(nn.Module):
    """A linear map, batch normalisation where asked for, and ReLU."""

    def __init__(self, in_width: int, out_width: int, *, batch_norm: bool) -> None:
        super().__init__()
        self.linear = nn.Linear(in_width, out_width)
        self.norm = nn.BatchNorm1d(out_width) if batch_norm else None

    def forward(self, states: Tensor, rows: RealRows | None = None) -> Tensor:
        """Map states of shape (n, in_width) to (n, out_width).

        Where not all rows are real, the others must be zero, and are so in the result.
        """
        weight, bias, norm = self.linear.weight, self.linear.bias, self.norm
        if rows is not None:
            if norm is not None and norm.training:
                return padded_norm_relu(functional.linear(states, weight), bias, norm, rows)
            updated: Tensor = self(states) * rows.mask
            return updated
        if norm is None:
            return functional.linear(states, weight, bias).relu_()
        if norm.training or torch.is_grad_enabled():
            normalised: Tensor = norm(functional.linear(states, weight, bias))
            return normalised.relu_()
        # Fixed statistics are part of the linear map, which saves two passes over all states.
        assert norm.running_mean is not None
        assert norm.running_var is not None
        scale = norm.weight * torch.rsqrt(norm.running_var + norm.eps)
        shift = norm.bias + (bias - norm.running_mean) * scale
        return functional.linear(states, weight * scale[:, None], shift).relu_()


def both_directions(values: Tensor) -> Tensor:
    """Repeat one value per edge for its other direction."""
    return torch.cat([values, values])


def unweighted(batch: GraphBatch) -> Tensor:
    """Return the coefficient 1 for each edge."""
    return torch.ones_like(batch.costs)


def ends(batch: GraphBatch, node_values: Tensor) -> tuple[Any, Any]:
    """Return a value per node at the first and at the second node of each edge."""
    return node_values[batch.edges[0]], node_values[batch.edges[1]]
