"""Looking things up in tables of Markdown."""

from __future__ import annotations

from collections.abc import Iterable


def rows_of(lines: Iterable[str], *first: str) -> list[list[str]]:
    """Return the rows of all tables whose first cells are these, without them."""
    text = "\n".join(lines)
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in row] for row in rows]
    return [row[len(first) :] for row in cells if row[: len(first)] == list(first)]
