"""Partitions of graphs that are on a device already, without classical solvers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from multicut.nn.batch import GraphBatch
from multicut.nn.contraction_network import ContractionNetwork
from multicut.nn.contraction_rounds import ALL_ROUNDS, contraction_rounds, greedy_rounds
from multicut.nn.model import Model


def partition(
    batch: GraphBatch,
    model: Model | ContractionNetwork | None = None,
    *,
    sure: Sequence[float] = ALL_ROUNDS,
    precision: str = "float32",
    after_step: Callable[[], object] | None = None,
) -> Tensor:
    """Partition the graphs of a batch where they are, from costs to labels.

    A network joins what it is sure of, round after round, and what still attracts after that is
    joined greedily; without a network, greedy rounds do everything. There is no promise of quality
    as the solver ``learned`` makes it, but no data leaves the device either.

    Parameters
    ----------
    batch
        The graphs.
    model
        A contraction network on the same device, or a model with one, such as ``universal``.
    sure
        For each round, the probability of being cut below which edges are joined at once.
    precision
        ``"float32"`` or ``"bfloat16"``, of the network.
    after_step
        Called after each layer of the network; an exception in it ends the work.

    Returns
    -------
    Tensor
        Shape (num_nodes,), int64: 0 … k-1 over all graphs together; no two graphs share a label.
    """
    network = model.network if isinstance(model, Model) else model
    if network is not None and not isinstance(network, ContractionNetwork):
        raise TypeError(
            "model must hold a contraction network, such as 'universal', got one of architecture "
            f"{network.config.architecture!r}; for that one, use multicut.nn.round_scores"
        )
    labels = torch.arange(batch.num_nodes, device=batch.device)
    if network is not None:
        for state in contraction_rounds(
            network, batch, sure=sure, precision=precision, after_step=after_step
        ):
            labels, batch = state.labels, state.batch
    joined = None
    for state in greedy_rounds(batch):
        joined = state.labels
    return labels if joined is None else joined[labels]
