"""Figures of segmentations: six panels as in the paper's appendix, and comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from multicut._words import count
from multicut.plotting.image_cut import plot_image_cut
from multicut.plotting.palette import NODE
from multicut.plotting.picture import as_colours, show_image
from multicut.plotting.region_graph import plot_region_graph
from multicut.plotting.segments import plot_segments

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

    from multicut.vision import Segmentation

_INCHES = 4.0
_LARGEST = 16


def plot_segmentation(segmentation: Segmentation, figure: Figure | None = None) -> Figure:
    """Draw image, superpixels, region graph, its cut, and the segments, as the paper's example.

    Parameters
    ----------
    segmentation
        Of an image; of a volume, see :func:`plot_comparison`.
    figure
        Where to draw; by default a new figure.
    """
    image, regions = segmentation.image, segmentation.superpixels
    if regions.ndim != 2:
        raise ValueError(
            f"segmentation must be that of an image, got one of shape {regions.shape}; "
            "draw slices of a volume by plot_comparison"
        )
    problem, result = segmentation.problem, segmentation.result
    figure, axes = _panels(figure, regions.shape, 2, 3)
    show_image(axes[0, 0], as_colours(image))
    _title(axes[0, 0], "a", "image")
    plot_image_cut(image, regions, np.zeros(problem.num_nodes, dtype=np.int64), axes[0, 1])
    _title(axes[0, 1], "b", count(problem.num_nodes, "superpixel"))
    plot_region_graph(image, regions, problem, ax=axes[0, 2])
    _title(axes[0, 2], "c", f"{count(problem.num_edges, 'edge')}: blue attracts, red repels")
    plot_region_graph(image, regions, problem, result, axes[1, 0])
    proof = ", optimal" if result.optimal else ""
    _title(axes[1, 0], "d", f"its cut by {result.solver}: {result.objective:,.2f}{proof}")
    plot_image_cut(image, regions, result, axes[1, 1])
    _title(axes[1, 1], "e", "the cut in the image")
    plot_segments(image, segmentation.labels, axes[1, 2])
    _title(axes[1, 2], "f", count(result.num_clusters, "segment"))
    return figure


def plot_comparison(
    image: ArrayLike,
    segmentations: Mapping[str, ArrayLike],
    figure: Figure | None = None,
) -> Figure:
    """Draw an image and several segmentations of it side by side.

    Parameters
    ----------
    image
        Shape (H, W), (H, W, 3) or (H, W, 4); one slice of a volume.
    segmentations
        By title: the segment of each pixel, shape (H, W).
    figure
        Where to draw; by default a new figure.
    """
    if not isinstance(segmentations, Mapping) or not 0 < len(segmentations) < _LARGEST:
        raise ValueError(f"segmentations must be 1 … {_LARGEST - 1} label images by title")
    colours = as_colours(image)
    figure, panels = _panels(figure, colours.shape[:2], 1, len(segmentations) + 1)
    axes = panels[0]
    show_image(axes[0], colours)
    _title(axes[0], "", "image")
    for ax, (title, labels) in zip(axes[1:], segmentations.items(), strict=True):
        plot_segments(image, labels, ax)
        _title(ax, "", title)
    return figure


def _panels(
    figure: Figure | None, shape: tuple[int, ...], rows: int, columns: int
) -> tuple[Figure, NDArray[np.object_]]:
    """Make axes of the image's shape, with room for titles."""
    height, width = shape
    scale = _INCHES / max(height, width)
    if figure is None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        size = (columns * width * scale, rows * (height * scale + 0.3))
        figure = Figure(figsize=size, layout="constrained", facecolor="white")
        FigureCanvasAgg(figure)
    return figure, np.asarray(figure.subplots(rows, columns, squeeze=False))


def _title(ax: Axes, letter: str, text: str) -> None:
    ax.set_title(f"({letter}) {text}" if letter else text, fontsize=9.5, color=NODE)
