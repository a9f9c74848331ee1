"""How a caller wants the nodes of a table to be divided into blocks."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from multicut._checks import check_integer
from multicut._extras import needed
from multicut.distributed.table.parquet import Table, open_table
from multicut.distributed.table.stream_blocks import STREAM

#: Edges of a block, if nothing else is asked for.
EDGES_PER_BLOCK = 2_000_000
_AXES = ("x", "y", "z")


@dataclass(frozen=True)
class Division:
    """How nodes are to be divided: a number of ranges, a table of blocks or of coordinates."""

    number: int
    kind: str
    table: Table | None = None

    def describe(self) -> list[Any]:
        """Return plain values that differ if it is another one."""
        return [self.number, self.kind, None if self.table is None else self.table.identity()]


def choose_division(
    table: Table,
    blocks: int | str | os.PathLike[str] | None,
    coordinates: str | os.PathLike[str] | None,
) -> Division:
    """Check the arguments that say how to divide the nodes."""
    num_rows = sum(piece.num_rows for piece in table.pieces())
    if num_rows == 0:
        raise ValueError(f"edges: {table.files[0]} has no rows; there is nothing to solve")
    number = max(1, round(num_rows / EDGES_PER_BLOCK))
    if isinstance(blocks, str | os.PathLike) and blocks != STREAM:
        if coordinates is not None:
            raise ValueError("blocks and coordinates: name only one table")
        given = open_table(blocks, ("node", "block"), ("integers", "integers"), "blocks")
        return Division(0, "table", given)
    if coordinates is not None and blocks == STREAM:
        raise ValueError("blocks='stream' needs no coordinates; leave one out")
    if blocks is not None and blocks != STREAM:
        number = check_integer(1, blocks=blocks)
    if coordinates is None:
        return Division(number, "stream" if blocks == STREAM else "ranges")
    needed("pyarrow", by="a Parquet table")
    import pyarrow.parquet as pq

    first = open_table(coordinates, ("node",), ("integers",), "coordinates").files[0]
    axes = [axis for axis in _AXES if axis in pq.ParquetFile(first).schema_arrow.names]
    if not axes:
        raise ValueError(f"coordinates: {first} has none of the columns x, y, z")
    kinds = ("integers", *["numbers"] * len(axes))
    given = open_table(coordinates, ("node", *axes), kinds, "coordinates")
    return Division(number, "coordinates", given)
