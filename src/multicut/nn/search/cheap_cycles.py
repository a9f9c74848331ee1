"""Conflicted cycles of any length whose edges cost less than a cycle is worth, on a device."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from multicut.nn.search.short_cycles import Rows, WholeGraph

# What one more edge on a path costs: of paths that are about as cheap, short ones are worth more.
_HOP = 0.01
# A cycle must be cheaper than 1, what it is worth, by at least this.
_LEAST_SAVING = 0.02
# So many edges of a row are looked at.
_MOST_OF_ROW = 64
# Places that are reached at a time; repulsive edges are divided up until that suffices. One takes
# about a hundred bytes.
_MOST_PLACES = {"cpu": 2**19, "cuda": 2**25}
_PLACES_OF_EDGE = 64
# Of all paths to a node only the cheapest one is followed, from this step on, and before where a
# step reaches so many places for each repulsive edge: looking for them takes time, too.
_FIRST_CHOICE = 3
_MANY_PLACES = 32


class _Places(NamedTuple):
    """Nodes that are reached from one end of each repulsive edge.

    Attributes
    ----------
    owners
        Whose search reached it, ascending within each step.
    nodes
        The node.
    distances
        The cost of the path there.
    parents
        The place before it; -1 at the start.
    edges
        The edge from there.
    """

    owners: Tensor
    nodes: Tensor
    distances: Tensor
    parents: Tensor
    edges: Tensor

    def joined(self, others: _Places) -> _Places:
        return _Places(*(torch.cat(pair) for pair in zip(self, others, strict=True)))

    def chosen(self, which: Tensor) -> _Places:
        return _Places(*(values[which] for values in self))

    @property
    def keys(self) -> Tensor:
        return self.owners << 32 | self.nodes


class Found(NamedTuple):
    """What a search has found.

    Attributes
    ----------
    cycles
        Shape (2 * hops + 1, num_cycles), int64: the edges of cycles, the repulsive one first, the
        number of edges where a cycle is shorter.
    is_complete
        Whether a search with more hops would find the same.
    """

    cycles: Tensor
    is_complete: bool


class TooManyPlacesError(Exception):
    """A search for many repulsive edges at once takes too much memory."""


def find_cheap_cycles(graph: WholeGraph, rows: Rows, prices: Tensor, hops: int) -> Iterator[Found]:
    """Find the cheapest conflicted cycle of each repulsive edge, if it is worth its price.

    Yields what is found for some of the edges at a time.

    Parameters
    ----------
    graph
        The graph.
    rows
        Its attractive edges.
    prices
        Shape (num_edges,) or more, float32: what each edge costs.
    hops
        How many edges are walked from each end; cycles have up to twice as many attractive edges.
    """
    limits = 1 - _LEAST_SAVING - prices[: graph.num_edges]
    repulsive = torch.nonzero((graph.costs < 0) & (limits > 0)).squeeze(1)
    degrees = torch.diff(rows.pointers)
    ends = graph.ends[repulsive]
    repulsive = repulsive[(degrees[ends >> 32] > 0) & (degrees[ends & 0xFFFFFFFF] > 0)]
    size = max(_MOST_PLACES[graph.costs.device.type] // _PLACES_OF_EDGE, 1)
    waiting = list(torch.split(repulsive, size))[::-1] if len(repulsive) > 0 else []
    while waiting:
        part = waiting.pop()
        try:
            yield _search(graph, rows, part, limits[part], prices, hops)
        except TooManyPlacesError:
            waiting.extend(reversed(torch.split(part, (len(part) + 1) // 2)))


def _search(
    graph: WholeGraph, rows: Rows, repulsive: Tensor, limits: Tensor, prices: Tensor, hops: int
) -> Found:
    ends = graph.ends[repulsive]
    near, near_is_complete = _explore(rows, ends >> 32, limits, prices, hops)
    far, far_is_complete = _explore(rows, ends & 0xFFFFFFFF, limits, prices, hops)
    # The last node beyond half of the way from one end is within half of the way from the other.
    far_order = torch.nonzero(far.distances <= limits[far.owners] / 2).squeeze(1)
    keys, far_order = _cheapest(far, far_order)
    places = torch.searchsorted(keys, near.keys).clamp_(max=len(keys) - 1)
    met = torch.nonzero(keys[places] == near.keys).squeeze(1)
    partners = far_order[places[met]]
    totals = near.distances[met] + far.distances[partners]
    owners = near.owners[met]
    # Positive floats are ordered as their bits are.
    ranks = totals.view(torch.int32).to(torch.int64) << 32 | torch.arange(
        len(met), device=met.device
    )
    ranks = torch.where(totals < limits[owners], ranks, torch.iinfo(torch.int64).max)
    best = torch.full_like(repulsive, torch.iinfo(torch.int64).max)
    best.scatter_reduce_(0, owners, ranks, "amin")
    has_any = torch.nonzero(best < torch.iinfo(torch.int64).max).squeeze(1)
    winners = best[has_any] & 0xFFFFFFFF
    cycles = [repulsive[has_any]]
    for side, at in ((near, met[winners]), (far, partners[winners])):
        for _ in range(hops):
            # Where a path has begun, the start is its own parent.
            cycles.append(side.edges[at])
            at = side.parents[at]
    return Found(
        torch.cat([cycles[0][None], torch.stack(cycles[1:]).sort(dim=0)[0]]),
        near_is_complete and far_is_complete,
    )


def _explore(
    rows: Rows, starts: Tensor, limits: Tensor, prices: Tensor, hops: int
) -> tuple[_Places, bool]:
    """Return all that is reached within some steps, and whether there is no more to reach."""
    no_edge = len(prices) - 1
    owners = torch.arange(len(starts), device=starts.device)
    zeros = torch.zeros(len(starts), dtype=prices.dtype, device=starts.device)
    reached = _Places(owners, starts, zeros, owners, torch.full_like(starts, no_edge))
    front = owners
    for step in range(1, hops + 1):
        try:
            new = _next_places(rows, reached, front, starts, limits, prices)
        except TooManyPlacesError:
            if len(starts) > 1:
                raise
            return reached, False
        num_before = len(reached.owners)
        if step < _FIRST_CHOICE and len(new.owners) < _MANY_PLACES * len(starts):
            front = torch.arange(len(new.owners), device=starts.device) + num_before
            reached = reached.joined(new)
        else:
            reached = reached.joined(new)
            every = torch.arange(len(reached.owners), device=starts.device)
            front = _cheapest(reached, every)[1]
            front = front[front >= num_before]
        front = front[reached.distances[front] <= limits[reached.owners[front]] / 2]
        if len(front) == 0:
            return reached, True
    return reached, False


def _next_places(
    rows: Rows, reached: _Places, front: Tensor, starts: Tensor, limits: Tensor, prices: Tensor
) -> _Places:
    nodes = reached.nodes[front]
    first = rows.pointers[nodes]
    lengths = (rows.pointers[nodes + 1] - first).clamp_(max=_MOST_OF_ROW)
    running = torch.cumsum(lengths, 0)
    total = int(running[-1])
    if total + len(reached.owners) > _MOST_PLACES[starts.device.type]:
        raise TooManyPlacesError
    which = torch.repeat_interleave(
        torch.arange(len(front), device=front.device), lengths, output_size=total
    )
    entries = (first - running + lengths)[which] + torch.arange(total, device=front.device)
    edges, parents = rows.edges[entries], front[which]
    owners = reached.owners[parents]
    nodes = rows.keys[entries] & 0xFFFFFFFF
    distances = reached.distances[parents] + prices[edges] + _HOP
    kept = torch.nonzero((distances < limits[owners]) & (nodes != starts[owners])).squeeze(1)
    return _Places(owners, nodes, distances, parents, edges).chosen(kept)


def _cheapest(places: _Places, which: Tensor) -> tuple[Tensor, Tensor]:
    """Return, of some places, the cheapest for each owner and node: keys, ascending, and places."""
    some = places.chosen(which)
    keys, order = torch.sort(some.keys, stable=True)
    is_first = torch.ones_like(keys, dtype=torch.bool)
    is_first[1:] = keys[1:] != keys[:-1]
    number = torch.cumsum(is_first, 0) - 1
    ranks = some.distances[order].view(torch.int32).to(torch.int64) << 32 | order
    keys = keys[is_first]
    best = torch.full_like(keys, torch.iinfo(torch.int64).max)
    best.scatter_reduce_(0, number, ranks, "amin")
    return keys, which[best & 0xFFFFFFFF]
