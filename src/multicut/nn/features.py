r"""The two features of a node: what its edges cost, :math:`x_u` of the paper."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from multicut.nn.batch import GraphBatch
from multicut.nn.symmetric_matrix import SymmetricMatrix

NUM_NODE_FEATURES = 2


def node_features(batch: GraphBatch) -> Tensor:
    r"""Sum the positive and the negative costs at each node; shape (num_nodes, 2).

    .. math:: x_u = \Big(\sum_{v \in N^+(u)} w_{uv},\; \sum_{v \in N^-(u)} w_{uv}\Big)
    """
    parts = (batch.costs.clamp(min=0), batch.costs.clamp(max=0))
    return torch.cat([sum_at_nodes(batch, part) for part in parts], dim=1)


def signed_degrees(features: Tensor) -> Tensor:
    r"""Return :math:`\overline{\deg}(u) = \sum_v |w_{uv}|` from the features of nodes."""
    return features[:, 0] - features[:, 1]


def sum_at_nodes(batch: GraphBatch, edge_values: Tensor) -> Tensor:
    """Sum one value per edge over the edges of each node; shape (num_nodes, 1)."""
    return SymmetricMatrix(batch.adjacency, batch.edges, edge_values).row_sums()


def inverse_square_root(degrees: Tensor) -> Tensor:
    """Return ``degrees ** -0.5``, and 0 where a degree is 0: isolated nodes, zero costs."""
    return _where_positive(degrees, torch.rsqrt)


def inverse(degrees: Tensor) -> Tensor:
    """Return ``1 / degrees``, and 0 where a degree is 0."""
    return _where_positive(degrees, torch.reciprocal)


def _where_positive(degrees: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
    """Apply a function where degrees are positive; subnormal ones, whose inverse is inf, are 0."""
    positive = degrees >= torch.finfo(degrees.dtype).tiny
    # Two wheres: a gradient of the branch not taken must not be infinite.
    return torch.where(positive, function(torch.where(positive, degrees, 1)), 0)
