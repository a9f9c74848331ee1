r"""The network of the solver ``learned``: states of nodes and of undirected edges.

Nothing in it depends on the unit of costs, on the order of an edge's ends, or on other graphs of
the batch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Self

import torch
from torch import Tensor, nn

from multicut._checks import check_integer
from multicut.nn.architectures import get_architecture, list_architectures
from multicut.nn.batch import GraphBatch
from multicut.nn.scale_free_features import (
    NUM_EDGE_FEATURES,
    NUM_NODE_FEATURES,
    scale_free_features,
)
from multicut.nn.symmetric_matrix import has_triton

# Wider states do not fit the registers of one program.
_WIDEST_KERNEL = 128


@dataclass(frozen=True)
class ContractionConfig:
    """The shape of a contraction network; everything needed to build it.

    Attributes
    ----------
    width
        Channels of the states of nodes and edges.
    depth
        The number of exchanges of messages.
    architecture
        One of :func:`multicut.nn.list_architectures` that the solver ``learned`` uses.
    """

    width: int = 32
    depth: int = 6
    architecture: str = "contraction"

    def __post_init__(self) -> None:
        check_integer(1, width=self.width)
        check_integer(1, depth=self.depth)
        if get_architecture(self.architecture).solver != "learned":
            known = ", ".join(record.name for record in list_architectures(solver="learned"))
            raise ValueError(
                f"architecture must be one that contracts edges ({known}), got "
                f"{self.architecture!r}"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as a card holds them."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Build from plain values; unknown keys are an error."""
        known = [f.name for f in fields(cls)]
        for key in values:
            if key not in known:
                raise ValueError(f"network has no setting {key!r}; it has: {', '.join(known)}")
        return cls(**values)


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
        own, to_edge, message = torch.split(self.of_nodes(nodes), self.width, dim=1)
        if _can_fuse(edges):
            return self._fused(nodes, edges, batch, own, to_edge, message)
        u, v = batch.edges
        raw = self.of_edges(edges) + to_edge.index_select(0, u) + to_edge.index_select(0, v)
        gate = torch.sigmoid(raw)
        # Four sums into their own places are several times faster on a CPU than one of all.
        received, weight = torch.zeros_like(message), torch.zeros_like(message)
        received = received.index_add_(0, u, gate * message.index_select(0, v))
        received = received.index_add_(0, v, gate * message.index_select(0, u))
        weight = weight.index_add_(0, u, gate).index_add_(0, v, gate)
        mean = received / (weight + 1e-6)
        nodes = nodes + torch.relu(self.norm_nodes(own + mean))
        return nodes, edges + torch.relu(self.norm_edges(raw))

    def _fused(
        self,
        nodes: Tensor,
        edges: Tensor,
        batch: GraphBatch,
        own: Tensor,
        to_edge: Tensor,
        message: Tensor,
    ) -> tuple[Tensor, Tensor]:
        from multicut.nn.kernels.gated import update_edges, update_nodes

        rows = batch.adjacency
        weight = self.of_edges.weight
        raw, updated = update_edges(edges, weight, to_edge, batch.edges, self.norm_edges)
        nodes = update_nodes(
            rows.row_pointers,
            rows.columns,
            rows.edge_of_entry,
            raw,
            message,
            own,
            nodes,
            self.norm_nodes,
        )
        return nodes, updated


class ContractionNetwork(nn.Module):
    """Predicts for each edge whether an optimal partition cuts it, at any stage of contraction.

    Parameters
    ----------
    config
        The shape of the network.
    """

    def __init__(self, config: ContractionConfig) -> None:
        super().__init__()
        self.config = config
        width = config.width
        self.encode_nodes = nn.Linear(NUM_NODE_FEATURES, width)
        self.encode_edges = nn.Linear(NUM_EDGE_FEATURES, width)
        self.layers = nn.ModuleList(GatedLayer(width) for _ in range(config.depth))
        self.of_nodes = nn.Linear(width, width)
        self.readout = nn.Sequential(nn.Linear(3 * width, width), nn.ReLU(), nn.Linear(width, 1))

    # The least time of a layer for each number in the states of edges, on a CPU. On two cores of
    # 2.8 GHz it is several times as long.
    seconds_per_number: ClassVar[float] = 1e-8

    @property
    def classifier_layers(self) -> nn.Sequential:
        """The layers that classify edges, the last of which returns logits."""
        return self.readout

    def forward(self, batch: GraphBatch) -> Tensor:
        """Return logits, one per edge; the larger, the more surely it is cut."""
        nodes, edges = self.represent(batch)
        return self.classify(batch, nodes, edges)

    def represent(
        self, batch: GraphBatch, after_layer: Callable[[], object] | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return the states of nodes and of undirected edges.

        `after_layer` is called after each layer; an exception in it ends the pass.
        """
        node_features, edge_features = scale_free_features(batch)
        nodes, edges = self.encode_nodes(node_features), self.encode_edges(edge_features)
        for layer in self.layers:
            nodes, edges = layer(nodes, edges, batch)
            if after_layer is not None:
                after_layer()
        return nodes, edges

    def classify(
        self,
        batch: GraphBatch,
        nodes: Tensor,
        edges: Tensor,
        after_chunk: Callable[[], object] | None = None,
    ) -> Tensor:
        """Return logits from the states of nodes and edges; `after_chunk` is called at the end."""
        nodes = self.of_nodes(nodes)
        if _can_fuse(edges):
            from multicut.nn.kernels.gated import read_out

            logits = read_out(edges, nodes, batch.edges, self.readout[0], self.readout[2])  # type: ignore[arg-type]
        else:
            first, second = nodes.index_select(0, batch.edges[0]), nodes[batch.edges[1]]
            pairs = torch.cat([edges, first + second, (first - second).abs()], dim=1)
            logits = self.readout(pairs).squeeze(1)
        if after_chunk is not None:
            after_chunk()
        return logits.to(batch.costs.dtype)


def _can_fuse(edges: Tensor) -> bool:
    """Whether the kernels may be used: they have no gradients."""
    return (
        edges.is_cuda
        and not torch.is_grad_enabled()
        and edges.dtype != torch.float64
        and edges.shape[1] <= _WIDEST_KERNEL
        and has_triton()
    )
