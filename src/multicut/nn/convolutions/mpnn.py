"""Plain message passing: messages and updates are small networks."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from multicut.nn.batch import GraphBatch
from multicut.nn.convolutions.base import Convolution, Dense, Links
from multicut.nn.features import sum_at_nodes


class MPNNConvolution(Convolution):
    r"""Eq. 4 of the paper as it stands, with learned :math:`f` and :math:`g` and a sum.

    .. math::
        h_u' = g_\theta\Big(h_u, \sum_{v \in N(u)} f_\theta(h_u, h_v, w_{uv})\Big), \qquad
        f_\theta(h_u, h_v, w) = V\, \mathrm{ReLU}\big(W [h_u; h_v; w] + b\big) + c

    The fused path splits :math:`W` into products per node and applies :math:`V` after the sum.
    """

    def __init__(self, in_width: int, out_width: int, *, batch_norm: bool) -> None:
        super().__init__(in_width, out_width, batch_norm=batch_norm)
        self.hidden = nn.Linear(2 * in_width + 1, out_width)
        self.outer = nn.Linear(out_width, out_width)
        self.dense = Dense(in_width + out_width, out_width, batch_norm=batch_norm)

    @staticmethod
    def links(batch: GraphBatch, features: Tensor, *, fused: bool) -> Links:
        """Return the costs, and the number of neighbours."""
        del features
        counts = sum_at_nodes(batch, torch.ones_like(batch.costs))
        return Links(batch, (batch.costs,), node_scales=(counts,), fused=fused)

    def forward(
        self, nodes: Tensor, edges: Tensor | None, links: Links
    ) -> tuple[Tensor, Tensor | None]:
        """Update the states of nodes."""
        messages = self._fused_messages(nodes, links) if links.fused else self._sum(nodes, links)
        rows = links.node_rows
        if rows is not None:
            messages = messages * rows.mask
        updated: Tensor = self.dense(torch.cat([nodes, messages.to(nodes.dtype)], dim=1), rows)
        return updated, edges

    def _sum(self, nodes: Tensor, links: Links) -> Tensor:
        (cost,) = links.directed_coefficients
        total: Tensor = self.propagate(links.edge_index, x=nodes, cost=cost.to(nodes.dtype))
        return total

    def message(self, x_i: Tensor, x_j: Tensor, cost: Tensor) -> Tensor:  # type: ignore[override]
        """Compute :math:`f` for one directed edge."""
        message: Tensor = self.outer(self.hidden(torch.cat([x_i, x_j, cost], dim=1)).relu())
        return message

    def _fused_messages(self, nodes: Tensor, links: Links) -> Tensor:
        (cost,) = links.directed_coefficients
        weight, width = self.hidden.weight, self.in_width
        at_target = functional.linear(nodes, weight[:, :width], self.hidden.bias)
        at_source = functional.linear(nodes, weight[:, width : 2 * width])
        source, target = links.edge_index
        hidden = at_target.index_select(0, target) + at_source.index_select(0, source)
        hidden = (hidden + cost.to(hidden.dtype) * weight[:, -1].to(hidden.dtype)).relu()
        total = torch.zeros_like(at_target).index_add(0, target, hidden)
        (counts,) = links.node_scales
        constant = counts.to(total.dtype) * self.outer.bias.to(total.dtype)
        return functional.linear(total, self.outer.weight) + constant
