"""Looking things up in tables of Markdown, and in figures."""

from __future__ import annotations

from collections.abc import Iterable

from matplotlib.axes import Axes
from matplotlib.figure import Figure


def rows_of(lines: Iterable[str], *first: str) -> list[list[str]]:
    """Return the rows of all tables whose first cells are these, without them."""
    text = "\n".join(lines)
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in row] for row in rows]
    return [row[len(first) :] for row in cells if row[: len(first)] == list(first)]


def panel(figure: Figure, title: str) -> Axes:
    """Return the panel of a figure that has a title."""
    (found,) = [ax for ax in figure.axes if title in (ax.get_title("left"), ax.get_title())]
    return found


def heading(figure: Figure) -> str:
    """Return what stands above all panels of a figure."""
    return figure.get_suptitle()


def legend(figure: Figure) -> list[str]:
    """Return the labels of the legend of a figure."""
    return [text.get_text() for text in figure.legends[0].get_texts()]
