"""The graph convolution of Kipf and Welling, which knows no costs."""

from __future__ import annotations

from torch import Tensor

from multicut.nn.batch import GraphBatch
from multicut.nn.convolutions.base import Convolution, Dense, Links, ends, unweighted
from multicut.nn.features import sum_at_nodes


class GCNConvolution(Convolution):
    r"""The vanilla graph convolution, Eq. 5 of the paper.

    .. math::
        h_u' = g_\theta\Big(h_u + \sum_{v \in N(u)} \frac{h_v}{\sqrt{\deg(u) \deg(v)}}\Big)

    where :math:`\deg(u) = 1 + |N(u)|` counts neighbours and a self-loop, and :math:`g_\theta` is a
    linear map, batch normalisation and ReLU. With degrees summed from signed costs instead, the
    square root need not exist; that is why the paper calls this network not applicable.
    """

    def __init__(self, in_width: int, out_width: int, *, batch_norm: bool) -> None:
        super().__init__(in_width, out_width, batch_norm=batch_norm)
        self.dense = Dense(in_width, out_width, batch_norm=batch_norm)

    @staticmethod
    def links(batch: GraphBatch, features: Tensor, *, fused: bool) -> Links:
        r"""Return :math:`(\deg(u) \deg(v))^{-1/2}`."""
        del features
        first, second = ends(batch, 1 + sum_at_nodes(batch, unweighted(batch))[:, 0])
        return Links(batch, ((first * second).rsqrt(),), fused=fused)

    def forward(
        self, nodes: Tensor, edges: Tensor | None, links: Links
    ) -> tuple[Tensor, Tensor | None]:
        """Update the states of nodes."""
        sums = self.plus_neighbour_sum(nodes, links)
        updated: Tensor = self.dense(sums, links.node_rows)
        return updated, edges
