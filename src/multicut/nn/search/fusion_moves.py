"""Fusion moves on a device: partitions of noisy costs, taken over where they are better."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor

from multicut.nn.batch import GraphBatch
from multicut.nn.model import Network
from multicut.nn.rounding import connected_components
from multicut.nn.search.contraction import contract_to
from multicut.nn.search.contraction_rounds import greedy_labels, network_labels
from multicut.nn.search.moves import improve_by_moves, numbered
from multicut.nn.search.packing_rounds import Rules, packing_labels

# Of proposals of a packing and of a network; twice as much is worse.
_NOISE = 0.1
# Rounds of moves in a proposal: what is left after these hardly matters.
_ROUNDS_OF_PROPOSALS = 6
# Of a sum, what rounding may make of it.
_ROUNDING = 1e-12


class Proposer(NamedTuple):
    """Where proposals come from.

    Attributes
    ----------
    find
        Partitions graphs, 0 … k-1.
    noise
        The standard deviation of what is added to costs before that, in units of a graph's mean
        |cost|.
    """

    find: Callable[[GraphBatch], Tensor]
    noise: float


def packing_proposer(
    rules: Rules = Rules(),  # noqa: B008 (it cannot change)
    after_round: Callable[[], object] | None = None,
) -> Proposer:
    """Return a proposer that contracts in the order of reduced costs.

    The parameters are those of :func:`multicut.nn.search.packing_rounds.packing_labels`.
    """
    return Proposer(partial(packing_labels, rules=rules, after_round=after_round), _NOISE)


PACKING = packing_proposer()


def network_proposer(
    network: Network,
    *,
    sure: Sequence[float],
    precision: str,
    after_step: Callable[[], object] | None = None,
) -> Proposer:
    """Return a proposer that asks a network.

    The parameters are those of
    :func:`multicut.nn.search.contraction_rounds.contraction_rounds`.
    """
    find = partial(network_labels, network, sure=sure, precision=precision, after_step=after_step)
    return Proposer(find, _NOISE)


def fuse(batch: GraphBatch, labels: Tensor, others: Tensor) -> Tensor:
    """Take over from one partition the regions in which it is cheaper than the other.

    Clusters of both that overlap belong to the same region, so regions are closed under both, and
    what one of them does in a region changes nothing outside.

    Parameters
    ----------
    batch
        The graphs.
    labels, others
        Shape (num_nodes,): two partitions, 0 … k-1 each.
    """
    first = int(labels.max()) + 1 if len(labels) else 0
    size = first + (int(others.max()) + 1 if len(others) else 0)
    nothing = torch.zeros_like(labels, dtype=torch.bool)
    regions = connected_components(torch.stack([labels, others + first]), nothing, size)[labels]
    u, v = batch.edges
    # Positive where the second partition costs less; edges between regions are cut in both.
    saved = (labels[u] != labels[v]).double() - (others[u] != others[v]).double()
    saved = batch.costs.detach().double() * saved
    gains = saved.new_zeros(size).index_add(0, regions[u], saved)
    # Beyond rounding, by what is at stake in the region itself: no graph depends on another.
    stakes = saved.new_zeros(size).index_add(0, regions[u], saved.abs())
    is_cheaper = gains > _ROUNDING * stakes
    taken = torch.where(is_cheaper[regions], others + first, labels)
    return numbered(taken)


def fusion_moves(
    batch: GraphBatch,
    labels: Tensor,
    generator: torch.Generator,
    *,
    proposers: Sequence[Proposer] = (PACKING,),
    after_round: Callable[[], object] | None = None,
) -> Iterator[Tensor]:
    """Yield ever better partitions, without end; the objective of no graph gets worse.

    For each, costs are disturbed, and graphs with these costs are partitioned. What neither that
    partition nor the best one so far cuts is contracted; there single nodes move and clusters join,
    by the true costs; and the outcome is fused with the best one.

    Parameters
    ----------
    batch
        The graphs.
    labels
        Shape (num_nodes,): the partition to begin with, 0 … k-1.
    generator
        Where the noise comes from, on the device of the batch.
    proposers
        Where proposals come from, in turn.
    after_round
        Called now and then; an exception in it ends the search.
    """
    counts = torch.diff(batch.edge_offsets).clamp(min=1)
    of_edge = batch.graph_of_edge()
    sizes = batch.costs.detach().abs().double() / batch.cost_units[of_edge]
    typical = batch.cost_units * batch.sum_per_graph(sizes) / counts
    unit = typical.to(batch.costs.dtype)[of_edge]
    for find, noise in itertools.cycle(proposers):
        steps = torch.randn(batch.num_edges, generator=generator, device=batch.device)
        other = find(batch.with_costs(batch.costs.detach() + noise * unit * steps))
        other = _improved(batch, labels, other, after_round)
        labels = fuse(batch, labels, other)
        yield labels


def join_and_move(
    batch: GraphBatch,
    labels: Tensor,
    *,
    max_rounds: int = 20,
    after_round: Callable[[], object] | None = None,
) -> Tensor:
    """Move single nodes, then join whole clusters that attract each other."""
    labels = improve_by_moves(batch, labels, max_rounds=max_rounds, after_round=after_round)
    clusters = contract_to(batch, least_nodes(labels))
    return greedy_labels(clusters.batch)[clusters.node_of_input]


def _improved(
    batch: GraphBatch, labels: Tensor, other: Tensor, after_round: Callable[[], object] | None
) -> Tensor:
    """Improve a partition by parts that are whole in it and in another one."""
    pairs = labels * (int(other.max()) + 1 if len(other) else 1) + other
    parts = contract_to(batch, least_nodes(numbered(pairs)))
    of_parts = other.new_zeros(parts.batch.num_nodes)
    of_parts[parts.node_of_input] = other
    better = join_and_move(
        parts.batch, of_parts, max_rounds=_ROUNDS_OF_PROPOSALS, after_round=after_round
    )
    return improve_by_moves(
        batch,
        better[parts.node_of_input],
        max_rounds=_ROUNDS_OF_PROPOSALS,
        after_round=after_round,
    )


def least_nodes(labels: Tensor) -> Tensor:
    """Return the least node of each node's cluster; labels are 0 … k-1."""
    nodes = torch.arange(len(labels), device=labels.device)
    least = torch.full_like(labels, len(labels))
    return least.scatter_reduce(0, labels, nodes, "amin")[labels]
