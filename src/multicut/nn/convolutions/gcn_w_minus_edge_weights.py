"""The paper's graph convolution without its costs."""

from __future__ import annotations

from torch import Tensor

from multicut.nn.batch import GraphBatch
from multicut.nn.convolutions.base import Links, ends
from multicut.nn.convolutions.gcn import GCNConvolution
from multicut.nn.features import inverse_square_root, signed_degrees


class GCNWMinusEdgeWeightsConvolution(GCNConvolution):
    r"""The row "− edge weights" of the paper's ablation: only the normalisation knows the costs.

    .. math::
        h_u' = g_\theta\Big(h_u + \sum_{v \in N(u)}
        \frac{h_v}{\sqrt{\overline{\deg}(u)\, \overline{\deg}(v)}}\Big)
    """

    @staticmethod
    def links(batch: GraphBatch, features: Tensor, *, fused: bool) -> Links:
        """Return the signed normalisation."""
        first, second = ends(batch, inverse_square_root(signed_degrees(features)))
        return Links(batch, (first * second,), fused=fused)
