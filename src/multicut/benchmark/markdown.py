"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Sequence

MISSING = "–"  # noqa: RUF001


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], num_left: int = 1) -> list[str]:
    """Return the lines of a table, its first `num_left` columns aligned left."""
    marks = ["---" if i < num_left else "---:" for i in range(len(columns))]
    lines = [columns, marks, *rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


def ratio(value: float | None, digits: int = 4) -> str:
    """Format an objective ratio."""
    return MISSING if value is None else f"{value:.{digits}f}"


def seconds(value: float | None) -> str:
    """Format a time in seconds."""
    if value is None:
        return MISSING
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def milliseconds(value: float) -> str:
    """Format a time given in seconds as milliseconds."""
    return f"{1000 * value:,.0f}" if value >= 0.01 else f"{1000 * value:.2g}"
