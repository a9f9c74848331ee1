"""Plain lists of edges, as text or CSV.

One edge ``u v cost`` per line, with blanks, tabs, commas or semicolons between the columns. Node
ids are integers from 0 on, in any range, or names; the nodes are those that occur, integers
ascending, names in order of appearance::

    u,v,cost
    10,20,1.5
    20,700,-2

- A first line without any number in it is a header. If it names columns ``u v cost`` (or
  ``source target weight``, …), the reader uses these, in any order, and ignores the others.
- Without such names there must be exactly three columns: the reader does not guess which ones to
  drop.
- Columns that are called distance, similarity or probability do not hold costs and are refused; so
  are ``match_probability``, ``p_match`` and ``cosineSimilarity``, which have such a word in them.
- Every line must have as many columns as the first. Cells may stand in double quotes.
- Ids are names if neither of those on the first line is a number, or where a comment says
  ``# multicut names``. Names are UTF-8.
- Comments begin with ``#`` or ``%``. A byte-order mark is allowed, and lines may end as on any
  system.
- Costs of duplicate edges are added, also of those in opposite directions.
- A column that a header calls ``lifted`` says which edges are lifted: 0 or 1, false or true.

Files ending in ``.csv`` (commas) and ``.tsv`` (tabs) are written with a header, others with blanks
and none, unless there are lifted edges. Isolated nodes, and ids in another order, are kept in
comments (see :mod:`multicut.io.edge_text`). Ids that are neither all integers nor all strings
cannot be stored.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from typing import IO

import numpy as np

from multicut import _core
from multicut._arrays import IntArray, distinct
from multicut.io.build import NUMBER_NODES, build_problem, integer_ids
from multicut.io.edge_text import (
    EdgeText,
    Layout,
    parse,
    write_count,
    write_edges,
    write_ids,
    write_named_edges,
)
from multicut.io.errors import Advice, AdvisedError, FormatError
from multicut.io.record import single
from multicut.io.source import Source
from multicut.problem import Problem

_COMMENT_MARKS = "#%"
_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_NUMBER = re.compile(r"[+-]?(\.?\d.*|inf|infinity|nan)", re.IGNORECASE)
_NAMES_NOTE = re.compile(rb"^[#%][ \t]*multicut names[ \t]*\r?$", re.MULTILINE)
# Characters that a name may only hold in quotes, and such that no line can hold.
_NEEDS_QUOTES = re.compile(r"""^$|[ \t,;"#%]|^\ufeff""")
_NO_TEXT = re.compile(r"^$|[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")
_QUOTED = re.compile(r'"[^"]*"')
_COLUMN_NAMES = (
    {"u", "i", "source", "src", "from", "node1", "node_1", "id1", "id_1"},
    {"v", "j", "target", "dst", "to", "node2", "node_2", "id2", "id_2"},
    {"cost", "costs", "weight", "weights", "w", "value"},
)
_LIFTED_NAMES = {"lifted", "is_lifted"}
# Numbers that may be mistaken for costs, and how to convert them.
_NO_COSTS = {
    **dict.fromkeys(
        ("probability", "probabilities", "prob", "proba", "p", "confidence"),
        "take log(p / (1 - p))",
    ),
    **dict.fromkeys(
        ("distance", "distances", "dist", "dissimilarity"), "take a threshold minus the distance"
    ),
    **dict.fromkeys(
        ("similarity", "similarities", "sim", "score", "scores"),
        "subtract a threshold",
    ),
}
# Words of column names: a column with one of these holds costs, or ids, whatever else it is called.
_COST_WORDS = _COLUMN_NAMES[2] | {"logit", "logits", "odds"}
_ID_WORDS = {"id", "ids", "name", "node", "key"}
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


_NO_EDGES = "contains no edges; put one on each line as 'u v cost'"


