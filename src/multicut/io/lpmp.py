"""LPMP and RAMA text.

The line ``MULTICUT``, then one edge ``u v cost`` per line; nodes are 0 … the largest that occurs.
Empty lines and comments (``c`` or ``#`` first) may stand anywhere::

    MULTICUT
    0 1 1.5
    1 2 -2

Isolated nodes at the end, and node ids other than 0 … n-1, are kept in comments (see
:mod:`multicut.io.edge_text`); other programs read the same edges over node indices. Node ids that
are not integers cannot be stored.
"""

from __future__ import annotations

from typing import IO

import numpy as np

from multicut.io.build import build_problem, integer_ids
from multicut.io.edge_text import Layout, highest_node, parse, write_count, write_edges, write_ids
from multicut.io.errors import Advice
from multicut.io.record import single
from multicut.io.source import Source
from multicut.problem import Problem

_HEADER = "MULTICUT"
_LAYOUT = Layout(comment_marks="#c", header_rows=1)


def _recognises(source: Source) -> bool:
    first = source.first_row(_LAYOUT.comment_marks)
    return first is not None and first[1] == _HEADER


def _read(source: Source) -> Problem:
    line, row = source.first_row(_LAYOUT.comment_marks) or (1, "")
    if row != _HEADER:
        raise source.error(
            f"expected the line {_HEADER}, got {row[:40]!r}; write it above the edges",
            line,
            Advice("or read", "format", "edges"),
        )
    text = parse(source, _LAYOUT)
    num_nodes = text.noted_nodes
    if num_nodes is None:
        num_nodes = int(np.max(text.edges, initial=-1)) + 1
    return build_problem(source, text.edges, text.costs, num_nodes, text.node_ids)


def _write(problem: Problem, stream: IO[bytes], _suffix: str) -> None:
    stream.write(f"{_HEADER}\n".encode())
    if problem.has_own_ids:
        write_ids(stream, integer_ids(problem, RECORD.name))
    elif highest_node(problem) + 1 < problem.num_nodes:
        write_count(stream, problem.num_nodes)
    write_edges(stream, problem.edges, problem.costs)


RECORD = single(
    name="lpmp",
    description="LPMP and RAMA text: MULTICUT, then 'u v cost' lines",
    suffixes=(".txt", ".lpmp"),
    recognises=_recognises,
    read=_read,
    write=_write,
)
