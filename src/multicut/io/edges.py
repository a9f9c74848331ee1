"""Plain lists of edges, as text or CSV.

One edge ``u v cost`` per line, with blanks, tabs, commas or semicolons between the columns. Node
ids are integers from 0 on, in any range; the nodes are those that occur::

    u,v,cost
    10,20,1.5
    20,700,-2

- A first line without any number in it is a header. If it names columns ``u v cost`` (or
  ``source target weight``, …), those are taken wherever they stand, and others are passed over.
- Without such names there must be exactly three columns: which ones to drop is not guessed.
- Every line must have as many columns as the first. Cells may stand in double quotes.
- Comments begin with ``#`` or ``%``. A byte-order mark does no harm, and lines may end as on any
  system.
- Duplicate edges add up, also those of opposite direction.

Files ending in ``.csv`` (commas) and ``.tsv`` (tabs) are written with a header, others with blanks
and none. Isolated nodes, and ids that do not ascend, are kept in comments (see
:mod:`multicut.io.edge_text`). Node ids that are not integers cannot be held.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import IO

import numpy as np

from multicut import _core
from multicut._arrays import IntArray
from multicut.io.build import build_problem, integer_ids
from multicut.io.edge_text import Layout, parse, write_count, write_edges, write_ids
from multicut.io.record import single
from multicut.io.source import Source
from multicut.problem import Problem

_COMMENT_MARKS = "#%"
_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_NUMBER = re.compile(r"[+-]?(\.?\d.*|inf|infinity|nan)", re.IGNORECASE)
_QUOTED = re.compile(r'"[^"]*"')
_COLUMN_NAMES = (
    {"u", "i", "source", "src", "from", "node1", "node_1", "id1", "id_1"},
    {"v", "j", "target", "dst", "to", "node2", "node_2", "id2", "id_2"},
    {"cost", "costs", "weight", "weights", "w", "value"},
)


def _find_layout(source: Source) -> Layout:
    rows = list(islice(source.rows(_COMMENT_MARKS), 2))
    if not rows:
        return Layout(_COMMENT_MARKS)
    separator = _find_separator(rows[0][1])
    header = _core.split_row(rows[0][1].encode(), separator)
    has_header = not any(_NUMBER.fullmatch(field) for field in header)
    line, first = rows[-1] if has_header else rows[0]
    num_columns = len(_core.split_row(first.encode(), separator))
    if num_columns < 3 or (has_header and len(rows) < 2):
        raise source.error(
            f"expected at least 3 columns 'u v cost', got {first[:40]!r}; put one edge on each "
            f"line, or name the file's format",
            line,
        )
    if has_header:
        columns = _named_columns(source, header, num_columns, rows[0][0])
    elif num_columns > 3:
        names = {" ": "u v cost …"}.get(separator, separator.join(["u", "v", "cost", "…"]))
        raise source.error(
            f"expected 3 columns 'u v cost', got {num_columns}: {first[:40]!r}; leave out the "
            f"others, or put a header such as {names!r} above them that tells which is which",
            line,
        )
    else:
        columns = (0, 1, 2)
    return Layout(_COMMENT_MARKS, separator, num_columns, *columns, int(has_header))


def _find_separator(row: str) -> str:
    bare = _QUOTED.sub("", row)
    return next((mark for mark in ";," if mark in bare), " ")


def _named_columns(
    source: Source, header: list[str], num_columns: int, line: int
) -> tuple[int, int, int]:
    """Return where u, v and cost stand; three columns without known names are these, in order."""
    names = [name.lower() for name in header]
    found = [[i for i, name in enumerate(names) if name in known] for known in _COLUMN_NAMES]
    if len(header) == num_columns and all(len(places) == 1 for places in found):
        return found[0][0], found[1][0], found[2][0]
    # A name that is known, but in another place, belies that order.
    in_order = all(set(places) <= {i} for i, places in enumerate(found))
    if num_columns == 3 and (in_order or len(header) != num_columns):
        return 0, 1, 2
    shown = ", ".join(header)
    raise source.error(
        f"the header does not tell which of {num_columns} columns are u, v and cost, got: "
        f"{shown[:80]}{'…' * (len(shown) > 80)}; name one of them each 'u', 'v' and 'cost'",
        line,
    )


def _read(source: Source) -> Problem:
    text = parse(source, _find_layout(source))
    if text.node_ids is not None:
        edges = _positions(source, text.edges, text.node_ids)
        return build_problem(source, edges, text.costs, len(text.node_ids), text.node_ids)
    if len(text.edges) == 0 and text.num_nodes is None:
        raise source.error("holds no edges; put one on each line as 'u v cost'")
    return build_problem(source, text.edges, text.costs, text.num_nodes)


def _positions(source: Source, edges: IntArray, node_ids: IntArray) -> IntArray:
    order = np.argsort(node_ids, kind="stable")
    ranks = np.searchsorted(node_ids, edges, sorter=order)
    positions: IntArray = order[np.minimum(ranks, len(order) - 1)]
    unknown = node_ids[positions] != edges
    if unknown.any():
        raise source.error(
            f"node {edges[unknown][0]} is not among the node_ids that a comment lists"
        )
    return positions


def _write(problem: Problem, stream: IO[bytes], suffix: str) -> None:
    separator = _SEPARATORS.get(suffix, " ")
    isolated = np.ones(problem.num_nodes, dtype=bool)
    isolated[problem.edges] = False
    edges = problem.edges
    if problem.has_own_ids:
        ids = integer_ids(problem, RECORD.name)
        if isolated.any() or (np.diff(ids) < 0).any():
            write_ids(stream, ids)
        edges = ids[edges]
    elif isolated.any() or problem.num_nodes == 0:
        write_count(stream, problem.num_nodes)
    if suffix in _SEPARATORS and len(edges) > 0:
        stream.write(f"{separator.join(['u', 'v', 'cost'])}\n".encode())
    write_edges(stream, edges, problem.costs, separator)


RECORD = single(
    name="edges",
    description="plain text or CSV: 'u v cost' lines, any integer ids, with or without a header",
    suffixes=(".csv", ".tsv", ".edges", ".edgelist"),
    recognises=lambda source: source.is_text,
    read=_read,
    write=_write,
)
