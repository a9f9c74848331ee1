"""Chordless cycles of many graphs: what cycle consistency is measured on.

By Chopra and Rao, a cut is a multicut if no chordless cycle has exactly one cut edge. Cycles depend
on the graph alone, so they are listed once, natively, and only looked up afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import torch
from torch import Tensor

from multicut import _core
from multicut._checks import check_integer
from multicut._threads import check_threads

if TYPE_CHECKING:
    from multicut.nn.batch import GraphBatch

SHORTEST = 3
LONGEST = 8
# A RandomMP graph has about 2,500; a grid of 64 x 64 pixels with diagonals 86,000.
MAX_CYCLES_PER_GRAPH = 1_000_000
# Rows are as long as the longest cycle in them, and a product over them takes log2 of that steps.
WIDTHS = (4, 8)
# Graphs that are searched in one call of the native code, between which Ctrl-C is heard.
_GRAPHS_PER_CALL = 1000


@dataclass(frozen=True, eq=False)
class CycleLists:
    """All chordless cycles of many graphs, in main memory.

    Attributes
    ----------
    rows
        For each width, the cycles of at most that many edges (and of more than the width before):
        int32 array of shape (num_cycles, width) of edges, numbered through all graphs. Where a
        cycle has fewer edges than its row has places, the rest is -1.
    offsets
        For each width, an int64 array of shape (num_graphs + 1,): the rows of graph g are
        ``offsets[g]:offsets[g + 1]``.
    """

    rows: tuple[np.ndarray[Any, np.dtype[np.int32]], ...]
    offsets: tuple[np.ndarray[Any, np.dtype[np.int64]], ...]

    @property
    def num_cycles(self) -> int:
        """How many cycles there are in all graphs together."""
        return sum(len(rows) for rows in self.rows)


def list_chordless_cycles(
    edges: np.ndarray[Any, np.dtype[np.integer[Any]]],
    node_offsets: np.ndarray[Any, np.dtype[np.integer[Any]]],
    edge_offsets: np.ndarray[Any, np.dtype[np.integer[Any]]],
    max_length: int = LONGEST,
    *,
    max_cycles: int = MAX_CYCLES_PER_GRAPH,
    num_threads: int | None = None,
) -> CycleLists:
    """List all chordless cycles of at most `max_length` edges of many graphs, each once.

    Parameters
    ----------
    edges
        Shape (num_edges, 2): the nodes of each edge, numbered from 0 in each graph.
    node_offsets, edge_offsets
        Shape (num_graphs + 1,): where each graph begins.
    max_length
        From 3 to 8.
    max_cycles
        A graph with more cycles than this is an error: the number can grow exponentially with
        `max_length` where degrees are large (complete graphs have triangles only).
    num_threads
        Threads to share the graphs among, by default as many as this process may use; of no
        influence on the result.
    """
    check_integer(1, max_cycles=max_cycles)
    if max_length not in range(SHORTEST, LONGEST + 1):
        raise ValueError(f"max_length must be from {SHORTEST} to {LONGEST}, got {max_length!r}")
    threads = check_threads(num_threads)
    widths = [width for width in WIDTHS if WIDTHS[0] == width or width // 2 < max_length]
    parts: list[list[np.ndarray[Any, Any]]] = [[] for _ in widths]
    counts: list[list[np.ndarray[Any, Any]]] = [[] for _ in widths]
    num_graphs = len(node_offsets) - 1
    for first in range(0, num_graphs, _GRAPHS_PER_CALL):
        last = min(first + _GRAPHS_PER_CALL, num_graphs)
        nodes = np.asarray(node_offsets[first : last + 1], dtype=np.int64) - node_offsets[first]
        sizes: Any = np.diff(edge_offsets[first : last + 1])
        local = np.asarray(edges[edge_offsets[first] : edge_offsets[last]], dtype=np.int64)
        try:
            offsets, members, of_graph = _core.chordless_cycles(
                np.ascontiguousarray(local + np.repeat(nodes[:-1], sizes)[:, None]),
                nodes,
                int(max_length),
                max_cycles,
                threads,
            )
        except _core.TooManyCyclesError as error:
            raise ValueError(_renumbered(str(error), first)) from None
        lengths = np.diff(offsets)
        graphs = np.repeat(np.arange(last - first), np.diff(of_graph))
        shortest = 0
        for i, width in enumerate(widths):
            chosen = np.flatnonzero((lengths > shortest) & (lengths <= width))
            places = np.arange(width) < lengths[chosen, None]
            rows = np.full(places.shape, -1, dtype=np.int32)
            inside = (offsets[chosen, None] + np.arange(width))[places]
            rows[places] = members[inside] + np.int32(edge_offsets[first])
            parts[i].append(rows)
            counts[i].append(np.bincount(graphs[chosen], minlength=last - first))
            shortest = width
    return CycleLists(
        rows=tuple(
            np.concatenate([np.empty((0, width), dtype=np.int32), *part])
            for width, part in zip(widths, parts, strict=True)
        ),
        offsets=tuple(
            np.concatenate([[0], np.cumsum(np.concatenate([np.empty(0, dtype=np.int64), *count]))])
            for count in counts
        ),
    )


def _renumbered(message: str, first: int) -> str:
    """Count graphs from the first of all, not from the first of a call of the native code."""
    word, number, rest = message.split(" ", 2)
    return f"{word} {int(number) + first} {rest}"


@dataclass(frozen=True, eq=False)
class CycleSet:
    """The chordless cycles of one batch, on its device.

    Attributes
    ----------
    rows
        One int32 tensor of shape (num_cycles, width) for each width: the edges of each cycle,
        numbered through the batch. Places a cycle does not need hold `num_edges`, the number of an
        edge that is not there: losses give it ŷ = 0, which changes no sum of products.
    num_edges
        The number of edges of the batch.
    """

    rows: tuple[Tensor, ...]
    num_edges: int

    @classmethod
    def of(
        cls,
        batch: GraphBatch,
        max_length: int = LONGEST,
        *,
        max_cycles: int = MAX_CYCLES_PER_GRAPH,
        num_threads: int | None = None,
    ) -> Self:
        """List the cycles of a batch; :func:`list_chordless_cycles` explains the arguments.

        This copies the graphs to main memory. In training, cycles are listed once for the whole
        dataset instead: see :class:`multicut.training.DeviceDataset`.
        """
        node_offsets = batch.node_offsets.cpu().numpy()
        edge_offsets = batch.edge_offsets.cpu().numpy()
        first_nodes = np.repeat(node_offsets[:-1], np.diff(edge_offsets))
        lists = list_chordless_cycles(
            batch.edges.cpu().numpy().T - first_nodes[:, None],
            node_offsets,
            edge_offsets,
            max_length,
            max_cycles=max_cycles,
            num_threads=num_threads,
        )
        return cls.from_rows([torch.from_numpy(rows) for rows in lists.rows], batch)

    @classmethod
    def from_rows(cls, rows: Sequence[Tensor], batch: GraphBatch) -> Self:
        """Take rows of edges of a batch in which -1 stands for no edge."""
        no_edge = batch.num_edges
        return cls(
            rows=tuple(torch.where(r < 0, no_edge, r).to(batch.device) for r in rows),
            num_edges=no_edge,
        )

    @property
    def num_cycles(self) -> int:
        """How many cycles there are."""
        return sum(rows.shape[0] for rows in self.rows)
