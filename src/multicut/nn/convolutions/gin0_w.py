"""The graph isomorphism convolution, weighted by costs."""

from __future__ import annotations

from torch import Tensor

from multicut.nn.batch import GraphBatch
from multicut.nn.convolutions.base import Links
from multicut.nn.convolutions.gin0 import GIN0Convolution


class GIN0WConvolution(GIN0Convolution):
    r"""GIN0_W of the paper's appendix, with :math:`\epsilon = 0`.

    .. math:: h_u' = g_\theta\Big((1 + \epsilon) h_u + \sum_{v \in N(u)} w_{uv} h_v\Big)
    """

    @staticmethod
    def links(batch: GraphBatch, features: Tensor, *, fused: bool) -> Links:
        """Return :math:`w_{uv}`."""
        del features
        return Links(batch, (batch.costs,), fused=fused)
