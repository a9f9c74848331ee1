"""The rows of an undirected graph's adjacency matrix, shared by all that multiplies with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Adjacency:
    """A symmetric adjacency matrix in compressed rows, without its values.

    Each undirected edge has two entries, one in the row of either end. A value per *edge* thus
    gives a symmetric matrix, and the same rows serve a product and its gradient.

    Attributes
    ----------
    row_pointers
        Shape (num_nodes + 1,): row u holds the entries ``row_pointers[u]:row_pointers[u + 1]``.
    columns
        Shape (2 · num_edges,): the column of each entry.
    edge_of_entry
        Shape (2 · num_edges,), int64: the undirected edge that each entry belongs to.
    """

    row_pointers: Tensor
    columns: Tensor
    edge_of_entry: Tensor

    @classmethod
    def from_edges(cls, edges: Tensor, num_nodes: int) -> Self:
        """Sort both directions of all edges by their row.

        The sort is stable, so that sums over a row are taken in the same order every time.
        """
        num_edges = edges.shape[1]
        # 32 bits halve the traffic, and are what MKL and cuSPARSE read without a conversion.
        small = max(num_nodes, 2 * num_edges) < 2**31
        index_type = torch.int32 if small else torch.int64
        rows = torch.cat([edges[0], edges[1]]).to(index_type)
        columns = torch.cat([edges[1], edges[0]]).to(index_type)
        rows, order = torch.sort(rows, stable=True)
        nodes = torch.arange(num_nodes + 1, dtype=index_type, device=edges.device)
        return cls(
            row_pointers=torch.searchsorted(rows, nodes, out_int32=small),
            columns=columns[order],
            edge_of_entry=torch.where(order < num_edges, order, order - num_edges),
        )

    @property
    def num_nodes(self) -> int:
        """The number of rows, and of columns."""
        return self.row_pointers.shape[0] - 1
