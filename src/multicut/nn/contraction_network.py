r"""The network of the solver ``learned``: states of nodes and of undirected edges.

Nothing in it depends on the unit of costs, on the order of an edge's ends, or on other graphs of
the batch.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from multicut.nn.batch import GraphBatch
from multicut.nn.scale_free_features import (
    NUM_EDGE_FEATURES,
    NUM_NODE_FEATURES,
    scale_free_features,
)


class GatedLayer(nn.Module):
    r"""One exchange of messages.

    .. math::
        \hat e_{uv} &= Q e_{uv} + A h_u + A h_v \\
        e_{uv} &\leftarrow e_{uv} + \mathrm{relu}(\mathrm{norm}(\hat e_{uv})) \\
        h_u &\leftarrow h_u + \mathrm{relu}\Big(\mathrm{norm}\Big(U h_u +
        \frac{\sum_v \sigma(\hat e_{uv}) \odot V h_v}
        {\sum_v \sigma(\hat e_{uv}) + \epsilon}\Big)\Big)
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width
        self.of_nodes = nn.Linear(width, 3 * width)
        self.of_edges = nn.Linear(width, width, bias=False)
        self.norm_nodes = nn.LayerNorm(width)
        self.norm_edges = nn.LayerNorm(width)

    def forward(self, nodes: Tensor, edges: Tensor, batch: GraphBatch) -> tuple[Tensor, Tensor]:
        """Return the new states of nodes and of undirected edges."""
        u, v = batch.edges
        own, to_edge, message = torch.split(self.of_nodes(nodes), self.width, dim=1)
        raw = self.of_edges(edges) + to_edge[u] + to_edge[v]
        gate = torch.sigmoid(raw)
        sums = torch.zeros(batch.num_nodes, 2 * self.width, dtype=gate.dtype, device=gate.device)
        sums = sums.index_add(0, u, torch.cat([gate * message[v], gate], dim=1))
        sums = sums.index_add(0, v, torch.cat([gate * message[u], gate], dim=1))
        received, weight = torch.split(sums, self.width, dim=1)
        mean = received / (weight + 1e-6)
        nodes = nodes + torch.relu(self.norm_nodes(own + mean))
        return nodes, edges + torch.relu(self.norm_edges(raw))


class ContractionNetwork(nn.Module):
    """Predicts for each edge whether an optimal partition cuts it, at any stage of contraction.

    Parameters
    ----------
    width
        Channels of the states of nodes and edges.
    depth
        The number of exchanges of messages.
    """

    def __init__(self, width: int = 32, depth: int = 6) -> None:
        super().__init__()
        self.width, self.depth = width, depth
        self.encode_nodes = nn.Linear(NUM_NODE_FEATURES, width)
        self.encode_edges = nn.Linear(NUM_EDGE_FEATURES, width)
        self.layers = nn.ModuleList(GatedLayer(width) for _ in range(depth))
        self.of_nodes = nn.Linear(width, width)
        self.readout = nn.Sequential(nn.Linear(3 * width, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, batch: GraphBatch) -> Tensor:
        """Return logits, one per edge; the larger, the more surely it is cut."""
        node_features, edge_features = scale_free_features(batch)
        nodes, edges = self.encode_nodes(node_features), self.encode_edges(edge_features)
        for layer in self.layers:
            nodes, edges = layer(nodes, edges, batch)
        nodes = self.of_nodes(nodes)
        first, second = nodes[batch.edges[0]], nodes[batch.edges[1]]
        pairs = torch.cat([edges, first + second, (first - second).abs()], dim=1)
        logits: Tensor = self.readout(pairs).squeeze(1)
        return logits.to(batch.costs.dtype)
