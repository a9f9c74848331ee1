"""The graph convolution without normalisation."""

from __future__ import annotations

from torch import Tensor

from multicut.nn.batch import GraphBatch
from multicut.nn.convolutions.base import Links, unweighted
from multicut.nn.convolutions.gcn import GCNConvolution


class GCNMinusLaplacianConvolution(GCNConvolution):
    r"""The row "− Laplacian" of the paper's ablation.

    .. math:: h_u' = g_\theta\Big(h_u + \sum_{v \in N(u)} h_v\Big)
    """

    @staticmethod
    def links(batch: GraphBatch, features: Tensor, *, fused: bool) -> Links:
        """Return 1 for each edge."""
        del features
        return Links(batch, (unweighted(batch),), fused=fused)
