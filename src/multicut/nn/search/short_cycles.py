"""Packing of conflicted triangles and squares on a device: what is sure of each cost.

Costs are whole numbers here. So sums do not depend on the order of summands, which varies on a GPU,
and the kernels there give what these functions give, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from multicut.nn.batch import GraphBatch

# Of long rows so many edges are looked at: for triangles, at the end of a repulsive edge where
# fewer attract; for squares, at both ends.
MOST_IN_TRIANGLES = 64
MOST_IN_SQUARES = 16
# What is left of a cost and due to rounding alone. The largest cost is about 2**39.
NOTHING = 1024
# Sums of all costs fit 62 bits, and no cost needs more than these.
_BITS_OF_SUMS = 60
_MOST_BITS = 40
# So many pairs of edges are looked at for squares, by an estimate; else rows are cut shorter.
_MOST_PAIRS = 2**27
# Without kernels, at a time.
_PAIRS_AT_A_TIME = {"cpu": 2**22, "cuda": 2**26}


@dataclass(frozen=True, eq=False)
class WholeGraph:
    """Graphs side by side whose costs are whole numbers.

    Attributes
    ----------
    num_nodes
        The number of nodes.
    ends
        Shape (num_edges,), int64: the lower end of each edge times 2**32 plus the higher one; each
        once, in any order.
    costs
        Shape (num_edges,), int64.
    num_attractive
        How many costs are positive.
    local
        Shape (num_nodes,), int64: a number that is unique within the node's graph. Ties depend on
        it, so that no graph depends on those beside it.
    largest
        No cost is larger to begin with.
    apart
        Shape (num_edges,), bool: edges whose ends shall stay apart, which repel by `largest` at
        least; None without any.
    """

    num_nodes: int
    ends: Tensor
    costs: Tensor
    num_attractive: int
    local: Tensor
    largest: int
    apart: Tensor | None = None

    @property
    def num_edges(self) -> int:
        """The number of edges."""
        return self.ends.shape[0]

    @property
    def low(self) -> Tensor:
        """Shape (num_edges,): the lower end of each edge."""
        return self.ends >> 32

    @property
    def high(self) -> Tensor:
        """Shape (num_edges,): the higher end of each edge."""
        return self.ends & 0xFFFFFFFF


class Sweeps(NamedTuple):
    """How often triangles, and after them squares, take their share."""

    triangles: int = 3
    squares: int = 2


class Caps(NamedTuple):
    """How many edges of a row are looked at, at most."""

    triangles: int
    squares: int


class Rows(NamedTuple):
    """The attractive edges at each node.

    Attributes
    ----------
    keys
        Shape (2 * num_attractive,), int64: node times 2**32 plus neighbour, ascending.
    edges
        The edge that each of them is.
    pointers
        Shape (num_nodes + 1,): where each node's begin.
    """

    keys: Tensor
    edges: Tensor
    pointers: Tensor


def whole_graph(batch: GraphBatch, apart: Tensor | None = None) -> tuple[WholeGraph, bool]:
    """Return a batch with costs as whole numbers, and whether no cost became 0 by that.

    The unit is a power of two for each graph: labels depend neither on the scale of costs nor on
    the graphs beside it.

    Parameters
    ----------
    batch
        The graphs.
    apart
        Shape (num_edges,), bool: edges whose ends shall stay apart.
    """
    most = batch.num_edges
    if batch.num_graphs > 1:
        most = int(torch.diff(batch.edge_offsets).max())
    # Costs are below 2 in their unit.
    largest = 2 ** min(_BITS_OF_SUMS - most.bit_length(), _MOST_BITS)
    exact = batch.costs.detach().double() / batch.cost_units[batch.graph_of_edge()]
    costs = (exact * (largest // 2)).round().to(torch.int64)
    is_lost = ((costs == 0) & (batch.costs != 0)).any()
    if apart is not None:
        costs = torch.where(apart, -largest, costs)
    num_attractive, lost = torch.stack([(costs > 0).sum(), is_lost.to(torch.int64)]).tolist()
    starts = batch.node_offsets[:-1][batch.graph_of_node()]
    local = torch.arange(batch.num_nodes, device=batch.device) - starts
    return (
        WholeGraph(
            num_nodes=batch.num_nodes,
            ends=batch.edges.amin(0) << 32 | batch.edges.amax(0),
            costs=costs,
            num_attractive=num_attractive,
            local=local,
            largest=largest,
            apart=apart,
        ),
        not lost,
    )


def caps_of(graph: WholeGraph) -> Caps:
    """Return how much of long rows is looked at, so that dense graphs do not take too long."""
    num_repulsive = graph.num_edges - graph.num_attractive
    typical = 4 * graph.num_attractive // max(graph.num_nodes, 1) + 1
    caps = Caps(MOST_IN_TRIANGLES, MOST_IN_SQUARES)
    while caps.squares > 1 and num_repulsive * min(caps.squares, typical) ** 2 > _MOST_PAIRS:
        caps = Caps(max(caps.triangles // 2, 8), caps.squares // 2)
    return caps


def pack(graph: WholeGraph, sweeps: Sweeps) -> Tensor:
    r"""Return what a packing of conflicted triangles and squares leaves of each \|cost\|.

    Conflicted are cycles with exactly one repulsive edge. In each sweep every cycle takes an equal
    share of what its edges have left, as far as all of them have it. No partition costs less than
    what is left of the repulsive edges, negated.

    Parameters
    ----------
    graph
        The graphs.
    sweeps
        How often triangles and squares take their share.
    """
    left = graph.costs.abs()
    if graph.num_attractive in (0, graph.num_edges):
        return left
    rows, caps = attractive_rows(graph), caps_of(graph)
    if sweeps.triangles > 0:
        left = _swept(left, find_triangles(graph, rows, caps), sweeps.triangles)
    if sweeps.squares > 0:
        left = _swept(left, find_squares(graph, rows, caps, left), sweeps.squares)
    return left


def find_triangles(graph: WholeGraph, rows: Rows, caps: Caps) -> Tensor:
    """Return the edges of conflicted triangles, shape (3, ·), the repulsive one first."""
    return _found_in_parts(graph, rows, caps, lambda *part: _triangles(rows, caps, *part))


def find_squares(graph: WholeGraph, rows: Rows, caps: Caps, left: Tensor) -> Tensor:
    """Return the edges of conflicted squares of which something is left, shape (4, ·)."""
    return _found_in_parts(graph, rows, caps, lambda *part: _squares(rows, caps, left, *part))


def _found_in_parts(
    graph: WholeGraph, rows: Rows, caps: Caps, find: Callable[[Tensor, Tensor, Tensor], Tensor]
) -> Tensor:
    """Call a function with some repulsive edges at a time, and their near and far ends."""
    repulsive = torch.nonzero(graph.costs < 0).squeeze(1)
    first, second = graph.low[repulsive], graph.high[repulsive]
    degrees = torch.diff(rows.pointers)
    is_shorter = degrees[first] <= degrees[second]
    near = torch.where(is_shorter, first, second)
    far = torch.where(is_shorter, second, first)
    pairs = _PAIRS_AT_A_TIME.get(graph.costs.device.type, 2**22)
    size = pairs // max(caps.squares**2, caps.triangles)
    parts = zip(*(torch.split(values, size) for values in (repulsive, near, far)), strict=True)
    return torch.cat([find(*part) for part in parts], dim=1)


def attractive_rows(graph: WholeGraph) -> Rows:
    """Return the attractive edges at each node, sorted by neighbour."""
    edges = torch.nonzero(graph.costs > 0).squeeze(1)
    there = graph.ends[edges]
    keys, order = torch.sort(torch.cat([there, graph.high[edges] << 32 | graph.low[edges]]))
    starts = torch.arange(graph.num_nodes + 1, device=keys.device) << 32
    return Rows(keys, edges.repeat(2)[order], torch.searchsorted(keys, starts))


def _triangles(rows: Rows, caps: Caps, repulsive: Tensor, near: Tensor, far: Tensor) -> Tensor:
    """Return the edges of triangles, shape (3, ·): the repulsive one, at its near end, far end."""
    owners, entries = _walk(rows, near, caps.triangles)
    places, is_there = _find(rows, far[owners] << 32 | rows.keys[entries] & 0xFFFFFFFF)
    cycles = torch.stack([repulsive[owners], rows.edges[entries], rows.edges[places]])
    return cycles[:, is_there]


def _squares(
    rows: Rows, caps: Caps, left: Tensor, repulsive: Tensor, near: Tensor, far: Tensor
) -> Tensor:
    """Return the edges of squares of which something is left, shape (4, ·)."""
    has_left = left[rows.edges] > NOTHING
    chosen = torch.nonzero(left[repulsive] > NOTHING).squeeze(1)
    owners, entries = _walk(rows, near[chosen], caps.squares)
    kept = has_left[entries]
    owners, entries = chosen[owners[kept]], entries[kept]
    pairs, others = _walk(rows, far[owners], caps.squares)
    kept = has_left[others]
    pairs, others = pairs[kept], others[kept]
    owners, entries = owners[pairs], entries[pairs]
    places, is_there = _find(rows, rows.keys[others] << 32 | rows.keys[entries] & 0xFFFFFFFF)
    is_there &= has_left[places]
    edges = [rows.edges[some] for some in (entries, places, others)]
    return torch.stack([repulsive[owners], *edges])[:, is_there]


def _walk(rows: Rows, nodes: Tensor, most: int) -> tuple[Tensor, Tensor]:
    """Return the first entries of some nodes' rows: which of the nodes it is, and the entry."""
    starts = rows.pointers[nodes]
    lengths = (rows.pointers[nodes + 1] - starts).clamp(max=most)
    owners = torch.repeat_interleave(torch.arange(len(nodes), device=nodes.device), lengths)
    before = torch.cumsum(lengths, 0) - lengths
    entries = (starts - before)[owners] + torch.arange(len(owners), device=nodes.device)
    return owners, entries


def _find(rows: Rows, keys: Tensor) -> tuple[Tensor, Tensor]:
    """Return where keys are among those of rows, and whether they are there."""
    places = torch.searchsorted(rows.keys, keys).clamp(max=len(rows.keys) - 1)
    return places, rows.keys[places] == keys


def _swept(left: Tensor, cycles: Tensor, times: int) -> Tensor:
    """Let cycles take their share some times."""
    for _ in range(times):
        cycles = cycles[:, (left[cycles] > NOTHING).all(dim=0)]
        counts = torch.zeros_like(left)
        counts.index_add_(0, cycles.flatten(), torch.ones_like(cycles).flatten())
        weights = (left // counts.clamp(min=1))[cycles].amin(dim=0)
        left = left.index_add(0, cycles.flatten(), -weights.repeat(len(cycles)))
    return left
