"""From the states of two nodes to whether the edge between them is cut."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional

from multicut.nn.adjacency import Adjacency
from multicut.nn.symmetric_matrix import has_triton


class EdgeClassifier(nn.Module):
    r"""An MLP over :math:`[h_u; h_v]`, and over :math:`[h_v; h_u]`; the two logits are averaged.

    .. math::
        \operatorname{logit} \hat y_{uv} = \tfrac12 \big(f([h_u; h_v; e_{uv}])
        + f([h_v; h_u; e_{vu}])\big)

    The first layer is a sum of a product per node in either role and, where edges have states, one
    per directed edge. So it costs as much as there are nodes, not edges, and the pairs of states
    are never stored.

    Parameters
    ----------
    node_width, edge_width
        Channels of the states of nodes and of directed edges; `edge_width` may be 0.
    hidden_width, hidden_layers
        The shape of the MLP; without hidden layers it is a logistic regression.
    """

    def __init__(
        self, node_width: int, edge_width: int, hidden_width: int, hidden_layers: int
    ) -> None:
        super().__init__()
        self.node_width = node_width
        self.edge_width = edge_width
        widths = [2 * node_width + edge_width, *[hidden_width] * hidden_layers, 1]
        self.layers = nn.ModuleList(nn.Linear(before, after) for before, after in pairwise(widths))

    def forward(
        self,
        nodes: Tensor,
        edge_states: Tensor | None,
        edges: Tensor,
        chunk: int | None = None,
        after_chunk: Callable[[], object] | None = None,
        adjacency: Adjacency | None = None,
    ) -> Tensor:
        """Classify edges.

        Parameters
        ----------
        nodes
            Shape (num_nodes, node_width).
        edge_states
            Shape (2 · num_edges, edge_width): those of edges u to v, then of v to u.
        edges
            Shape (2, num_edges).
        chunk
            So many edges at a time; by default all.
        after_chunk
            Called after each of these; an exception in it ends the pass.
        adjacency
            The compressed rows of these edges; with them gradients are faster on a GPU.

        Returns
        -------
        Tensor
            Shape (num_edges,): logits.
        """
        first: nn.Linear = self.layers[0]  # type: ignore[assignment]
        sizes = [self.node_width, self.node_width, self.edge_width]
        parts = torch.split(first.weight, sizes, dim=1)
        as_first = functional.linear(nodes, parts[0], first.bias)
        as_second = functional.linear(nodes, parts[1])
        num_edges = edges.shape[1]
        step = num_edges if chunk is None else chunk
        logits = []
        for begin in range(0, num_edges, max(step, 1)):
            end = min(begin + step, num_edges)
            added = None
            if edge_states is not None:
                there = edge_states[begin:end]
                back = edge_states[num_edges + begin : num_edges + end]
                added = functional.linear(torch.cat([there, back]), parts[2])
            rows = adjacency if end - begin == num_edges else None
            part = edges[:, begin:end]
            logits.append(self._upper_layers(as_first, as_second, added, part, rows))
            if after_chunk is not None:
                after_chunk()
        # Without edges, an empty part of what gradients are recorded for.
        return torch.cat(logits) if logits else as_first[:0, 0]

    def _upper_layers(
        self,
        as_first: Tensor,
        as_second: Tensor,
        added: Tensor | None,
        edges: Tensor,
        adjacency: Adjacency | None,
    ) -> Tensor:
        if len(self.layers) == 1:
            directed = pair_sums(as_first, as_second, added, edges)
        else:
            states = _clipped_pair_sums(as_first, as_second, added, edges, adjacency)
            for layer in self.layers[1:-1]:
                states = layer(states).relu_()
            directed = self.layers[-1](states)
        there, back = directed[:, 0].chunk(2)
        return (there + back) / 2


def pair_sums(as_first: Tensor, as_second: Tensor, added: Tensor | None, edges: Tensor) -> Tensor:
    """Return the first layer's result for edges u to v, then for edges v to u."""
    sums = as_first.index_select(0, edges.flatten()) + as_second.index_select(
        0, edges.flip(0).flatten()
    )
    return sums if added is None else sums + added


def _clipped_pair_sums(
    as_first: Tensor,
    as_second: Tensor,
    added: Tensor | None,
    edges: Tensor,
    adjacency: Adjacency | None,
) -> Tensor:
    can_fuse = added is None and as_first.is_cuda and as_first.dtype != torch.float64
    if can_fuse and has_triton():
        if adjacency is not None and torch.is_grad_enabled():
            sums: Tensor = _ClippedPairSums.apply(as_first, as_second, edges, adjacency)  # type: ignore[no-untyped-call]
            return sums
        if not torch.is_grad_enabled():
            from multicut.nn.kernels.pairs import add_pairs

            return add_pairs(as_first, as_second, edges)
    return pair_sums(as_first, as_second, added, edges).relu_()


class _ClippedPairSums(torch.autograd.Function):
    """The kernels of both ways, for all edges of a batch at once."""

    @staticmethod
    def forward(
        ctx: Any, as_first: Tensor, as_second: Tensor, edges: Tensor, adjacency: Adjacency
    ) -> Tensor:
        from multicut.nn.kernels.pairs import add_pairs

        sums = add_pairs(as_first, as_second, edges)
        ctx.adjacency = adjacency
        ctx.save_for_backward(edges, sums)
        return sums

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None, None]:
        from multicut.nn.kernels.pairs import sum_pair_gradients

        edges, sums = ctx.saved_tensors
        rows = ctx.adjacency
        of_first, of_second = sum_pair_gradients(
            rows.row_pointers, rows.edge_of_entry, edges, sums, gradient
        )
        return of_first, of_second, None, None
