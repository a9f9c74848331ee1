"""Figure of a region graph over its image."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multicut.partition import as_labels
from multicut.plotting.canvas import add_lines, line_scale
from multicut.plotting.palette import ATTRACTIVE, CUT_EDGE, NODE, REPULSIVE
from multicut.plotting.picture import as_colours, as_regions, faded, show_image
from multicut.plotting.problem import edge_strength
from multicut.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from multicut.problem import Problem

_FADED = 0.4


def plot_region_graph(
    image: ArrayLike,
    superpixels: ArrayLike,
    problem: Problem,
    labels: Result | ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the region graph over a pale copy of its image, a dot in each region's mean colour.

    Without `labels`, attractive edges are blue and repulsive ones red, the wider the stronger. With
    them, edges within segments are dark lines and cut edges are grey and dotted.

    Parameters
    ----------
    image
        Shape (H, W), (H, W, 3) or (H, W, 4).
    superpixels
        The region of each pixel, shape (H, W): region i is node i of the problem.
    problem
        The multicut problem of the regions.
    labels
        A result, or one label per region.
    ax
        Where to draw; by default the axes of a new figure.
    """
    from multicut.vision.regions import region_centres, region_means

    colours = as_colours(image)
    regions = as_regions(superpixels, colours.shape[:2], "superpixels")
    num_regions = int(regions.max(initial=-1)) + 1
    if num_regions != problem.num_nodes:
        raise ValueError(
            f"superpixels must be {problem.num_nodes}, the nodes of the problem, got {num_regions}"
        )
    points = region_centres(regions, num_regions)[:, ::-1]
    ax = show_image(ax, faded(colours, _FADED))
    scale = max(line_scale(problem), 0.45)
    if labels is None:
        _draw_costs(ax, problem, points, scale)
    else:
        given = as_labels(
            labels.labels if isinstance(labels, Result) else labels, problem.num_nodes
        )
        cut = given[problem.edges[:, 0]] != given[problem.edges[:, 1]]
        lines = add_lines(ax, points, problem.edges[cut], CUT_EDGE, 0.9 * scale, order=2)
        lines.set_linestyle((0, (0.1, 2.2)))
        add_lines(ax, points, problem.edges[~cut], NODE, 1.6 * scale, order=3)
    means = region_means(colours, regions, num_regions)
    ax.scatter(
        points[:, 0],
        points[:, 1],
        s=22 * scale**2,
        c=np.clip(means, 0, 1),
        edgecolors=NODE,
        linewidths=0.7 * scale,
        zorder=4,
    )
    return ax


def _draw_costs(ax: Axes, problem: Problem, points: np.ndarray, scale: float) -> None:
    from matplotlib.colors import to_rgba_array

    strength = edge_strength(problem.costs)
    colours = to_rgba_array([ATTRACTIVE, REPULSIVE])[(problem.costs < 0).astype(int)]
    colours[:, 3] = 0.35 + 0.6 * strength
    order = np.argsort(strength, kind="stable")
    widths = scale * (0.6 + 1.9 * strength)
    add_lines(ax, points, problem.edges[order], colours[order], widths[order], order=2)
