"""Output of commands: results to stdout, progress and errors to stderr."""

from __future__ import annotations

import json
import os
import select
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from multicut._words import block, count

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from multicut.problem import Problem

# Tables that go to a file or a pipe need not fit a screen.
_WIDTH_OF_PIPES = 200


def replace_closed_streams() -> None:
    """Let what is printed go nowhere where a shell has closed stdout or stderr (``>&-``).

    A closed stdin stays closed, but its number must not be given to a file that is opened later.
    """
    if sys.stdin is None:
        os.open(os.devnull, os.O_RDONLY)
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115


def is_stdout_closed() -> bool:
    """Whether a shell has closed stdout, so that it was replaced."""
    return sys.stdout is None or getattr(sys.stdout, "name", None) == os.devnull


def check_reader() -> None:
    """Raise BrokenPipeError if nobody reads what was written to stdout."""
    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
        gone = any(event & select.POLLERR for _, event in poll.poll(0))
    except (AttributeError, OSError, ValueError):  # no such call, or no file of its own
        return
    if gone:
        raise BrokenPipeError


def output() -> Console:
    """Return the console for answers."""
    from rich.console import Console

    return Console(emoji=False, width=None if sys.stdout.isatty() else _WIDTH_OF_PIPES)


def errors() -> Console:
    """Return the console for everything that is not the answer."""
    from rich.console import Console

    return Console(emoji=False, stderr=True, width=None if sys.stderr.isatty() else _WIDTH_OF_PIPES)


def answer(text: str) -> None:
    """Print plain lines of the answer, as wide as they may be."""
    output().print(text, markup=False, highlight=False, soft_wrap=True)


def answer_lines(text: str) -> None:
    """Print a note below a table; on a terminal, its lines break between words."""
    output().print(text, markup=False, highlight=False, soft_wrap=not sys.stdout.isatty())


def answer_block(rows: Mapping[str, str]) -> None:
    """Print the answer as names and values; on a terminal, long values stay in their column."""
    answer(block(rows, width=output().width if sys.stdout.isatty() else None))


def say(text: str, *, quiet: bool = False) -> None:
    """Print one plain line on the way to the answer, as wide as it may be."""
    if not quiet:
        errors().print(text, markup=False, highlight=False, soft_wrap=True)


@contextmanager
def working(text: str) -> Iterator[None]:
    """Show what is going on while it goes on, on a terminal only."""
    console = errors()
    if not console.is_terminal:
        yield
        return
    from rich.markup import escape

    with console.status(escape(text)):
        yield


def count_parts(problem: Problem) -> str:
    """Tell how large a problem is."""
    lifted = f", {count(problem.num_lifted_edges, 'lifted edge')}" if problem.is_lifted else ""
    return f"{count(problem.num_nodes, 'node')}, {count(problem.num_edges, 'edge')}{lifted}"


def plain_value(value: Any) -> Any:
    """Return a value that JSON can hold: the value itself, or its text."""
    value = value.item() if hasattr(value, "item") else value
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)


def print_json(document: Any) -> None:
    """Print a document that another program can read."""
    print(json.dumps(document, indent=2, allow_nan=False))


def table(title: str | None, *columns: str, left: tuple[str, ...] = ()) -> Table:
    """Return an empty table in the style of the house: numbers right, columns `left` left."""
    from rich import box
    from rich.table import Table

    result = Table(
        title=title,
        box=box.SIMPLE_HEAD,
        title_justify="left",
        title_style="bold",
        # Narrow, so that most tables fit 80 columns.
        padding=(0, 0, 0, 1),
        pad_edge=False,
    )
    for column in columns:
        result.add_column(column, justify="left" if column in left else "right", overflow="fold")
    return result
