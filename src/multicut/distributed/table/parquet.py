"""Parquet files: where tables lie, which columns they have, and reading them in pieces."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from multicut._extras import needed

Paths: TypeAlias = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
# Rows that are read and processed together.
ROWS_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class Piece:
    """A part of a table: some row groups of a file, and the row that they begin with."""

    file: str
    groups: tuple[int, ...]
    first_row: int
    num_rows: int

    @property
    def num_chunks(self) -> int:
        """The number of chunks that it is read in."""
        return -(-self.num_rows // ROWS_AT_ONCE)


@dataclass(frozen=True)
class Table:
    """A table in one or more files of the same columns.

    Attributes
    ----------
    files
        The files, in the order of the table.
    columns
        The columns that are read.
    kinds
        For each of these, whether it holds ``"integers"``, ``"numbers"`` or ``"flags"``.
    """

    files: tuple[Path, ...]
    columns: tuple[str, ...]
    kinds: tuple[str, ...]

    def identity(self) -> list[list[Any]]:
        """Return what changes when a file does."""
        return [
            [str(file), status.st_size, status.st_mtime_ns]
            for file in self.files
            for status in (file.stat(),)
        ]

    def pieces(self) -> list[Piece]:
        """Divide the table into pieces of about as many rows as are read at once."""
        found: list[Piece] = []
        for file in self.files:
            with _opened(file) as source:
                rows = [
                    source.metadata.row_group(group).num_rows
                    for group in range(source.metadata.num_row_groups)
                ]
            start, before, count = 0, 0, 0
            for group, more in enumerate(rows):
                if group > start and count + more > ROWS_AT_ONCE:
                    found.append(Piece(str(file), tuple(range(start, group)), before, count))
                    start, before, count = group, before + count, 0
                count += more
            if count > 0:
                found.append(Piece(str(file), tuple(range(start, len(rows))), before, count))
        return found

    def check(self) -> None:
        """Raise an error of one line if a file lacks a column or has one of another type."""
        for file in self.files:
            with _opened(file) as source:
                schema = source.schema_arrow
            for column, kind in zip(self.columns, self.kinds, strict=True):
                _check_column(file, schema, column, kind)

    def read(self, piece: Piece) -> Iterator[list[NDArray[Any]]]:
        """Yield the columns of a piece in chunks: as int64, float64 or bool."""
        parts: list[list[NDArray[Any]]] = []
        rows = 0
        for arrays in self._batches(piece):
            while rows + len(arrays[0]) >= ROWS_AT_ONCE:
                room = ROWS_AT_ONCE - rows
                parts.append([array[:room] for array in arrays])
                yield [np.concatenate(column) for column in zip(*parts, strict=True)]
                arrays, parts, rows = [array[room:] for array in arrays], [], 0
            parts.append(arrays)
            rows += len(arrays[0])
        if rows > 0:
            yield [np.concatenate(column) for column in zip(*parts, strict=True)]

    def _batches(self, piece: Piece) -> Iterator[list[NDArray[Any]]]:
        import pyarrow as pa

        file, row = Path(piece.file), piece.first_row
        with _opened(file) as source:
            batches = source.iter_batches(
                batch_size=ROWS_AT_ONCE,
                row_groups=list(piece.groups),
                columns=list(self.columns),
                use_threads=False,
            )
            try:
                for batch in batches:
                    yield [
                        _as_array(file, column, kind, batch.column(column), row)
                        for column, kind in zip(self.columns, self.kinds, strict=True)
                    ]
                    row += batch.num_rows
            except (pa.ArrowException, OSError) as error:
                raise ValueError(f"{file}: cannot be read ({_line(error)})") from None


def open_table(
    paths: Paths,
    columns: Sequence[str],
    kinds: Sequence[str],
    name: str,
) -> Table:
    """Find the files of a table and check their columns.

    Parameters
    ----------
    paths
        A file, a folder whose files ``*.parquet`` are read, also in folders within, or a list of
        these.
    columns, kinds
        The columns to read, and what they hold.
    name
        The argument that this is, for messages.
    """
    needed("pyarrow", by="a Parquet table")
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    files: list[Path] = []
    for path in map(Path, given):
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*.parquet") if file.is_file())
            if not inside:
                raise ValueError(f"{name}: there is no file *.parquet in {str(path)!r}")
            files += inside
        elif path.exists():
            files.append(path)
        else:
            raise FileNotFoundError(f"{name}: there is no file {str(path)!r}")
    if not files:
        raise ValueError(f"{name} must name a Parquet file or a folder of these, got none")
    table = Table(tuple(file.resolve() for file in files), tuple(columns), tuple(kinds))
    table.check()
    return table


def has_column(paths: Paths, column: str, name: str) -> bool:
    """Return whether a file of a table has a column."""
    for file in open_table(paths, (), (), name).files:
        with _opened(file) as source:
            if column in source.schema_arrow.names:
                return True
    return False


def _opened(file: Path) -> Any:
    needed("pyarrow", by="a Parquet table")
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(file)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{file}: is not a readable Parquet file ({_line(error)})") from None


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def _check_column(file: Path, schema: Any, column: str, kind: str) -> None:
    import pyarrow as pa

    index = schema.get_field_index(column)
    if index < 0:
        raise ValueError(
            f"{file}: has no column {column!r}, or several; its columns are "
            f"{', '.join(schema.names)}"
        )
    found = schema.field(index).type
    is_integer = pa.types.is_integer(found)
    if kind == "integers" and not is_integer:
        raise TypeError(f"{file}: column {column!r} must hold integers, got {found}")
    if kind == "numbers" and not (is_integer or pa.types.is_floating(found)):
        raise TypeError(f"{file}: column {column!r} must hold numbers, got {found}")
    if kind == "flags" and not (is_integer or pa.types.is_boolean(found)):
        raise TypeError(f"{file}: column {column!r} must hold true and false, got {found}")


def _as_array(file: Path, column: str, kind: str, values: Any, first_row: int) -> NDArray[Any]:
    if values.null_count > 0:
        raise ValueError(
            f"{file}: column {column!r} must not have missing values, got {values.null_count:,} "
            f"behind row {first_row:,}; drop or impute them"
        )
    array = np.asarray(values.to_numpy(zero_copy_only=False))
    if kind == "integers":
        if array.dtype == np.uint64 and len(array) > 0 and array.max() >= 2**63:
            raise ValueError(f"{file}: column {column!r} must be below 2^63, got {array.max()}")
        return array.astype(np.int64, copy=False)
    if kind == "flags":
        is_flag = (array == 0) | (array == 1)
        if not is_flag.all():
            row = first_row + int((~is_flag).argmax())
            raise ValueError(
                f"{file}: column {column!r} must be true or false, 1 or 0, got "
                f"{array[~is_flag][0]} in row {row:,}"
            )
        return array.astype(np.bool_, copy=False)
    numbers = array.astype(np.float64, copy=False)
    is_missing = np.isnan(numbers)
    if is_missing.any():
        row = first_row + int(is_missing.argmax())
        raise ValueError(
            f"{file}: column {column!r} must not have NaN, got one in row {row:,}; drop or "
            f"impute it"
        )
    return numbers
