"""Common parts of the text formats: the native parser and writer, and notes in comments.

What a text format cannot express is kept in a comment, which is written only when it is needed:
``# multicut num_nodes 10`` (some of the nodes 0 … 9 have no edges) or
``# multicut node_ids 30 10 20`` (all nodes, in order).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import partial
from typing import IO, TypeVar

import numpy as np

from multicut import _core
from multicut._arrays import BoolArray, FloatArray, IntArray
from multicut.io.source import Source
from multicut.problem import Problem

# Bounds the memory for buffered text, and the delay of Ctrl-C.
_EDGES_PER_WRITE = 1 << 18
_IDS_PER_LINE = 64

# A sign of a text that was cut off: no number at the end of a file ends in a point.
_CUT_SHORT = re.compile(rb"\d\.\Z")
_LONGEST_END = 2

Parsed = TypeVar("Parsed")
Edges = tuple[IntArray, FloatArray]


@dataclass(frozen=True)
class TextPart:
    """The end of a text, and how many lines come before it."""

    text: bytes
    lines_before: int = 0


@dataclass(frozen=True)
class Layout:
    """The layout of lines: the arguments of the native parser."""

    comment_marks: str
    separator: str = " "
    num_columns: int = 3
    u_column: int = 0
    v_column: int = 1
    cost_column: int | None = 2
    header_rows: int = 0
    has_names: bool = False
    lifted_column: int | None = None


@dataclass(frozen=True)
class EdgeText:
    """The content of a text."""

    edges: IntArray
    costs: FloatArray
    num_nodes: int | None
    node_ids: IntArray | None
    names: list[str] | None = None
    lifted: BoolArray | None = None

    def split(self) -> tuple[Edges, Edges | None]:
        """Return edges and lifted edges; None if the text has no column that tells them apart."""
        if self.lifted is None:
            return (self.edges, self.costs), None
        others = ~self.lifted
        return (
            (self.edges[others], self.costs[others]),
            (self.edges[self.lifted], self.costs[self.lifted]),
        )

    @property
    def noted_nodes(self) -> int | None:
        """The number of nodes that notes state, if any do."""
        return self.num_nodes if self.node_ids is None else len(self.node_ids)


def parse(source: Source, layout: Layout, part: TextPart | None = None) -> EdgeText:
    """Read the edges of a text, or of a part of it."""
    parser = partial(_core.parse_edge_text, **asdict(layout))
    return EdgeText(*parse_native(source, parser, part))


def parse_native(
    source: Source, parser: Callable[[bytes], Parsed], part: TextPart | None = None
) -> Parsed:
    """Run a native parser; add the name of the file to its errors."""
    text = source.text if part is None else part.text
    if _CUT_SHORT.search(text, max(0, len(text) - _LONGEST_END)):
        raise source.error(
            "the text ends in the middle of a number; if it is whole, end it with a line break"
        )
    try:
        return parser(text)
    except UnicodeDecodeError:
        raise source.error("the names of nodes are not UTF-8; save the file as UTF-8") from None
    except ValueError as error:
        line, message = error.args
        lines_before = 0 if part is None else part.lines_before
        raise source.error(message, line + lines_before) from None


def write_edges(
    stream: IO[bytes],
    edges: IntArray,
    costs: FloatArray | None,
    separator: str = " ",
    ending: str | None = None,
) -> None:
    """Write one line per edge, with `ending` in a further column if that is given."""
    for begin in range(0, len(edges), _EDGES_PER_WRITE):
        part = slice(begin, begin + _EDGES_PER_WRITE)
        stream.write(
            _core.format_edge_text(
                edges[part], None if costs is None else costs[part], separator, ending
            )
        )


def write_named_edges(
    stream: IO[bytes],
    edges: IntArray,
    costs: FloatArray,
    names: list[str],
    separator: str,
    ending: str | None = None,
) -> None:
    """Write one line per edge, with names for its ends."""
    last = "" if ending is None else f"{separator}{ending}"
    for begin in range(0, len(edges), _EDGES_PER_WRITE):
        part = slice(begin, begin + _EDGES_PER_WRITE)
        ends = edges[part].tolist()
        values = _core.format_number_rows(costs[part], np.ones(len(ends), dtype=np.int64))
        rows = zip(ends, values.decode().splitlines(), strict=True)
        lines = (
            f"{names[u]}{separator}{names[v]}{separator}{cost}{last}\n" for (u, v), cost in rows
        )
        stream.write("".join(lines).encode())


def write_count(stream: IO[bytes], num_nodes: int, mark: str = "#") -> None:
    """Note that the nodes are ``0 … num_nodes-1``."""
    stream.write(f"{mark} multicut num_nodes {num_nodes}\n".encode())


def write_ids(stream: IO[bytes], ids: Iterable[int | str], mark: str = "#") -> None:
    """Note the ids of all nodes; names stand in quotes where they need them."""
    texts = [str(name) for name in ids]
    for begin in range(0, len(texts), _IDS_PER_LINE):
        names = " ".join(texts[begin : begin + _IDS_PER_LINE])
        stream.write(f"{mark} multicut node_ids {names}\n".encode())


def highest_node(problem: Problem) -> int:
    """Return the largest index among the nodes that have edges, -1 if none has."""
    return int(np.max(problem.edges, initial=-1))
