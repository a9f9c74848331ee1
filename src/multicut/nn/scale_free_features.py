r"""What a network may know of costs that should not depend on their unit or the graph's size.

With :math:`d_u = \sum_v |w_{uv}|` and :math:`m_u = \max_v |w_{uv}|`, all features are ratios.
"""

from __future__ import annotations

import torch
from torch import Tensor

from multicut.nn.batch import GraphBatch
from multicut.nn.features import inverse, inverse_square_root
from multicut.nn.symmetric_matrix import has_triton

NUM_EDGE_FEATURES = 7
NUM_NODE_FEATURES = 5


def scale_free_features(batch: GraphBatch) -> tuple[Tensor, Tensor]:
    """Return features of nodes, shape (num_nodes, 5), and of edges, shape (num_edges, 7)."""
    u, v = batch.edges
    costs = batch.costs
    total, positive, largest, strongest, degree = _statistics(batch)
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
    root = inverse_square_root(total)
    scaled = costs * root[u] * root[v]
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


def _statistics(batch: GraphBatch) -> tuple[Tensor, ...]:
    """Return sums of |costs| and of attraction, the largest of both, and degrees, at each node."""
    costs = batch.costs
    can_fuse = costs.is_cuda and costs.dtype == torch.float32 and not torch.is_grad_enabled()
    if can_fuse and has_triton():
        from multicut.nn.kernels.gated import node_statistics

        rows = batch.adjacency
        found = node_statistics(rows.row_pointers, rows.edge_of_entry, costs)
        return (*found.unbind(1), torch.diff(rows.row_pointers).to(costs.dtype))
    both = torch.cat([batch.edges[0], batch.edges[1]])
    sizes, attraction = costs.abs().repeat(2), costs.clamp(min=0).repeat(2)
    zeros = costs.new_zeros(batch.num_nodes)
    return (
        zeros.index_add(0, both, sizes),
        zeros.index_add(0, both, attraction),
        zeros.scatter_reduce(0, both, sizes, "amax"),
        zeros.scatter_reduce(0, both, attraction, "amax"),
        zeros.index_add(0, both, torch.ones_like(sizes)),
    )
