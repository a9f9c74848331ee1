"""The graph convolution with costs, but without normalisation."""

from __future__ import annotations

from torch import Tensor

from multicut.nn.batch import GraphBatch
from multicut.nn.convolutions.base import Links
from multicut.nn.convolutions.gcn import GCNConvolution


class GCNPlusEdgeWeightsConvolution(GCNConvolution):
    r"""The row "+ edge weights" of the paper's ablation.

    .. math:: h_u' = g_\theta\Big(h_u + \sum_{v \in N(u)} w_{uv} h_v\Big)
    """

    @staticmethod
    def links(batch: GraphBatch, features: Tensor, *, fused: bool) -> Links:
        """Return :math:`w_{uv}`."""
        del features
        return Links(batch, (batch.costs,), fused=fused)