def _find_layout(source: Source) -> Layout:
    rows = list(islice(source.rows(_COMMENT_MARKS), 2))
    has_note = _NAMES_NOTE.search(source.head) is not None
    if not rows:
        return Layout(_COMMENT_MARKS, has_names=has_note)
    separator = _find_separator(rows[0][1])
    header = _core.split_row(rows[0][1].encode(), separator)
    has_header = not any(_NUMBER.fullmatch(field) for field in header)
    line, first = rows[-1] if has_header else rows[0]
    num_columns = len(_core.split_row(first.encode(), separator))
    lifted_column = _lifted_column(source, header, rows[0][0]) if has_header else None
    if num_columns < 3 or (has_header and len(rows) < 2):
        raise source.error(
            f"expected at least 3 columns 'u v cost', got {first[:40]!r}; put one edge on each "
            f"line, or name the file's format",
            line,
        )
    if lifted_column is not None and len(header) != num_columns:
        raise source.error(
            f"the header names {len(header)} columns, but {first[:40]!r} has {num_columns}; give "
            f"each edge a cell for each of them",
            line,
        )
    if has_header:
        columns = _named_columns(source, header, num_columns, rows[0][0])
    elif num_columns > 3:
        names = {" ": "u v cost …"}.get(separator, separator.join(["u", "v", "cost", "…"]))
        raise source.error(
            f"expected 3 columns 'u v cost', got {num_columns}: {first[:40]!r}; leave out the "
            f"others, or put a header such as {names!r} above them that names the columns",
            line,
        )
    else:
        columns = (0, 1, 2)
    cells = _core.split_row(first.encode(), separator)
    named = all(place < len(cells) and not _is_number(cells[place]) for place in columns[:2])
    rest = (int(has_header), named or has_note, lifted_column)
    return Layout(_COMMENT_MARKS, separator, num_columns, *columns, *rest)


def _lifted_column(source: Source, header: list[str], line: int) -> int | None:
    """Return the column that tells lifted edges from others."""
    places = [i for i, name in enumerate(header) if name.lower() in _LIFTED_NAMES]
    if len(places) > 1:
        raise source.error("the header names several columns 'lifted'; keep one of them", line)
    return places[0] if places else None


def _find_separator(row: str) -> str:
    bare = _QUOTED.sub("", row)
    # Names may hold blanks between tabs; other lines may have any mixture of both.
    has_blanks = bare.count("\t") >= 2 and len(bare.split("\t")) < len(bare.split())
    return next((mark for mark in ";," if mark in bare), "\t" if has_blanks else " ")


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return cell == ""  # a cell without a name is not one either
    return True


def _named_columns(
    source: Source, header: list[str], num_columns: int, line: int
) -> tuple[int, int, int]:
    """Return the columns of u, v and cost; three unknown names stand for these, in order."""
    names = [name.lower() for name in header]
    found = [[i for i, name in enumerate(names) if name in known] for known in _COLUMN_NAMES]
    if len(header) == num_columns and all(len(places) == 1 for places in found):
        return found[0][0], found[1][0], found[2][0]
    words = [{word.lower() for word in _WORD.findall(name)} for name in header]
    if not any(own & _COST_WORDS for own in words):
        for name, own in zip(header, words, strict=True):
            odd = next((word for word in _NO_COSTS if word in own and not own & _ID_WORDS), None)
            if odd is not None:
                raise source.error(
                    f"column {name!r} does not contain costs, which are positive where two nodes "
                    f"attract "
                    f"each other and negative where they repel; {_NO_COSTS[odd]} and call the "
                    f"column 'cost'",
                    line,
                )
    # A known name in another place contradicts that order.
    in_order = all(set(places) <= {i} for i, places in enumerate(found))
    if num_columns == 3 and (in_order or len(header) != num_columns):
        return 0, 1, 2
    shown = ", ".join(header)
    raise source.error(
        f"the header does not say which of {num_columns} columns are u, v and cost, got: "
        f"{shown[:80]}{'…' * (len(shown) > 80)}; name one of them each 'u', 'v' and 'cost'",
        line,
    )


