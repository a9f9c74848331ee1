"""The multicut as a layer of a larger network."""

from __future__ import annotations

from typing import Self

import torch
from torch import Tensor, nn

from multicut.nn.batch import GraphBatch
from multicut.nn.config import NetworkConfig
from multicut.nn.model import Model
from multicut.nn.network import MulticutNetwork
from multicut.nn.rounding import Rounding, round_scores


class MulticutLayer(nn.Module):
    """From the costs of edges to the probability that each is cut, differentiable.

    Whatever computes the costs can thus be trained by what the multicut makes of them::

        layer = MulticutLayer(multicut.load_model("gcn_w_bn-general"))
        probabilities = layer(edges, cost_network(features), num_nodes)
        torch.nn.functional.binary_cross_entropy(probabilities, target).backward()

    Parameters
    ----------
    model
        A model, or the shape of a new network with random weights.
    trainable
        Whether the solver's own weights learn, too. If not, they stay as they are, and so do its
        batch statistics, whatever mode the surrounding network is in. A new network is trainable
        unless told otherwise, a model is not.

    See Also
    --------
    multicut.training.SolverLayer : gradients through a classical solver.
    """

    def __init__(self, model: Model | NetworkConfig, *, trainable: bool | None = None) -> None:
        super().__init__()
        if isinstance(model, NetworkConfig):
            self.model = Model(MulticutNetwork(model))
        elif isinstance(model, Model):
            self.model = model
        else:
            raise TypeError(
                f"model must be a Model or a NetworkConfig, got {type(model).__name__}; "
                f"multicut.load_model gives one by its name"
            )
        self.trainable = isinstance(model, NetworkConfig) if trainable is None else trainable
        self.model.requires_grad_(self.trainable)
        self.train(self.training)

    def train(self, mode: bool = True) -> Self:
        """Change the mode; a solver that does not learn stays in evaluation mode."""
        super().train(mode)
        self.model.train(mode and self.trainable)
        return self

    def forward(self, edges: Tensor, costs: Tensor, num_nodes: int) -> Tensor:
        """Return the probability of being cut, one per edge.

        Parameters
        ----------
        edges
            Shape (2, num_edges): each undirected edge once, no self-loops.
        costs
            Shape (num_edges,): gradients flow to them. Positive attracts, negative repels.
        num_nodes
            The number of nodes.
        """
        probabilities: Tensor = self.model(GraphBatch.from_edges(edges, costs, num_nodes))
        return probabilities

    @torch.no_grad()
    def partition(self, edges: Tensor, costs: Tensor, num_nodes: int) -> Rounding:
        """Return the partition that the probabilities round to; no gradients flow.

        Parameters
        ----------
        edges, costs, num_nodes
            As for :meth:`forward`.
        """
        batch = GraphBatch.from_edges(edges, costs, num_nodes)
        return round_scores(batch, self.model(batch))
