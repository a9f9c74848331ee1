"""The graph isomorphism convolution of Xu et al., which knows no costs."""

from __future__ import annotations

from torch import Tensor, nn

from multicut.nn.batch import GraphBatch
from multicut.nn.convolutions.base import Convolution, Dense, Links, unweighted


class GIN0Convolution(Convolution):
    r"""The vanilla GIN-0: :math:`\epsilon = 0`, and :math:`g_\theta` has two layers.

    .. math:: h_u' = g_\theta\Big((1 + \epsilon) h_u + \sum_{v \in N(u)} h_v\Big)
    """

    def __init__(self, in_width: int, out_width: int, *, batch_norm: bool) -> None:
        super().__init__(in_width, out_width, batch_norm=batch_norm)
        self.mlp = nn.Sequential(
            Dense(in_width, out_width, batch_norm=batch_norm),
            Dense(out_width, out_width, batch_norm=batch_norm),
        )

    @staticmethod
    def links(batch: GraphBatch, features: Tensor, *, fused: bool) -> Links:
        """Return 1 for each edge."""
        del features
        return Links(batch, (unweighted(batch),), fused=fused)

    def forward(
        self, nodes: Tensor, edges: Tensor | None, links: Links
    ) -> tuple[Tensor, Tensor | None]:
        """Update the states of nodes."""
        nodes = self.plus_neighbour_sum(nodes, links)
        for dense in self.mlp:
            nodes = dense(nodes, links.node_rows)
        return nodes, edges
