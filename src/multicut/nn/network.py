"""The paper's network: convolutions over a graph, then a classifier of its edges."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import ClassVar

import torch
from torch import Tensor, nn

from multicut.nn.architectures import get_architecture
from multicut.nn.batch import GraphBatch
from multicut.nn.config import NetworkConfig
from multicut.nn.convolutions.base import Encoder, both_directions
from multicut.nn.edge_classifier import EdgeClassifier
from multicut.nn.features import node_features

# Edges classified at a time when no gradients are recorded: what is computed for them then stays in
# the caches of a processor, and a small part of the memory of a GPU.
_CHUNK_ON_CPU = 2**11
_CHUNK_ELSEWHERE = 2**19


class MulticutNetwork(nn.Module):
    """Predicts for each edge of a graph whether it is cut.

    Parameters
    ----------
    config
        The shape of the network.
    fused
        Whether messages are summed by sparse products where the architecture allows it; the other
        path, PyG's ``propagate``, gives the same numbers, and is slower.
    """

    def __init__(self, config: NetworkConfig, *, fused: bool = True) -> None:
        super().__init__()
        self.config = config
        self.fused = fused
        record = get_architecture(config.architecture)
        convolution = record.convolution
        self.encoder = Encoder(0) if convolution is None else convolution.encoder(config.width)
        widths = [self.encoder.out_width, *[config.width] * config.depth]
        self.convolutions = nn.ModuleList()
        edge_width = 1
        if convolution is not None:
            edge_width = config.width if convolution.has_edge_states else 0
            self.convolutions.extend(
                convolution(before, after, batch_norm=config.batch_norm)
                for before, after in pairwise(widths)
            )
        self.edge_classifier = EdgeClassifier(
            widths[-1], edge_width, config.classifier_width, record.hidden_layers
        )

    # The least time of a layer for each number in the states of edges, on a CPU. On two cores of
    # 2.8 GHz it is several times as long.
    seconds_per_number: ClassVar[float] = 2e-9

    @property
    def classifier_layers(self) -> nn.ModuleList:
        """The layers that classify edges, the last of which returns logits."""
        return self.edge_classifier.layers

    def forward(self, batch: GraphBatch) -> Tensor:
        """Return logits, one per edge; the larger, the more surely it is cut."""
        nodes, edges = self.represent(batch)
        return self.classify(batch, nodes, edges)

    def embed(self, batch: GraphBatch) -> Tensor:
        """Return the states of nodes after the last convolution, shape (num_nodes, width)."""
        return self.represent(batch)[0]

    def represent(
        self, batch: GraphBatch, after_layer: Callable[[], object] | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """Return the states of nodes and, where the classifier wants such, of directed edges.

        `after_layer` is called after each convolution; an exception in it ends the pass.
        """
        features = node_features(batch)
        nodes, edges = self.encoder(features, batch.costs)
        if not self.convolutions:
            return nodes, both_directions(batch.costs)[:, None]
        links = self.convolutions[0].links(batch, features, fused=self.fused)  # type: ignore[operator]
        for convolution in self.convolutions:
            nodes, edges = convolution(nodes, edges, links)
            if after_layer is not None:
                after_layer()
        return nodes, edges

    def classify(
        self,
        batch: GraphBatch,
        nodes: Tensor,
        edges: Tensor | None = None,
        chunk: int | None = None,
        after_chunk: Callable[[], object] | None = None,
    ) -> Tensor:
        """Return logits from the states of nodes and directed edges, `chunk` edges at a time.

        By default all at once while gradients are recorded, and in pieces of a good size if not.
        `after_chunk` is called after each piece; an exception in it ends the pass.
        """
        if chunk is None and not torch.is_grad_enabled():
            chunk = _CHUNK_ON_CPU if nodes.device.type == "cpu" else _CHUNK_ELSEWHERE
        adjacency = batch.adjacency if torch.is_grad_enabled() and nodes.is_cuda else None
        logits: Tensor = self.edge_classifier(
            nodes, edges, batch.edges, chunk, after_chunk, adjacency
        )
        return logits.to(batch.costs.dtype)