def _read(source: Source) -> Problem:
    layout = _find_layout(source)
    try:
        text = parse(source, layout)
    except FormatError as error:
        if layout.has_names or not error.message.startswith("a node id must be an integer"):
            raise
        advice = "where ids are names, put the line '# multicut names' first"
        raise source.error(f"{error.message}; {advice}", error.line) from None
    if text.names is not None:
        if len(text.names) == 0:
            raise source.error(_NO_EDGES)
        return _build(source, text, len(text.names), text.names)
    if text.node_ids is not None:
        return _build(source, text, len(text.node_ids), text.node_ids)
    if len(text.edges) == 0 and text.num_nodes is None:
        raise source.error(_NO_EDGES)
    if text.lifted is None or text.num_nodes is not None:
        return _build(source, text, text.num_nodes)
    # All ids that occur are nodes, also those that have lifted edges alone.
    ids = distinct(text.edges.reshape(-1))
    is_plain = np.array_equal(ids, np.arange(len(ids)))
    return _build(source, text, len(ids), None if is_plain else ids)


def _build(
    source: Source,
    text: EdgeText,
    num_nodes: int | None,
    ids: IntArray | list[str] | None = None,
) -> Problem:
    if isinstance(ids, np.ndarray):
        text = replace(text, edges=_positions(source, text.edges, ids))
    (edges, costs), lifted = text.split()
    return build_problem(source, edges, costs, num_nodes, ids, lifted)


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
    if problem.has_own_ids and problem.node_ids.dtype.kind not in "iu":
        _write_named(problem, stream, suffix, separator)
        return
    isolated = np.ones(problem.num_nodes, dtype=bool)
    isolated[problem.edges] = False
    edges, lifted_edges = problem.edges, problem.lifted_edges
    if problem.has_own_ids:
        ids = integer_ids(problem, RECORD.name)
        if isolated.any() or (np.diff(ids) < 0).any():
            write_ids(stream, ids)
        edges, lifted_edges = ids[edges], ids[lifted_edges]
    elif isolated.any() or problem.num_nodes == 0:
        write_count(stream, problem.num_nodes)
    _write_header(problem, stream, suffix, separator)
    if not problem.is_lifted:
        write_edges(stream, edges, problem.costs, separator)
        return
    write_edges(stream, edges, problem.costs, separator, "0")
    write_edges(stream, lifted_edges, problem.lifted_costs, separator, "1")


def _write_header(problem: Problem, stream: IO[bytes], suffix: str, separator: str) -> None:
    columns = ["u", "v", "cost"]
    if problem.is_lifted:
        columns.append("lifted")
    elif suffix not in _SEPARATORS or problem.num_edges == 0:
        return
    stream.write(f"{separator.join(columns)}\n".encode())


def _write_named(problem: Problem, stream: IO[bytes], suffix: str, separator: str) -> None:
    names = problem.node_ids.tolist()
    odd = next((name for name in names if not isinstance(name, str)), None)
    if odd is not None:
        raise AdvisedError(
            f"format {RECORD.name!r} stores node ids that are all integers or all strings, got "
            f"{odd!r}; {NUMBER_NODES}"
        )
    broken = next((name for name in names if _NO_TEXT.search(name)), None)
    if broken is not None:
        raise AdvisedError(
            f"format {RECORD.name!r} cannot store the name {broken!r}",
            Advice("write", "format", "npz"),
        )
    cells = [_in_quotes(name) for name in names]
    rows = np.concatenate([problem.edges, problem.lifted_edges])
    first = rows[0].tolist() if len(rows) > 0 else []
    if not first or any(_is_number(names[node]) for node in first):
        stream.write(b"# multicut names\n")
    if _order_of_appearance(rows) != list(range(problem.num_nodes)):
        write_ids(stream, cells)
    _write_header(problem, stream, suffix, separator)
    if not problem.is_lifted:
        write_named_edges(stream, problem.edges, problem.costs, cells, separator)
        return
    write_named_edges(stream, problem.edges, problem.costs, cells, separator, "0")
    write_named_edges(stream, problem.lifted_edges, problem.lifted_costs, cells, separator, "1")


def _in_quotes(name: str) -> str:
    if not _NEEDS_QUOTES.search(name) and name == name.strip():
        return name
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _order_of_appearance(edges: IntArray) -> list[int]:
    return list(dict.fromkeys(edges.reshape(-1).tolist()))


RECORD = single(
    name="edges",
    description="plain text or CSV: 'u v cost' lines, integer ids or names, with or without header",
    suffixes=(".csv", ".tsv", ".edges", ".edgelist"),
    recognises=lambda source: source.is_text,
    read=_read,
    write=_write,
    holds_lifted=True,
)
