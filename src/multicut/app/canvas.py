"""Figures drawn into arrays, without windows and without state that visitors would share."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

_DOTS_PER_INCH = 150
INK = "#2b3038"
# Visitors are served in threads; matplotlib makes no promise for these.
_ONE_AT_A_TIME = threading.Lock()
# Colours whose channels differ by less are shades of grey.
_GREY = 0.12
# On a dark page white becomes this shade, and black its opposite.
_DARKEST = 0.14


def draw(
    paint: Callable[[Axes], Any], width: float = 7.2, height: float = 4.6, *, dark: bool = False
) -> NDArray[np.uint8]:
    """Paint into axes of a given size in inches.

    Returns colours and opacity, shape (height, width, 4). The background is transparent; `dark`
    turns the greys around, for pages with a dark background.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    # Not through pyplot, whose figures belong to the whole process.
    figure = Figure(
        figsize=(width, height), dpi=_DOTS_PER_INCH, layout="constrained", facecolor="none"
    )
    canvas = FigureCanvasAgg(figure)
    with _ONE_AT_A_TIME:
        axes = figure.add_subplot()
        axes.set_facecolor("none")
        paint(axes)
        if dark:
            figure.draw_without_rendering()  # axes make their ticks when they are first drawn
            for artist in figure.findobj():
                _darken(artist)
        canvas.draw()  # type: ignore[no-untyped-call]
    colours: Any = canvas.buffer_rgba()  # type: ignore[no-untyped-call]
    return np.array(np.asarray(colours))


def write_png(path: Path, pixels: NDArray[Any]) -> None:
    """Write a picture to a file that is whole as soon as it is there."""
    from PIL import Image

    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
        # Little effort: the picture is looked at once or twice.
        Image.fromarray(pixels).save(file, "PNG", compress_level=3)
    Path(file.name).replace(path)


def write_jpeg(path: Path, pixels: NDArray[Any]) -> None:
    """Write a picture without opacity, ten times faster than as PNG, to a file that is whole."""
    from PIL import Image

    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
        # Colours as fine as brightness: lines between segments are coloured.
        Image.fromarray(pixels).save(file, "JPEG", quality=90, subsampling=0)
    Path(file.name).replace(path)


def plain_axes(ax: Axes, xlabel: str, ylabel: str) -> None:
    """Label axes and leave out what is not needed."""
    ax.set_xlabel(xlabel, color=INK)
    ax.set_ylabel(ylabel, color=INK)
    ax.tick_params(colors=INK, labelsize=9)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color("#b9bec6")


def _darken(artist: Artist) -> None:
    """Turn the greys of one part of a figure around, and leave its colours as they are."""
    from matplotlib.collections import Collection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.text import Text

    if isinstance(artist, Text):
        artist.set_color(turned(artist.get_color()))
    elif isinstance(artist, Line2D):
        # Markers take the colour of the line, unless they are told otherwise.
        face, edge = artist.get_markerfacecolor(), artist.get_markeredgecolor()
        artist.set_color(turned(artist.get_color()))
        artist.set_markerfacecolor(turned(face))
        artist.set_markeredgecolor(turned(edge))
    elif isinstance(artist, Patch | Collection):
        if isinstance(artist, Collection) and artist.get_array() is not None:
            return  # its colours come from a map
        artist.set_facecolor(turned(artist.get_facecolor()))
        artist.set_edgecolor(turned(artist.get_edgecolor()))


def turned(colours: Any) -> Any:
    """Return colours with light and dark greys exchanged: one, or one per row."""
    from matplotlib.colors import to_rgba_array

    values = to_rgba_array(colours)
    shades = values[:, :3]
    is_grey = np.ptp(shades, axis=1) < _GREY
    values[is_grey, :3] = 1 - (1 - _DARKEST) * shades[is_grey]
    return values[0] if len(values) == 1 else values
