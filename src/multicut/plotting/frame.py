"""Common parts of figures with two scales: axes, grids and labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

QUIET = "#5b6470"
_GRID = "#e5e7eb"
_FRAME = "#9ca3af"


def new_axes(width: float, height: float) -> Axes:
    """Return the axes of a new figure, whose size is given in inches."""
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def quieten(ax: Axes) -> None:
    """Remove the frame above and to the right, and draw the rest in grey."""
    ax.grid(color=_GRID, linewidth=0.7)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(_FRAME)
    ax.tick_params(which="both", colors=_FRAME, labelcolor=QUIET)
    ax.xaxis.label.set_color(QUIET)
    ax.yaxis.label.set_color(QUIET)
