"""CP-Lib, instances of clique partitioning.

The number of nodes n, then the n(n-1)/2 weights of all pairs: the upper triangle of a matrix, row
by row. Clique partitioning *maximises* the weight within clusters, which is to minimise the weight
cut: weights are costs, and minimal cut = sum of all weights - maximal clique partition::

    3
    1.5 -2
    4

The graph is complete, so a problem comes back with an edge for every pair, in that order: writing
states a pair without an edge as weight 0. Node ids other than 0 … n-1 are kept in a comment at the
end (see :mod:`multicut.io.edge_text`), which some other readers do not skip. Node ids that are not
integers cannot be stored.
"""

from __future__ import annotations

from typing import IO

import numpy as np

from multicut import _core
from multicut.io.build import (
    MAX_PAIRS,
    build_problem,
    count_pairs,
    integer_ids,
    triangle_positions,
    upper_triangle,
)
from multicut.io.edge_text import parse_native, write_ids
from multicut.io.errors import Advice
from multicut.io.record import single
from multicut.io.source import Source
from multicut.problem import Problem


def _recognises(source: Source) -> bool:
    first = source.first_row("#") if source.is_text else None
    return first is not None and first[1].isdecimal()


def _read(source: Source) -> Problem:
    values, _, node_ids = parse_native(source, _core.parse_number_text)
    line, row = source.first_row("#") or (1, "")
    if len(values) == 0 or values[0] < 0 or not float(values[0]).is_integer():
        raise source.error(f"expected the number of nodes, got {row[:40]!r}", line)
    num_nodes = int(values[0])
    num_pairs = count_pairs(num_nodes)
    if len(values) - 1 != num_pairs:
        raise source.error(
            f"{num_nodes} nodes have {num_pairs} pairs, but {len(values) - 1} weights follow; the "
            f"file may be cut short",
            line,
            Advice("or else name its format", "format"),
        )
    return build_problem(source, upper_triangle(num_nodes), values[1:], num_nodes, node_ids)


def _write(problem: Problem, stream: IO[bytes], _suffix: str) -> None:
    num_nodes = problem.num_nodes
    num_pairs = count_pairs(num_nodes)
    if num_pairs > MAX_PAIRS:
        raise ValueError(
            f"format 'cplib' states all pairs: {num_pairs} for {num_nodes} nodes, more than the "
            f"{MAX_PAIRS} it is meant for; write a format that lists edges"
        )
    ids = integer_ids(problem, RECORD.name) if problem.has_own_ids else None
    weights = np.zeros(num_pairs)
    weights[triangle_positions(problem)] = problem.costs
    stream.write(f"{num_nodes}\n".encode())
    stream.write(_core.format_number_rows(weights, np.arange(num_nodes - 1, 0, -1)))
    if ids is not None:
        write_ids(stream, ids)


RECORD = single(
    name="cplib",
    description="CP-Lib, clique partitioning: n, then the weights of all pairs",
    suffixes=(".cplib",),
    recognises=_recognises,
    read=_read,
    write=_write,
)
