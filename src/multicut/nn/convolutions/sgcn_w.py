"""The signed graph convolution, weighted by costs."""

from __future__ import annotations

from torch import Tensor

from multicut.nn.batch import GraphBatch
from multicut.nn.convolutions.base import Links
from multicut.nn.convolutions.sgcn import SGCNConvolution, inverse_counts


class SGCNWConvolution(SGCNConvolution):
    r"""SGCN_W of the paper's appendix, called Signed_W in its tables.

    .. math::
        h_u^{B\prime} = g^B_\theta\Big(h_u^B
        + \sum_{v \in N^+(u)} \frac{w_{uv} h_v^B}{|N^+(u)|}
        + \sum_{v \in N^-(u)} \frac{w_{uv} h_v^U}{|N^-(u)|}\Big), \qquad
        h_u^{U\prime} = g^U_\theta\Big(h_u^U
        + \sum_{v \in N^+(u)} \frac{w_{uv} h_v^U}{|N^+(u)|}
        + \sum_{v \in N^-(u)} \frac{w_{uv} h_v^B}{|N^-(u)|}\Big)
    """

    @staticmethod
    def links(batch: GraphBatch, features: Tensor, *, fused: bool) -> Links:
        """Return the positive and the negative part of costs, and one over their numbers."""
        del features
        parts = (batch.costs.clamp(min=0), batch.costs.clamp(max=0))
        return Links(batch, parts, node_scales=inverse_counts(batch), fused=fused)
