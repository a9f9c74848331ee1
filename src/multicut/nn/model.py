"""A trained network, ready for problems."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from multicut._checks import check_number
from multicut.nn.architectures import Architecture, get_architecture
from multicut.nn.batch import GraphBatch
from multicut.nn.config import NetworkConfig
from multicut.nn.contraction_network import ContractionConfig, ContractionNetwork
from multicut.nn.network import MulticutNetwork
from multicut.nn.threads import threads_for
from multicut.problem import Problem

Network = MulticutNetwork | ContractionNetwork
AnyConfig = NetworkConfig | ContractionConfig


@dataclass(frozen=True)
class _Kind:
    """What networks of a kind are described and built by."""

    config: type[AnyConfig]
    network: Callable[[Any], Network]


# By the solver that uses them.
_KINDS = {
    "gnn": _Kind(NetworkConfig, MulticutNetwork),
    "learned": _Kind(ContractionConfig, ContractionNetwork),
}


def config_from_dict(values: Mapping[str, Any]) -> AnyConfig:
    """Build the configuration of a network of any architecture from plain values."""
    name = values.get("architecture", NetworkConfig.architecture)
    return _KINDS[get_architecture(name).solver].config.from_dict(values)


def build_network(config: AnyConfig) -> Network:
    """Build the network that a configuration describes, with random weights."""
    return _KINDS[get_architecture(config.architecture).solver].network(config)


class Model(nn.Module):
    """A network with its card; predicts how likely each edge is cut.

    ``model(problem)`` is differentiable with respect to costs::

        costs = torch.tensor(problem.costs, dtype=torch.float32, requires_grad=True)
        model(problem, costs).sum().backward()
        costs.grad

    Parameters
    ----------
    network
        The network.
    card
        What is known of it; see :func:`multicut.models.save_model`.
    name
        What it goes by.
    """

    def __init__(
        self, network: Network, card: Mapping[str, Any] | None = None, *, name: str = ""
    ) -> None:
        super().__init__()
        self.network = network
        self.card = dict(card or {})
        self.name = name
        self.cost_scale = checked_cost_scale(self.card.get("cost_scale"))

    @property
    def architecture(self) -> Architecture:
        """The record of the network's architecture."""
        return get_architecture(self.network.config.architecture)

    @property
    def is_scale_free(self) -> bool:
        """Whether predictions do not depend on the unit of costs."""
        return self.cost_scale is not None or self.architecture.is_scale_free

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.network.parameters()).device

    @property
    def dtype(self) -> torch.dtype:
        """What the network computes in."""
        return next(self.network.parameters()).dtype

    @property
    def width(self) -> int:
        """How many numbers the network keeps for each edge or node."""
        config = self.network.config
        return max(config.width, getattr(config, "classifier_width", 0) // 2, 1)

    def forward(self, problem: Problem | GraphBatch, costs: Tensor | None = None) -> Tensor:
        """Return the probability of being cut, one per edge.

        Parameters
        ----------
        problem
            A problem, or many as a batch on the device of the model.
        costs
            In place of those of the problem; gradients flow to them.
        """
        with threads_for(getattr(problem, "num_edges", 0), self.width, self.device):
            return torch.sigmoid(self.logits(self.batch(problem, costs)))

    def batch(self, problem: Problem | GraphBatch, costs: Tensor | None = None) -> GraphBatch:
        """Return a problem as a batch on the device of the model."""
        if isinstance(problem, Problem):
            problem = GraphBatch.from_problems(problem, device=self.device, dtype=self.dtype)
        elif not isinstance(problem, GraphBatch):
            raise TypeError(
                f"problem must be a multicut.Problem or a GraphBatch, got {type(problem).__name__}"
            )
        if costs is not None:
            if not isinstance(costs, Tensor):
                raise TypeError(f"costs must be a tensor, got {type(costs).__name__}")
            return problem.with_costs(costs.to(self.device, self.dtype))
        if problem.device != self.device:
            raise ValueError(
                f"the batch is on {problem.device}, the model on {self.device}; move one with .to"
            )
        if problem.costs.dtype != self.dtype:
            return problem.with_costs(problem.costs.to(self.dtype))
        return problem

    def logits(self, batch: GraphBatch) -> Tensor:
        """Return the network's logits, with costs brought to the scale that it knows."""
        scores: Tensor = self.network(self.scaled(batch))
        return scores

    def scaled(self, batch: GraphBatch) -> GraphBatch:
        """Bring the mean absolute cost of each graph to that of the card, if it names one."""
        if self.cost_scale is None:
            return batch
        counts = torch.diff(batch.edge_offsets).clamp(min=1)
        means = batch.sum_per_graph(batch.costs.abs()) / counts
        positive = means > 0
        factors = self.cost_scale / torch.where(positive, means, self.cost_scale)
        return batch.with_costs(batch.costs * factors[batch.graph_of_edge()])

    def extra_repr(self) -> str:
        """Describe the model in ``repr``."""
        return self.name


def checked_cost_scale(cost_scale: object) -> float | None:
    """Check what a card says of the scale of costs, if anything."""
    if cost_scale is None:
        return None
    if not 0 < check_number(0, cost_scale=cost_scale) < math.inf:
        raise ValueError(f"cost_scale must be positive and finite, got {cost_scale!r}")
    return float(cost_scale)  # type: ignore[arg-type]
