"""The signed graph convolution of Derr et al., which knows the signs of costs alone."""

from __future__ import annotations

import torch
from torch import Tensor

from multicut.nn.batch import GraphBatch
from multicut.nn.convolutions.base import Convolution, Dense, Encoder, Links
from multicut.nn.features import NUM_NODE_FEATURES, inverse, sum_at_nodes


class BalancedAndUnbalanced(Encoder):
    """Both halves of a node's state begin with its features."""

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.out_width = 2 * NUM_NODE_FEATURES

    def forward(self, features: Tensor, costs: Tensor) -> tuple[Tensor, Tensor | None]:
        """Repeat the features."""
        del costs
        return torch.cat([features, features], dim=1), None


class SGCNConvolution(Convolution):
    r"""The vanilla signed graph convolution.

    A state has two halves: :math:`h^B` for balanced, :math:`h^U` for unbalanced paths. Along an
    edge that attracts they keep their roles, along one that repels they change them.

    .. math::
        h_u^{B\prime} = g^B_\theta\Big(h_u^B
        + \sum_{v \in N^+(u)} \frac{h_v^B}{|N^+(u)|}
        + \sum_{v \in N^-(u)} \frac{h_v^U}{|N^-(u)|}\Big), \qquad
        h_u^{U\prime} = g^U_\theta\Big(h_u^U
        + \sum_{v \in N^+(u)} \frac{h_v^U}{|N^+(u)|}
        + \sum_{v \in N^-(u)} \frac{h_v^B}{|N^-(u)|}\Big)
    """

    encoder = BalancedAndUnbalanced
    width_multiple = 2

    def __init__(self, in_width: int, out_width: int, *, batch_norm: bool) -> None:
        super().__init__(in_width, out_width, batch_norm=batch_norm)
        self.balanced = Dense(in_width // 2, out_width // 2, batch_norm=batch_norm)
        self.unbalanced = Dense(in_width // 2, out_width // 2, batch_norm=batch_norm)

    @staticmethod
    def links(batch: GraphBatch, features: Tensor, *, fused: bool) -> Links:
        """Return the indicators of attraction and repulsion, and one over their numbers."""
        del features
        signs = ((batch.costs > 0).to(batch.costs), (batch.costs < 0).to(batch.costs))
        return Links(batch, signs, node_scales=inverse_counts(batch), fused=fused)

    def forward(
        self, nodes: Tensor, edges: Tensor | None, links: Links
    ) -> tuple[Tensor, Tensor | None]:
        """Update the states of nodes."""
        attracted = self.neighbour_sum(nodes, links, 0) * links.node_scales[0].to(nodes.dtype)
        repelled = self.neighbour_sum(nodes, links, 1) * links.node_scales[1].to(nodes.dtype)
        half = self.in_width // 2
        states = nodes + attracted + repelled.roll(half, dims=1)
        balanced = self.balanced(states[:, :half], links.node_rows)
        unbalanced = self.unbalanced(states[:, half:], links.node_rows)
        return torch.cat([balanced, unbalanced], dim=1), edges


def inverse_counts(batch: GraphBatch) -> tuple[Tensor, Tensor]:
    """Return one over the number of attractive and of repulsive edges of each node."""
    attractive, repulsive = (batch.costs > 0).to(batch.costs), (batch.costs < 0).to(batch.costs)
    return inverse(sum_at_nodes(batch, attractive)), inverse(sum_at_nodes(batch, repulsive))
