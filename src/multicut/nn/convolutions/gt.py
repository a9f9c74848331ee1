"""Attention over neighbours, with costs as features of edges."""

from __future__ import annotations

from torch import Tensor, nn
from torch_geometric.nn import TransformerConv

from multicut.nn.batch import GraphBatch
from multicut.nn.convolutions.base import Convolution, Links
from multicut.nn.padded_norm import norm_relu

_NUM_HEADS = 8


class GTConvolution(Convolution):
    r"""Graph Transformer with edge features: PyG's ``TransformerConv`` of eight heads.

    .. math::
        h_u' = \mathrm{ReLU}\Big(W_1 h_u
        + \sum_{v \in N(u)} \alpha_{uv} (W_2 h_v + W_5 w_{uv})\Big), \qquad
        \alpha_{uv} = \mathrm{softmax}_v\bigg(
        \frac{(W_3 h_u)^\top (W_4 h_v + W_5 w_{uv})}{\sqrt d}\bigg)

    for each head of :math:`d` = width / 8 channels; heads are put side by side, and normalised over
    the batch, where asked for, inside the ReLU. Attention differs from edge to edge and layer to
    layer, so there is no fused path.
    """

    has_fused_path = False
    width_multiple = _NUM_HEADS

    def __init__(self, in_width: int, out_width: int, *, batch_norm: bool) -> None:
        super().__init__(in_width, out_width, batch_norm=batch_norm)
        self.attention = TransformerConv(
            in_width, out_width // _NUM_HEADS, heads=_NUM_HEADS, edge_dim=1
        )
        self.norm = nn.BatchNorm1d(out_width) if batch_norm else nn.Identity()

    @staticmethod
    def links(batch: GraphBatch, features: Tensor, *, fused: bool) -> Links:
        """Return the costs."""
        del features
        return Links(batch, (batch.costs,), fused=fused)

    def forward(
        self, nodes: Tensor, edges: Tensor | None, links: Links
    ) -> tuple[Tensor, Tensor | None]:
        """Update the states of nodes."""
        (costs,) = links.directed_coefficients
        attended = self.attention(nodes, links.edge_index, costs.to(nodes.dtype))
        return norm_relu(attended, self.norm, links.node_rows), edges
