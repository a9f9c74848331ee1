r"""What a network may know of costs that should not depend on their unit or the graph's size.

With :math:`d_u = \sum_v |w_{uv}|` and :math:`m_u = \max_v |w_{uv}|`, all features are ratios.
"""

from __future__ import annotations

import torch
from torch import Tensor

from multicut.nn.batch import GraphBatch
from multicut.nn.features import inverse, inverse_square_root

NUM_EDGE_FEATURES = 7
NUM_NODE_FEATURES = 5


def scale_free_features(batch: GraphBatch) -> tuple[Tensor, Tensor]:
    """Return features of nodes, shape (num_nodes, 5), and of edges, shape (num_edges, 7)."""
    u, v = batch.edges
    costs, sizes = batch.costs, batch.costs.abs()
    both = torch.cat([u, v])
    zeros = costs.new_zeros(batch.num_nodes)
    total = zeros.index_add(0, both, torch.cat([sizes, sizes]))
    attraction = costs.clamp(min=0)
    positive = zeros.index_add(0, both, torch.cat([attraction, attraction]))
    largest = zeros.scatter_reduce(0, both, torch.cat([sizes, sizes]), "amax")
    strongest = zeros.scatter_reduce(0, both, torch.cat([attraction, attraction]), "amax")
    degree = zeros.index_add(0, both, torch.ones_like(costs).repeat(2))

    per_total, per_largest = inverse(total), inverse(largest)
    nodes = torch.stack(
        [
            positive * per_total,
            largest * per_total,
            strongest * per_total,
            torch.log1p(degree) / 4,
            (degree > 0).to(costs.dtype),
        ],
        dim=1,
    )
    scaled = costs * inverse_square_root(total)[u] * inverse_square_root(total)[v]
    at_u, at_v = costs * per_total[u], costs * per_total[v]
    of_u, of_v = costs * per_largest[u], costs * per_largest[v]
    edges = torch.stack(
        [
            scaled,
            at_u + at_v,
            (at_u - at_v).abs(),
            of_u + of_v,
            (of_u - of_v).abs(),
            torch.sign(costs),
            torch.maximum(of_u, of_v),
        ],
        dim=1,
    )
    return nodes, edges
