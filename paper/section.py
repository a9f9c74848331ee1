"""One section of the page: what people read, and the same tables for programs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

from multicut.benchmark.markdown import table

Record = dict[str, Any]
_WIDTH = 100


class Section:
    """Lines of Markdown, and tables as records: plain values, one observation each."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.tables: dict[str, list[Record]] = {}

    def write(self, *paragraphs: str) -> None:
        """Add paragraphs."""
        for paragraph in paragraphs:
            self.lines += [paragraph, ""]

    def tabulate(
        self,
        name: str,
        records: Sequence[Record],
        columns: Sequence[str],
        rows: Sequence[Sequence[str]],
        num_left: int = 1,
    ) -> None:
        """Add a table.

        Parameters
        ----------
        name
            What programs find it by.
        records
            What it says, for programs.
        columns, rows, num_left
            What it says, for people; the first columns are aligned left.
        """
        self.keep(name, records)
        self.write_table(columns, rows, num_left)

    def write_table(
        self, columns: Sequence[str], rows: Sequence[Sequence[str]], num_left: int = 1
    ) -> None:
        """Add a table for people alone."""
        self.write("\n".join(table(columns, rows, num_left)))

    def keep(self, name: str, records: Sequence[Record]) -> None:
        """Add a table for programs alone."""
        self.tables[name] = [
            {key: _known(value) for key, value in record.items()} for record in records
        ]

    def show(self, picture: Path, title: str) -> None:
        """Add a figure, if it has been drawn."""
        if picture.exists():
            self.write(f"![{title}](images/{picture.name})")


def wrapped(text: str, first: str = "") -> str:
    """Return a paragraph in lines of prose, however it was put together.

    Parameters
    ----------
    text
        Words, with any line breaks.
    first
        What the first line begins with, such as ``"- "``; the others are indented as far.
    """
    return fill(
        " ".join(text.split()),
        _WIDTH,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )


def bullets(texts: Sequence[str]) -> str:
    """Return a list of paragraphs in lines of prose."""
    return "\n".join(wrapped(text, "- ") for text in texts)


def listed(names: Sequence[str], none: str = "none") -> str:
    """Return names as a sentence lists them: ``a``, ``a and b``, ``a, b and c``."""
    *first, last = names or (none,)
    return f"{', '.join(first)} and {last}" if first else last


def listed_numbers(numbers: Iterable[int]) -> str:
    """Return numbers as a sentence lists them: ``1,000 and 10,000``."""
    return listed([f"{number:,}" for number in numbers])


def _known(value: Any) -> Any:
    """Return a value, or None for a number that is none: a loss may be NaN, JSON knows none."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
