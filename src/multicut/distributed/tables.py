"""Edges and values of nodes in many files, of which a task reads those that it needs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from multicut._arrays import FloatArray, IntArray
from multicut.distributed.stages import compact, load_arrays, map_array, save_array, save_arrays


@dataclass(frozen=True)
class EdgeTable:
    """Edges in a folder, in chunks of any size.

    Nodes are ``0 … n-1``. An edge may occur several times, in either direction; then its costs are
    added. Costs may be infinite: must-links (``+inf``) and cannot-links (``-inf``).

    Attributes
    ----------
    folder
        Where the chunks are: ``00000.npz``, ``00001.npz``, …, each with arrays `u`, `v` and `cost`.
    num_chunks
        The number of chunks.
    """

    folder: Path
    num_chunks: int

    def to_list(self) -> list[Any]:
        """Return plain values, of which :meth:`of_list` makes the same again."""
        return [str(self.folder), self.num_chunks]

    @classmethod
    def of_list(cls, values: list[Any]) -> Self:
        """Make the table again from plain values."""
        return cls(Path(values[0]), int(values[1]))

    def file(self, chunk: int) -> Path:
        """Return the file of a chunk."""
        return self.folder / f"{chunk:05d}.npz"

    def write(self, chunk: int, u: IntArray, v: IntArray, cost: FloatArray) -> None:
        """Write a chunk."""
        save_arrays(self.file(chunk), u=compact(u), v=compact(v), cost=cost)

    def read(self, chunk: int) -> tuple[IntArray, IntArray, FloatArray]:
        """Read a chunk."""
        arrays = load_arrays(self.file(chunk))
        return (
            np.asarray(arrays["u"], dtype=np.int64),
            np.asarray(arrays["v"], dtype=np.int64),
            np.asarray(arrays["cost"], dtype=np.float64),
        )


@dataclass(frozen=True, eq=False)
class NodeValues:
    """An integer for each node, in one file for each block of nodes.

    Attributes
    ----------
    folder
        Where the files are: ``00000.npy``, ``00001.npy``, …
    offsets
        File ``b`` holds the values of the nodes ``offsets[b] … offsets[b + 1] - 1``.
    """

    folder: Path
    offsets: IntArray

    def file(self, block: int) -> Path:
        """Return the file of a block."""
        return self.folder / f"{block:05d}.npy"

    def write(self, block: int, values: NDArray[Any]) -> None:
        """Write the values of the nodes of a block."""
        save_array(self.file(block), np.ascontiguousarray(values, dtype=np.int64))

    def read(self, block: int) -> IntArray:
        """Return the values of the nodes of a block; they are read when they are used."""
        return map_array(self.file(block))

    def take(self, nodes: IntArray) -> IntArray:
        """Return the values of any nodes, reading parts of the files that hold them."""
        found = np.empty(len(nodes), dtype=np.int64)
        if len(nodes) == 0:
            return found
        blocks = np.searchsorted(self.offsets, nodes, side="right") - 1
        order = np.argsort(blocks, kind="stable")
        blocks = blocks[order]
        starts = np.flatnonzero(np.r_[True, blocks[1:] != blocks[:-1]])
        for start, end in zip(starts, np.r_[starts[1:], len(nodes)], strict=True):
            block = int(blocks[start])
            chosen = order[start:end]
            found[chosen] = self.read(block)[nodes[chosen] - self.offsets[block]]
        return found

    def all(self) -> IntArray:
        """Return the values of all nodes, where these fit into memory."""
        parts = [self.read(block) for block in range(len(self.offsets) - 1)]
        return np.concatenate([np.asarray(part) for part in parts])
