"""Nodes of an edge table: any integers, which become positions ``0 … n-1`` in ascending order."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from multicut._arrays import BoolArray, FloatArray, IntArray, distinct
from multicut.distributed.stages import Summary, map_array, save_array
from multicut.distributed.table.parquet import Piece, Table
from multicut.distributed.tables import EdgeTable

READ = "read table"
MERGE = "merge node ids"
#: The folder of lifted edges, within that of the others.
LIFTED = "lifted"
# Ids of nodes that are handled together.
IDS_AT_ONCE = 4_000_000
_QUANTILES = 64


def read_piece(folder: str, table: Table, piece: Piece, first_chunk: int) -> Summary:
    """Copy a piece of the edge table into chunks, each with a list of its node ids."""
    place = Path(folder) / READ
    edges = EdgeTable(place, 0)
    chunks = []
    for chunk, (u, v, cost, *flags) in enumerate(table.read(piece), start=first_chunk):
        num_lifted = 0
        if flags:
            (is_lifted,) = flags
            num_lifted = _write_lifted(place, chunk, u, v, cost, is_lifted)
            kept = ~is_lifted
            edges.write(chunk, u[kept], v[kept], cost[kept])
        else:
            edges.write(chunk, u, v, cost)
        ids = distinct(np.concatenate([u, v]))
        save_array(ids_file(place, chunk), ids)
        quantiles = ids[np.linspace(0, len(ids) - 1, _QUANTILES).astype(np.int64)]
        chunks.append(
            {"num_ids": len(ids), "quantiles": quantiles.tolist(), "num_lifted": num_lifted}
        )
    return {"chunks": chunks}


def _write_lifted(
    place: Path, chunk: int, u: IntArray, v: IntArray, cost: FloatArray, is_lifted: BoolArray
) -> int:
    """Write the lifted edges of a chunk, and return their number."""
    refused = np.flatnonzero(is_lifted & np.isposinf(cost))
    if len(refused) > 0:
        row = refused[0]
        raise ValueError(
            f"edges: the lifted edge between {u[row]} and {v[row]} must not cost +inf, since a "
            f"block does not know all paths between them; use a large cost"
        )
    (place / LIFTED).mkdir(exist_ok=True)
    EdgeTable(place / LIFTED, 0).write(chunk, u[is_lifted], v[is_lifted], cost[is_lifted])
    return int(np.count_nonzero(is_lifted))


def ids_file(place: Path, chunk: int) -> Path:
    """Return the file with the node ids of a chunk."""
    return place / f"{chunk:05d}.ids.npy"


def choose_splits(summaries: list[Summary]) -> list[int]:
    """Return ids at which to divide all ids into parts of about equal size."""
    chunks = [chunk for summary in summaries for chunk in summary["chunks"]]
    most = sum(chunk["num_ids"] for chunk in chunks)
    number = -(-most // IDS_AT_ONCE)
    samples = np.sort(np.concatenate([chunk["quantiles"] for chunk in chunks]))
    places = np.linspace(0, len(samples), number + 1).astype(np.int64)[1:-1]
    return [int(split) for split in np.unique(samples[places])]


def merge_part(
    folder: str, part: int, num_chunks: int, low: int | None, high: int | None
) -> Summary:
    """List all node ids between two of them."""
    place = Path(folder)
    found = []
    for chunk in range(num_chunks):
        ids = map_array(ids_file(place / READ, chunk))
        start = 0 if low is None else int(np.searchsorted(ids, low))
        end = len(ids) if high is None else int(np.searchsorted(ids, high))
        found.append(np.array(ids[start:end]))
    ids = distinct(np.concatenate(found))
    save_array(place / MERGE / f"{part:05d}.npy", ids)
    ends = [int(ids[0]), int(ids[-1])] if len(ids) > 0 else []
    return {"num_ids": len(ids), "ends": ends}


@dataclass(frozen=True)
class TableNodes:
    """All nodes of a table, in parts of ascending ids.

    Attributes
    ----------
    folder
        Of the computation.
    splits
        The least id of each part but the first.
    offsets
        Position of the first node of each part, and the number of nodes.
    first_id
        The least id, if ids have no gaps; None if they have.
    """

    folder: str
    splits: tuple[int, ...]
    offsets: tuple[int, ...]
    first_id: int | None

    @classmethod
    def of_parts(cls, folder: Path, splits: list[int], summaries: list[Summary]) -> TableNodes:
        """Put the parts together."""
        sizes = [summary["num_ids"] for summary in summaries]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).tolist()
        ends = [end for summary in summaries for end in summary["ends"]]
        has_gaps = ends[-1] - ends[0] + 1 != offsets[-1]
        return cls(str(folder), tuple(splits), tuple(offsets), None if has_gaps else ends[0])

    @property
    def num_nodes(self) -> int:
        """The number of nodes."""
        return self.offsets[-1]

    @property
    def num_parts(self) -> int:
        """The number of parts."""
        return len(self.offsets) - 1

    def ids(self, part: int) -> IntArray:
        """Return the ids of a part, ascending."""
        return map_array(Path(self.folder) / MERGE / f"{part:05d}.npy")

    def id_at(self, position: int) -> int:
        """Return the id of the node at a position."""
        part = int(np.searchsorted(self.offsets, position, side="right")) - 1
        return int(self.ids(part)[position - self.offsets[part]])

    def positions(self, ids: IntArray) -> IntArray:
        """Return the positions of ascending ids; -1 where there is no such node."""
        if self.first_id is not None:
            found = ids - self.first_id
            found[(found < 0) | (found >= self.num_nodes)] = -1
            return found
        found = np.full(len(ids), -1, dtype=np.int64)
        bounds = [0, *np.searchsorted(ids, self.splits).tolist(), len(ids)]
        for part, (start, end) in enumerate(pairwise(bounds)):
            known = self.ids(part)
            if start == end or len(known) == 0:
                continue
            places = np.minimum(np.searchsorted(known, ids[start:end]), len(known) - 1)
            is_known = known[places] == ids[start:end]
            found[start:end] = np.where(is_known, self.offsets[part] + places, -1)
        return found

    def positions_in_chunk(
        self, chunk: int, *, is_lifted: bool = False
    ) -> tuple[IntArray, IntArray, Any]:
        """Return the positions of both ends of the edges of a chunk, and their costs."""
        place = Path(self.folder) / READ
        u, v, cost = EdgeTable(place / LIFTED if is_lifted else place, 0).read(chunk)
        if self.first_id is not None:
            return u - self.first_id, v - self.first_id, cost
        ids = np.array(map_array(ids_file(place, chunk)))
        positions = self.positions(ids)
        return positions[np.searchsorted(ids, u)], positions[np.searchsorted(ids, v)], cost
