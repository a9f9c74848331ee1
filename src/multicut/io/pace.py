"""PACE 2021, cluster editing (``.gr``).

A line ``p cep n m``, then m lines ``u v`` with nodes from 1 on; comments begin with ``c``. A listed
pair is an edge of cost +1, every other pair one of cost -1, so that editing steps = cut cost +
number of pairs not listed::

    p cep 3 2
    1 2
    2 3

The graph is complete: a problem comes back with an edge for every pair, row by row, and only
complete problems with costs of +1 and -1 can be written. Node ids other than 0 … n-1 are kept in a
comment (see :mod:`multicut.io.edge_text`). Node ids that are not integers cannot be stored.
"""

from __future__ import annotations

from typing import IO

import numpy as np

from multicut._arrays import BoolArray
from multicut._words import count
from multicut.io.build import (
    MAX_PAIRS,
    build_problem,
    count_pairs,
    integer_ids,
    triangle_positions,
    upper_triangle,
)
from multicut.io.edge_text import Layout, parse, write_edges, write_ids
from multicut.io.record import single
from multicut.io.source import Source
from multicut.problem import Problem

_LAYOUT = Layout(comment_marks="c", num_columns=2, cost_column=None, header_rows=1)


def _recognises(source: Source) -> bool:
    first = source.first_row(_LAYOUT.comment_marks)
    return first is not None and first[1].startswith("p ")


def _read(source: Source) -> Problem:
    line, row = source.first_row(_LAYOUT.comment_marks) or (1, "")
    fields = row.split()
    if fields[:2] != ["p", "cep"] or len(fields) != 4 or not all(map(str.isdecimal, fields[2:])):
        raise source.error(f"expected 'p cep NODES EDGES', got {row[:40]!r}", line)
    num_nodes, num_listed = int(fields[2]), int(fields[3])
    num_pairs = count_pairs(num_nodes)
    source.check_size(line, edges=num_pairs)
    if num_pairs > MAX_PAIRS:
        raise source.error(
            f"{num_nodes} nodes are too many for a complete graph of at most {MAX_PAIRS} edges",
            line,
        )
    text = parse(source, _LAYOUT)
    if len(text.edges) != num_listed:
        raise source.error(
            f"announces {count(num_listed, 'edge')}, but {len(text.edges)} follow; the file may be "
            f"cut short",
            line,
        )
    outside: BoolArray = ((text.edges < 1) | (text.edges > num_nodes)).max(axis=1, initial=False)
    _check_rows(source, outside, f"a node is outside 1 … {num_nodes}, those the header states")
    listed = Problem(text.edges - 1, np.ones(num_listed), num_nodes=num_nodes)
    first = np.unique(listed.edge_of_input, return_index=True)[1]
    repeated = np.ones(num_listed, dtype=bool)
    repeated[first] = False
    repeated |= listed.edge_of_input < 0
    _check_rows(source, repeated, "a pair occurs twice, or a node with itself; remove the line")
    costs = np.full(num_pairs, -1.0)
    costs[triangle_positions(listed)] = 1.0
    return build_problem(source, upper_triangle(num_nodes), costs, num_nodes, text.node_ids)


def _check_rows(source: Source, bad: BoolArray, message: str) -> None:
    """Raise an error for the first invalid edge; the header is one row above the edges."""
    if bad.any():
        line = source.line_of_row(_LAYOUT.comment_marks, int(np.argmax(bad)) + 1)
        raise source.error(message, line)


def _write(problem: Problem, stream: IO[bytes], _suffix: str) -> None:
    num_pairs = count_pairs(problem.num_nodes)
    if problem.num_edges < num_pairs:
        raise ValueError(
            f"format 'pace' stores complete graphs only: {problem.num_nodes} nodes have "
            f"{num_pairs} "
            f"pairs, the problem {problem.num_edges} edges; write another format"
        )
    odd = problem.costs[np.abs(problem.costs) != 1]
    if len(odd) > 0:
        raise ValueError(
            f"format 'pace' stores costs of +1 and -1 only, got {odd[0]}; write another format"
        )
    # Row by row, as in the files of the challenge.
    positions = np.sort(triangle_positions(problem)[problem.costs > 0])
    listed = upper_triangle(problem.num_nodes)[positions]
    stream.write(f"p cep {problem.num_nodes} {len(listed)}\n".encode())
    if problem.has_own_ids:
        write_ids(stream, integer_ids(problem, RECORD.name), mark="c")
    write_edges(stream, listed + 1, None)


RECORD = single(
    name="pace",
    description="PACE 2021 cluster editing: complete graphs with costs +1 and -1",
    suffixes=(".gr",),
    recognises=_recognises,
    read=_read,
    write=_write,
)
