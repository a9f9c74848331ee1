"""The paper's graph convolution: weighted by costs, normalised by the signed Laplacian."""

from __future__ import annotations

from torch import Tensor

from multicut.nn.batch import GraphBatch
from multicut.nn.convolutions.base import Links, ends
from multicut.nn.convolutions.gcn import GCNConvolution
from multicut.nn.features import inverse_square_root, signed_degrees


class GCNWConvolution(GCNConvolution):
    r"""GCN_W, Eq. 7 of the paper; the row "+ signed norm." of its ablation.

    .. math::
        h_u' = g_\theta\Big(h_u + \sum_{v \in N(u)}
        \frac{w_{uv}}{\sqrt{\overline{\deg}(u)\, \overline{\deg}(v)}} h_v\Big),
        \qquad \overline{\deg}(u) = \sum_{v \in N(u)} |w_{uv}|
    """

    @staticmethod
    def links(batch: GraphBatch, features: Tensor, *, fused: bool) -> Links:
        """Return the entries of the signed normalised Laplacian."""
        first, second = ends(batch, inverse_square_root(signed_degrees(features)))
        return Links(batch, (batch.costs * first * second,), fused=fused)
