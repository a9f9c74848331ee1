"""Figures as they should look: ``python -m tests.plotting.golden`` draws them anew."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image

FOLDER = Path(__file__).parent / "golden"
# Mean colours of blocks of pixels may differ by this, of 255: letters and the edges of lines are
# drawn a little differently from one version of matplotlib to the next, shapes and colours are not.
TOLERANCE = 4.0
_BLOCK = 4
_DPI = 64


def draw(make: Callable[[], Figure]) -> NDArray[np.uint8]:
    """Draw a figure with matplotlib's own defaults and fonts, whatever this machine prefers."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update({"font.family": "DejaVu Sans", "text.hinting": "none"})
        figure = make()
        figure.set_layout_engine("none")
        figure.set_dpi(_DPI)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())[..., :3].copy()


def distance(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    """Root of the mean squared difference of blocks; infinite if the shapes differ.

    A block may be anywhere within a pixel of its place in the other picture, and both ways round.
    """
    if one.shape != other.shape:
        return float("inf")
    return max(_one_way(one, other), _one_way(other, one))


def _one_way(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    mine = _blocks(one)
    shifts = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
    squares = [
        ((mine - _blocks(np.roll(other, shift, (0, 1)))) ** 2).sum(axis=-1) for shift in shifts
    ]
    return float(np.sqrt(np.min(squares, axis=0).mean() / 3))


def _blocks(picture: NDArray[np.uint8]) -> NDArray[np.float64]:
    height, width = (length // _BLOCK * _BLOCK for length in picture.shape[:2])
    cut = picture[:height, :width].astype(np.float64)
    return cut.reshape(height // _BLOCK, _BLOCK, width // _BLOCK, _BLOCK, 3).mean(axis=(1, 3))


def load(name: str) -> NDArray[np.uint8]:
    """Load how a figure should look."""
    with Image.open(FOLDER / f"{name}.png") as picture:
        return np.asarray(picture.convert("RGB"))


def save(name: str, picture: NDArray[np.uint8]) -> None:
    """Make this how the figure should look."""
    FOLDER.mkdir(exist_ok=True)
    Image.fromarray(picture).save(FOLDER / f"{name}.png", optimize=True)


if __name__ == "__main__":
    from tests.plotting.figures import FIGURES

    for figure_name, make_figure in FIGURES.items():
        drawn = draw(make_figure)
        known = (FOLDER / f"{figure_name}.png").exists()
        change = f"changed by {distance(drawn, load(figure_name)):.2f}" if known else "new"
        save(figure_name, drawn)
        print(f"{figure_name}: {drawn.shape[1]} x {drawn.shape[0]}, {change}")
