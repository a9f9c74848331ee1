"""Contract the joins that are sure, add up costs, and look again: by a network, or greedily."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from multicut._checks import check_precision
from multicut.nn.batch import GraphBatch
from multicut.nn.model import Network
from multicut.nn.search.contraction import Contraction, contract, contract_to

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

# Greedy rounds in which nodes wait until they are their favourite's favourite. Fewer are worse, and
# more take longer and are no better.
_STRICT_ROUNDS = 12


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
        Shape (num_edges,): what the network said of the edges that it saw in this round; None in
        greedy rounds.
    """

    labels: Tensor
    batch: GraphBatch
    logits: Tensor | None


def contraction_rounds(
    network: Network,
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
    check_precision(precision)
    labels = torch.arange(batch.num_nodes, device=batch.device)
    for least_sure in sure:
        if batch.num_edges == 0:
            return
        with (
            torch.inference_mode(),
            torch.autocast(batch.device.type, torch.bfloat16, enabled=precision == "bfloat16"),
        ):
            nodes, edges = network.represent(batch, after_layer=after_step)
            logits = network.classify(batch, nodes, edges, after_chunk=after_step)  # type: ignore[arg-type]
        join = _chosen(batch, torch.sigmoid(logits), least_sure)
        if forbidden is not None:
            join &= ~forbidden
        if not bool(join.any()):
            return
        contraction = contract(batch, join)
        labels = contraction.node_of_input[labels]
        forbidden = _still_forbidden(forbidden, contraction)
        batch = contraction.batch
        yield Round(labels, batch, logits)


def greedy_rounds(batch: GraphBatch) -> Iterator[Round]:
    """Join, in each round, all edges that attract and are the most attractive at both ends.

    What greedy contraction does one edge at a time, this does everywhere at once, so it suits a
    GPU; objectives come out some tenths of a percent worse. Where the rounds become many, nodes no
    longer wait until their favourite prefers them to all others: a node of a thousand neighbours
    would take as many rounds. Yields the state after each round.

    Parameters
    ----------
    batch
        The graphs.
    """
    labels = torch.arange(batch.num_nodes, device=batch.device)
    for number in itertools.count():
        favourites = _Favourites(batch)
        pairs = favourites.mutual()
        if pairs.shape[1] == 0:
            return
        hosts = torch.arange(batch.num_nodes, device=batch.device)
        # Each node is in at most one pair.
        hosts[pairs.amax(dim=0)] = pairs.amin(dim=0)
        if number >= _STRICT_ROUNDS:
            favourites.follow(hosts)
        contraction = contract_to(batch, hosts)
        labels = contraction.node_of_input[labels]
        batch = contraction.batch
        yield Round(labels, batch, None)


def greedy_labels(batch: GraphBatch) -> Tensor:
    """Return the partition that greedy rounds end with: 0 … k-1, shape (num_nodes,)."""
    labels = torch.arange(batch.num_nodes, device=batch.device)
    for state in greedy_rounds(batch):
        labels = state.labels
    return labels


def network_labels(
    network: Network,
    batch: GraphBatch,
    *,
    sure: Sequence[float] = ALL_ROUNDS,
    precision: str = "float32",
    after_step: Callable[[], object] | None = None,
) -> Tensor:
    """Return the partition that a network ends with, and greedy rounds after it: 0 … k-1.

    The parameters are those of :func:`contraction_rounds`.
    """
    labels, rest = torch.arange(batch.num_nodes, device=batch.device), batch
    for state in contraction_rounds(
        network, batch, sure=sure, precision=precision, after_step=after_step
    ):
        labels, rest = state.labels, state.batch
    return greedy_labels(rest)[labels]


def ordered_keys(values: Tensor) -> Tensor:
    """Return integers in the order of the positive ones of some values, no two alike; else 0."""
    places = torch.arange(len(values), device=values.device)
    if values.dtype == torch.float64:
        # Single precision would take small ones for 0 and large ones for equal.
        ranks = torch.empty_like(places)
        ranks[torch.argsort(values, stable=True)] = places + 1
        return torch.where(values > 0, ranks, 0)
    # The bits of positive numbers, read as an integer, are in the order of the numbers. Behind them
    # comes the place, so that there are no ties.
    bits = values.float().clamp(min=0).view(torch.int32).to(torch.int64) << 32
    return torch.where(bits > 0, bits | places, 0)


class _Favourites:
    """The most attractive edge of each node of a batch."""

    def __init__(self, batch: GraphBatch) -> None:
        self._edges = batch.edges
        self._costs = batch.costs.detach()
        self._keys = keys = ordered_keys(self._costs)
        best = keys.new_zeros(batch.num_nodes)
        best.scatter_reduce_(0, batch.edges[0], keys, "amax")
        best.scatter_reduce_(0, batch.edges[1], keys, "amax")
        # Of the first end, of the second.
        self._is_best = [(keys > 0) & (keys == best[ends]) for ends in batch.edges]

    def mutual(self) -> Tensor:
        """Return the edges that are the favourite of both ends, shape (2, ·)."""
        return self._edges[:, self._is_best[0] & self._is_best[1]]

    def follow(self, hosts: Tensor) -> None:
        """Let nodes join a favourite that prefers another.

        As if they came one after the other, the most attracted first: nobody joins who would be
        repelled by those who are there already, and no group ends up worse off.

        Parameters
        ----------
        hosts
            Shape (num_nodes,): the node that each is joined to so far; is written to.
        """
        one_sided = torch.nonzero(self._is_best[0] ^ self._is_best[1]).squeeze(1)
        is_first = self._is_best[0][one_sided]
        first, second = self._edges[:, one_sided]
        node, favourite = torch.where(is_first, first, second), torch.where(is_first, second, first)
        # Pairs are there first, then followers by their attraction.
        turn = torch.full_like(hosts, -1)
        turn[node] = torch.iinfo(turn.dtype).max - self._keys[one_sided]
        # Followers of followers wait for a round.
        settled = turn[favourite] < 0
        node, host = node[settled], hosts[favourite[settled]]
        gains = self._gains_of_followers(hosts.index_copy(0, node, host), turn)
        is_liked = gains[node] >= 0
        node, host = node[is_liked], host[is_liked]
        gains = self._gains_of_followers(hosts.index_copy(0, node, host), turn)
        of_groups = torch.zeros_like(gains).index_add(0, host, gains[node])
        gets_better = of_groups[host] >= 0
        hosts[node[gets_better]] = host[gets_better]

    def _gains_of_followers(self, hosts: Tensor, turn: Tensor) -> Tensor:
        """Return what each follower adds to its group: costs to those whose turn was before."""
        inside = torch.nonzero(hosts[self._edges[0]] == hosts[self._edges[1]]).squeeze(1)
        first, second = self._edges[:, inside]
        later = torch.where(turn[first] > turn[second], first, second)
        costs = self._costs[inside].double()  # see contract_to
        return costs.new_zeros(len(hosts)).index_add(0, later, costs)


def _still_forbidden(forbidden: Tensor | None, contraction: Contraction) -> Tensor | None:
    """Return which edges of the smaller graphs hold one that must not be joined."""
    if forbidden is None:
        return None
    kept = contraction.edge_of_input[forbidden]
    still = forbidden.new_zeros(contraction.batch.num_edges)
    still[kept[kept >= 0]] = True
    return still


def _chosen(batch: GraphBatch, probabilities: Tensor, sure: float) -> Tensor:
    first, second = batch.edges
    least = probabilities.new_full((batch.num_nodes,), 2.0)
    least.scatter_reduce_(0, first, probabilities, "amin")
    least.scatter_reduce_(0, second, probabilities, "amin")
    is_mutual = (probabilities <= least[first]) & (probabilities <= least[second])
    return (probabilities < 0.5) & (is_mutual | (probabilities < sure))
