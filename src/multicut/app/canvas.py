"""Figures drawn into arrays, without windows and without state that visitors would share."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

_DOTS_PER_INCH = 150
INK = "#2b3038"
# Visitors are served in threads; matplotlib makes no promise for these.
_ONE_AT_A_TIME = threading.Lock()


def draw(
    paint: Callable[[Axes], Any], width: float = 7.2, height: float = 4.6
) -> NDArray[np.uint8]:
    """Paint into axes of a given size in inches; return colours, shape (height, width, 3)."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    # Not through pyplot, whose figures belong to the whole process.
    figure = Figure(
        figsize=(width, height), dpi=_DOTS_PER_INCH, layout="constrained", facecolor="white"
    )
    canvas = FigureCanvasAgg(figure)
    with _ONE_AT_A_TIME:
        paint(figure.add_subplot())
        canvas.draw()  # type: ignore[no-untyped-call]
    colours: Any = canvas.buffer_rgba()  # type: ignore[no-untyped-call]
    return np.array(np.asarray(colours)[..., :3])


def plain_axes(ax: Axes, xlabel: str, ylabel: str) -> None:
    """Label axes and leave out what is not needed."""
    ax.set_xlabel(xlabel, color=INK)
    ax.set_ylabel(ylabel, color=INK)
    ax.tick_params(colors=INK, labelsize=9)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color("#b9bec6")
