"""LPMP and RAMA text.

The line ``MULTICUT``, then one edge ``u v cost`` per line; nodes are 0 … the largest that occurs.
Empty lines and comments (``c`` or ``#`` first) may stand anywhere::

    MULTICUT
    0 1 1.5
    1 2 -2

Lifted edges follow after the line ``LIFTED``; then the number of nodes stands below ``MULTICUT``,
as LPMP expects it there::

    MULTICUT
    3
    0 1 1.5
    1 2 -2
    LIFTED
    0 2 0.5

The reader takes that number, or does without it, in either case.

Isolated nodes at the end, and node ids other than 0 … n-1, are kept in comments (see
:mod:`multicut.io.edge_text`); other programs read the same edges over node indices. Node ids that
are not integers cannot be stored.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from typing import IO

import numpy as np

from multicut.io.build import build_problem, integer_ids
from multicut.io.edge_text import (
    Edges,
    Layout,
    TextPart,
    highest_node,
    parse,
    write_count,
    write_edges,
    write_ids,
)
from multicut.io.errors import Advice
from multicut.io.record import single
from multicut.io.source import Source
from multicut.problem import Problem

_HEADER = "MULTICUT"
_LAYOUT = Layout(comment_marks="#c", header_rows=1)
_LIFTED = "LIFTED"
_LIFTED_LINE = re.compile(rb"^[ \t]*LIFTED[ \t]*\r?$", re.MULTILINE)
_COUNT = re.compile(r"\d{1,18}")


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
    layout, stated = _LAYOUT, None
    second = next(islice(source.rows(_LAYOUT.comment_marks), 1, 2), None)
    if second is not None and _COUNT.fullmatch(second[1]):
        layout, stated = replace(_LAYOUT, header_rows=2), int(second[1])
    found = _LIFTED_LINE.search(source.text)
    part = None if found is None else TextPart(source.text[: found.start()])
    text = parse(source, layout, part)
    lifted = None if found is None else _read_lifted(source, found.end())
    num_nodes = text.noted_nodes
    if num_nodes is None:
        num_nodes = stated
    if num_nodes is None:
        ends = text.edges if lifted is None else np.concatenate([text.edges, lifted[0]])
        num_nodes = int(np.max(ends, initial=-1)) + 1
    return build_problem(source, text.edges, text.costs, num_nodes, text.node_ids, lifted)


def _read_lifted(source: Source, begin: int) -> Edges:
    lines_before = source.text.count(b"\n", 0, begin)
    part = TextPart(source.text[begin:], lines_before)
    text = parse(source, replace(_LAYOUT, header_rows=0), part)
    return text.edges, text.costs


def _write(problem: Problem, stream: IO[bytes], _suffix: str) -> None:
    stream.write(f"{_HEADER}\n".encode())
    if problem.is_lifted:
        stream.write(f"{problem.num_nodes}\n".encode())
    if problem.has_own_ids:
        write_ids(stream, integer_ids(problem, RECORD.name))
    elif highest_node(problem) + 1 < problem.num_nodes and not problem.is_lifted:
        write_count(stream, problem.num_nodes)
    write_edges(stream, problem.edges, problem.costs)
    if problem.is_lifted:
        stream.write(f"{_LIFTED}\n".encode())
        write_edges(stream, problem.lifted_edges, problem.lifted_costs)


RECORD = single(
    name="lpmp",
    description="LPMP and RAMA text: MULTICUT, then 'u v cost' lines",
    suffixes=(".txt", ".lpmp"),
    recognises=_recognises,
    read=_read,
    write=_write,
    holds_lifted=True,
)
