"""Predict, contract the joins that are sure, add up costs, and predict again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from multicut.nn.batch import GraphBatch
from multicut.nn.contraction import contract
from multicut.nn.contraction_network import ContractionNetwork

# In each round, the probability of being cut below which edges are joined at once. After so many
# rounds there is hardly anything left to join.
ALL_ROUNDS = (0.05,) * 20
# For large graphs in little time: few rounds, the last of which joins all that the network would.
FEW_ROUNDS = {
    2: (0.2, 0.5),
    3: (0.1, 0.3, 0.5),
    4: (0.05, 0.1, 0.2, 0.5),
    6: (0.05, 0.05, 0.1, 0.2, 0.3, 0.5),
    8: (0.05,) * 8,
}


@dataclass(frozen=True, eq=False)
class Round:
    """What has been joined after a round.

    Attributes
    ----------
    labels
        Shape (num_nodes,): the contracted node that each node of the batch is a part of; nodes of
        different graphs stay apart, and numbers ascend with graphs.
    batch
        The contracted graphs.
    logits
        Shape (num_edges,): what the network said of the edges that it saw in this round.
    """

    labels: Tensor
    batch: GraphBatch
    logits: Tensor


def contraction_rounds(
    network: ContractionNetwork,
    batch: GraphBatch,
    *,
    sure: Sequence[float] = ALL_ROUNDS,
    precision: str = "float32",
    forbidden: Tensor | None = None,
    after_step: Callable[[], object] | None = None,
) -> Iterator[Round]:
    """Yield the state after each round, until nothing more is to be joined.

    An edge is joined if its probability of being cut is below that of the round, or below one half
    and least among the edges at both of its ends. So each round joins something as long as the
    network would join anything, and most edges are looked at again once more is known of their
    neighbourhood.

    Parameters
    ----------
    network
        The network, on the device of the batch.
    batch
        The graphs.
    sure
        One probability for each round; with one half or more, all edges that the network would not
        cut are joined.
    precision
        ``"float32"`` or ``"bfloat16"``.
    forbidden
        Shape (num_edges,), bool: edges that are never joined. Their ends may still meet through
        others that are joined in the same round.
    after_step
        Called after each layer; an exception in it ends the rounds.
    """
    labels = torch.arange(batch.num_nodes, device=batch.device)
    for least_sure in sure:
        if batch.num_edges == 0:
            return
        with (
            torch.inference_mode(),
            torch.autocast(batch.device.type, torch.bfloat16, enabled=precision == "bfloat16"),
        ):
            nodes, edges = network.represent(batch, after_layer=after_step)
            logits = network.classify(batch, nodes, edges, after_chunk=after_step)
        join = _chosen(batch, torch.sigmoid(logits), least_sure)
        if forbidden is not None:
            join &= ~forbidden
        if not bool(join.any()):
            return
        contraction = contract(batch, join)
        labels = contraction.node_of_input[labels]
        if forbidden is not None:
            kept = contraction.edge_of_input[forbidden]
            forbidden = forbidden.new_zeros(contraction.batch.num_edges)
            forbidden[kept[kept >= 0]] = True
        batch = contraction.batch
        yield Round(labels, batch, logits)


def _chosen(batch: GraphBatch, probabilities: Tensor, sure: float) -> Tensor:
    first, second = batch.edges
    least = probabilities.new_full((batch.num_nodes,), 2.0)
    least.scatter_reduce_(0, first, probabilities, "amin")
    least.scatter_reduce_(0, second, probabilities, "amin")
    is_mutual = (probabilities <= least[first]) & (probabilities <= least[second])
    return (probabilities < 0.5) & (is_mutual | (probabilities < sure))
