"""Rounds of contraction in the order of reduced costs: what a packing of short cycles leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from torch import Tensor

from multicut.nn.batch import GraphBatch
from multicut.nn.search import joins, short_cycles
from multicut.nn.search.contraction import contract_to
from multicut.nn.search.contraction_rounds import greedy_labels
from multicut.nn.search.joins import Scoring
from multicut.nn.search.short_cycles import Sweeps, WholeGraph, whole_graph
from multicut.nn.symmetric_matrix import has_triton

# A pair must have this share of the best score around it. With 0 there are fewer rounds and worse
# partitions, with 1 twice as many rounds and hardly better partitions.
STRICTNESS = 0.5
# Where fewer of the nodes that could join do so in a round, as around a node of a thousand
# neighbours, nodes no longer wait for better edges; and then, where fewer than this, not for their
# favourite either.
_FEW_JOINS = 0.02
_FEW_PAIRS = 0.05
# Place for so many cycles per edge, until more are found; and for so many in any case.
_CYCLES_PER_EDGE = 1
_FEW_CYCLES = 2**14


class Rules(NamedTuple):
    """How a packing guides contraction.

    Attributes
    ----------
    sweeps
        Of triangles and squares.
    scoring
        What an edge is worth.
    strictness
        The share that the score of a pair has of the best score at its ends and their neighbours,
        at least.
    """

    sweeps: Sweeps = Sweeps()
    scoring: Scoring = Scoring()
    strictness: float = STRICTNESS


@dataclass(frozen=True, eq=False)
class PackingRound:
    """The graphs after a round.

    Attributes
    ----------
    node_of_input
        The new node of each node of the round before.
    num_nodes
        The number of nodes that are left.
    """

    node_of_input: Tensor
    num_nodes: int


def packing_rounds(
    batch: GraphBatch,
    rules: Rules = Rules(),  # noqa: B008 (it cannot change)
    *,
    forbidden: Tensor | None = None,
) -> Iterator[PackingRound]:
    """Pack, join, and begin again with the contracted graphs, until nothing attracts.

    In each round nodes that are each other's favourites join, unless a much better edge is near:
    that one may change what they are worth to each other.

    Parameters
    ----------
    batch
        The graphs.
    rules
        How the packing guides contraction.
    forbidden
        Shape (num_edges,), bool: edges whose ends shall stay apart. They repel at least as much as
        the largest cost.
    """
    yield from _rounds_of(whole_graph(batch, forbidden)[0], rules)


def packing_partitions(
    batch: GraphBatch,
    rules: Rules = Rules(),  # noqa: B008 (it cannot change)
    *,
    forbidden: Tensor | None = None,
) -> Iterator[Tensor]:
    """Yield the partition after each packing round: 0 … k-1, shape (num_nodes,), at least one.

    The parameters are those of :func:`packing_rounds`.
    """
    graph, is_exact = whole_graph(batch, forbidden)
    labels = torch.arange(batch.num_nodes, device=batch.device)
    yield labels
    for state in _rounds_of(graph, rules):
        labels = state.node_of_input[labels]
        yield labels
    if not is_exact and forbidden is None:
        # Some attraction is too small beside other costs.
        rest = contract_to(batch, _first_nodes(labels)).batch
        yield greedy_labels(rest)[labels]


def packing_labels(
    batch: GraphBatch,
    rules: Rules = Rules(),  # noqa: B008 (it cannot change)
    *,
    forbidden: Tensor | None = None,
    after_round: Callable[[], object] | None = None,
) -> Tensor:
    """Return the partition that packing rounds end with: 0 … k-1, shape (num_nodes,).

    Parameters
    ----------
    batch, rules, forbidden
        As for :func:`packing_rounds`.
    after_round
        Called after each round; an exception in it ends the rounds.
    """
    for labels in packing_partitions(batch, rules, forbidden=forbidden):  # noqa: B007 (the last)
        if after_round is not None:
            after_round()
    return labels


def _rounds_of(graph: WholeGraph, rules: Rules) -> Iterator[PackingRound]:
    join = _Kernels(graph, rules.scoring).join if _can_fuse(graph.ends) else _join
    strictness, follows = rules.strictness, False
    while graph.num_attractive > 0:
        joined = join(graph, rules._replace(strictness=strictness), follows)
        num_joined = graph.num_nodes - joined.graph.num_nodes
        if num_joined == 0:
            return
        graph = joined.graph
        yield PackingRound(joined.node_of_input, graph.num_nodes)
        few = _FEW_JOINS if strictness > 0 else _FEW_PAIRS
        if 2 * num_joined < few * joined.num_open:
            follows = strictness == 0
            strictness = 0.0


class _Joined(NamedTuple):
    graph: WholeGraph
    node_of_input: Tensor
    num_open: int  # nodes that could have joined


def _join(graph: WholeGraph, rules: Rules, follows: bool) -> _Joined:
    """Do one round."""
    left = short_cycles.pack(graph, rules.sweeps)
    chosen = joins.favourites(graph, left, rules.scoring)
    hosts, num_open = joins.hosts_of_pairs(chosen, rules.strictness)
    if follows:
        hosts = joins.follow(graph, chosen, hosts)
    return _Joined(*joins.contract(graph, hosts), int(num_open))


class _Kernels:
    """Does the same on a GPU; the host waits for it once in each round."""

    def __init__(self, graph: WholeGraph, scoring: Scoring) -> None:
        device = graph.ends.device
        self._starts = torch.arange(graph.num_nodes + 1, device=device) << 32
        self._weights = torch.tensor(scoring, dtype=torch.float64, device=device)
        self._running: Tensor | None = None
        place = max(_CYCLES_PER_EDGE * graph.num_edges, _FEW_CYCLES)
        self._places = (place, place)

    def join(self, graph: WholeGraph, rules: Rules, follows: bool) -> _Joined:
        """Do one round, again if there was too little place for cycles."""
        while True:
            joined, running, found = self._try_to_join(graph, rules, follows)
            places = self._places
            if found[0] <= places[0] and found[1] <= places[1]:
                self._running = running
                return joined
            self._places = (
                max(places[0], found[0] + found[0] // 4),
                max(places[1], found[1] + found[1] // 4),
            )

    def _try_to_join(
        self, graph: WholeGraph, rules: Rules, follows: bool
    ) -> tuple[_Joined, Tensor | None, tuple[int, int]]:
        from multicut.nn.kernels import joins as join_kernels
        from multicut.nn.kernels import short_cycles as packing_kernels

        ends, costs, local = graph.ends, graph.costs, graph.local
        # Of triangles, of nodes that could join, of squares, of edges that are left.
        counters = ends.new_zeros(4)
        running = torch.cumsum(costs > 0, 0) if self._running is None else self._running
        left = packing_kernels.pack(
            ends,
            costs,
            running,
            self._starts[: graph.num_nodes + 1],
            graph.num_attractive,
            rules.sweeps,
            short_cycles.caps_of(graph),
            short_cycles.NOTHING,
            self._places,
            counters,
        )
        chosen = join_kernels.favourites(ends, costs, left, local, self._weights)
        hosts, is_root = join_kernels.pair_up(*chosen, rules.strictness, counters[1:])
        if follows:
            best, favourite, near = chosen
            hosts = joins.follow(graph, joins.Favourites(best, favourite - 1, near), hosts)
            is_root = (hosts == torch.arange(len(hosts), device=hosts.device)).to(torch.int32)
        if graph.apart is not None:
            triangles, num_open, squares, _ = counters.tolist()
            joined = _Joined(*joins.contract(graph, hosts), num_open)
            return joined, None, (triangles, squares)
        merged = join_kernels.merge(ends, costs, local, hosts, is_root, counters[3:])
        node_of_input, ends, costs, local, nodes = merged
        running = torch.cumsum(costs > 0, 0)
        numbers = torch.cat([counters, nodes[-1:], running[-1:]]).tolist()
        triangles, num_open, squares, num_edges, num_nodes, num_attractive = numbers
        smaller = replace(
            graph,
            num_nodes=num_nodes,
            ends=ends[:num_edges],
            costs=costs[:num_edges],
            num_attractive=num_attractive,
            local=local[:num_nodes],
        )
        return _Joined(smaller, node_of_input, num_open), running, (triangles, squares)


def _can_fuse(tensor: Tensor) -> bool:
    return tensor.is_cuda and has_triton()


def _first_nodes(labels: Tensor) -> Tensor:
    """Return the first node of each node's cluster."""
    nodes = torch.arange(len(labels), device=labels.device)
    first = torch.full_like(labels, len(labels))
    return first.scatter_reduce(0, labels, nodes, "amin")[labels]
