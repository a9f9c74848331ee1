"""The residual gated graph convolution of Bresson and Laurent, with hidden states of edges."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from multicut.nn.batch import GraphBatch
from multicut.nn.convolutions.base import Convolution, Encoder, Links, both_directions
from multicut.nn.features import NUM_NODE_FEATURES
from multicut.nn.padded_norm import norm_relu

# Keeps the share of a gate finite where all gates of a node are shut.
_EPSILON = 1e-6


class NodesAndEdges(Encoder):
    r"""The first states of nodes and of directed edges: linear in features and in costs."""

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.out_width = width
        self.of_nodes = nn.Linear(NUM_NODE_FEATURES, width)
        self.of_edges = nn.Linear(1, width)

    def forward(self, features: Tensor, costs: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return states of shape (num_nodes, width) and (2 · num_edges, width)."""
        return self.of_nodes(features), self.of_edges(both_directions(costs)[:, None])


class RGGCNHEConvolution(Convolution):
    r"""RGGCN_HE: gates come from the hidden state :math:`e_{uv}` of each directed edge.

    .. math::
        h_u' = h_u + \mathrm{ReLU}\Big(A h_u + \sum_{v \in N(u)} \eta_{uv} \odot B h_v\Big), \qquad
        \eta_{uv} = \frac{\sigma(e_{uv})}{\sum_{v' \in N(u)} \sigma(e_{uv'}) + \varepsilon}

    .. math:: e_{uv}' = e_{uv} + \mathrm{ReLU}\big(C e_{uv} + D h_u + E h_v\big)

    with batch normalisation, where asked for, inside both ReLU. :math:`e_{uv}^{(0)}` is linear in
    the cost :math:`w_{uv}`. The edge classifier gets :math:`e_{uv}` beside :math:`h_u` and
    :math:`h_v`. The states of edges must be stored, so there is no fused path.
    """

    encoder = NodesAndEdges
    has_edge_states = True
    has_fused_path = False

    def __init__(self, in_width: int, out_width: int, *, batch_norm: bool) -> None:
        super().__init__(in_width, out_width, batch_norm=batch_norm)
        # A, B, D and E act on the states of nodes: one product computes all four.
        self.of_nodes = nn.Linear(in_width, 4 * out_width)
        self.of_edges = nn.Linear(in_width, out_width, bias=False)
        self.node_norm = nn.BatchNorm1d(out_width) if batch_norm else nn.Identity()
        self.edge_norm = nn.BatchNorm1d(out_width) if batch_norm else nn.Identity()

    @staticmethod
    def links(batch: GraphBatch, features: Tensor, *, fused: bool) -> Links:
        """Messages have no coefficients but their gates."""
        del features
        return Links(batch, (), fused=fused)

    def forward(
        self, nodes: Tensor, edges: Tensor | None, links: Links
    ) -> tuple[Tensor, Tensor | None]:
        """Update the states of nodes and of directed edges."""
        assert edges is not None
        own, neighbours, at_target, at_source = self.of_nodes(nodes).chunk(4, dim=1)
        source, target = links.edge_index
        gates = torch.sigmoid(edges)
        gated = self.propagate(links.edge_index, x=neighbours, coefficient=gates)
        total = torch.zeros_like(gated).index_add(0, target, gates)
        new = norm_relu(own + gated / (total + _EPSILON), self.node_norm, links.node_rows)
        change = self.of_edges(edges) + at_target.index_select(0, target)
        change = change + at_source.index_select(0, source)
        changed = norm_relu(change, self.edge_norm, links.directed_edge_rows)
        return nodes + new, edges + changed
