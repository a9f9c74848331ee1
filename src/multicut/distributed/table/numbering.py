"""How the nodes of a table are divided into blocks, and numbered block by block."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from multicut._arrays import FloatArray, IntArray
from multicut.distributed.stages import Summary, map_array, save_array
from multicut.distributed.table.nodes import LIFTED, TableNodes
from multicut.distributed.table.parquet import Piece, Table
from multicut.distributed.tables import EdgeTable, NodeValues

SAMPLE = "sample coordinates"
PLACE = "place nodes in blocks"
COLLECT = "collect blocks"
NUMBER = "number nodes"
RENUMBER = "renumber edges"
_SAMPLE_OF_PIECE = 20_000


@dataclass(frozen=True)
class BlockTree:
    """Blocks in space: halves, quarters and so on, of about as many points each.

    Attributes
    ----------
    axes, splits
        For each place where space is divided, along which axis and at which coordinate; places are
        numbered level by level.
    depth
        The number of levels; there are ``2 ** depth`` blocks.
    """

    axes: tuple[int, ...]
    splits: tuple[float, ...]
    depth: int

    @classmethod
    def of_sample(cls, points: FloatArray, depth: int) -> BlockTree:
        """Divide a sample at medians, each time along its longest extent."""
        axes, splits = [], []
        groups = [points]
        for _ in range(depth):
            halves = []
            for group in groups:
                extent = group.max(axis=0) - group.min(axis=0) if len(group) else np.zeros(1)
                axis = int(extent.argmax())
                split = float(np.median(group[:, axis])) if len(group) else 0.0
                axes.append(axis)
                splits.append(split)
                is_second = group[:, axis] >= split
                halves += [group[~is_second], group[is_second]]
            groups = halves
        return cls(tuple(axes), tuple(splits), depth)

    def blocks_of(self, points: FloatArray) -> IntArray:
        """Return the block of each point."""
        axes, splits = np.array(self.axes, dtype=np.int64), np.array(self.splits)
        path = np.zeros(len(points), dtype=np.int64)
        rows = np.arange(len(points))
        for level in range(self.depth):
            place = path + (2**level - 1)
            path = 2 * path + (points[rows, axes[place]] >= splits[place])
        return path


def sample_piece(folder: str, table: Table, piece: Piece, number: int) -> Summary:
    """Take some coordinates of a piece, evenly spaced."""
    chosen = []
    for _, *coordinates in table.read(piece):
        points = np.stack(coordinates, axis=1)
        finite = points[np.isfinite(points).all(axis=1)]
        if len(finite) < len(points):
            raise ValueError(f"{piece.file}: coordinates must be finite")
        step = max(1, len(points) // _SAMPLE_OF_PIECE)
        chosen.append(points[::step])
    save_array(Path(folder) / SAMPLE / f"{number:05d}.npy", np.concatenate(chosen))
    return {}


def place_piece(
    folder: str, nodes: TableNodes, table: Table, piece: Piece, number: int, tree: BlockTree | None
) -> Summary:
    """Find the positions of the nodes of a piece of a table of blocks or coordinates."""
    found = []
    for ids, *values in table.read(piece):
        blocks = values[0] if tree is None else tree.blocks_of(np.stack(values, axis=1))
        order = np.argsort(ids, kind="stable")
        positions = nodes.positions(ids[order])
        is_known = positions >= 0
        found.append(np.stack([positions[is_known], blocks[order][is_known]]))
    run = np.concatenate(found, axis=1)
    run = run[:, np.argsort(run[0], kind="stable")]
    save_array(Path(folder) / PLACE / f"{number:05d}.npy", run)
    return {"blocks": np.unique(run[1]).tolist()}


def collect_part(
    folder: str, nodes: TableNodes, part: int, num_runs: int, blocks: list[int], name: str
) -> Summary:
    """Put together the blocks of the nodes of a part, numbered ``0 … k-1``."""
    place = Path(folder)
    first, last = nodes.offsets[part : part + 2]
    found = np.full(last - first, -1, dtype=np.int64)
    for number in range(num_runs):
        positions, values = map_array(place / PLACE / f"{number:05d}.npy")
        start, end = np.searchsorted(positions, [first, last])
        own = np.array(positions[start:end]) - first
        numbers = np.searchsorted(blocks, values[start:end])
        is_other = (found[own] >= 0) & (found[own] != numbers)
        is_other[1:] |= (own[1:] == own[:-1]) & (numbers[1:] != numbers[:-1])
        if is_other.any():
            node = nodes.id_at(first + int(own[is_other.argmax()]))
            raise ValueError(f"{name}: node {node} is in several blocks; list each node once")
        found[own] = numbers
    if (found < 0).any():
        node = nodes.id_at(first + int((found < 0).argmax()))
        raise ValueError(f"{name}: node {node} of the edge table is missing; add it")
    save_array(place / COLLECT / f"{part:05d}.npy", found)
    return {"counts": np.bincount(found, minlength=len(blocks)).tolist()}


def number_part(folder: str, part: int, firsts: list[int]) -> Summary:
    """Give numbers to the nodes of a part: those of each block follow each other."""
    place = Path(folder)
    blocks = np.array(map_array(place / COLLECT / f"{part:05d}.npy"))
    order = np.argsort(blocks, kind="stable")
    counts = np.bincount(blocks, minlength=len(firsts))
    starts = np.cumsum(counts) - counts
    ranks = np.empty(len(blocks), dtype=np.int64)
    ranks[order] = np.arange(len(blocks)) - starts[blocks[order]]
    save_array(place / NUMBER / f"{part:05d}.npy", np.array(firsts)[blocks] + ranks)
    return {}


def numbers_of(folder: Path, nodes: TableNodes) -> NodeValues:
    """Return the number of each node, by position."""
    return NodeValues(folder / NUMBER, np.array(nodes.offsets))


def renumber_chunk(
    folder: str, nodes: TableNodes, chunk: int, is_in_order: bool, has_lifted: bool
) -> Summary:
    """Write the edges of a chunk with the numbers of their nodes."""
    place = Path(folder)
    for is_lifted in (False, True)[: 1 + has_lifted]:
        u, v, cost = nodes.positions_in_chunk(chunk, is_lifted=is_lifted)
        if not is_in_order:
            numbers = numbers_of(place, nodes)
            u, v = numbers.take(u), numbers.take(v)
        target = place / RENUMBER / LIFTED if is_lifted else place / RENUMBER
        target.mkdir(exist_ok=True)
        EdgeTable(target, 0).write(chunk, u, v, cost)
    return {}
