"""One small example of each figure, the same on every machine."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from matplotlib.figure import Figure

import multicut as mc
from multicut.plotting import (
    plot_comparison,
    plot_dataset,
    plot_embedding,
    plot_frontier,
    plot_image_cut,
    plot_problem,
    plot_region_graph,
    plot_reliability,
    plot_segmentation,
    plot_segments,
    plot_similarity,
    plot_solution,
    plot_trace,
)
from multicut.result import Result

POINTS = [
    ("gaec", 6.5e-4, 0.984),
    ("klj", 1.4e-3, 0.9914),
    ("fusion, 5", 4e-3, 0.9956, "fusion"),
    ("fusion, 100", 4e-2, 0.9996, "fusion"),
    ("gnn", 4e-3, 0.9248),
    ("ilp", 2.6e-2, 1.0),
]


def new_axes(width=3.6, height=3.0):
    """Axes at a fixed place: a layout that makes room for text depends on how text is drawn."""
    return Figure(figsize=(width, height)).subplots()


@cache
def problem():
    return mc.datasets.randommp(60, seed=1)


@cache
def positions():
    return mc.datasets.randommp_points(60, seed=1)


@cache
def labels():
    return mc.solve(problem(), "gaec").labels


@cache
def image():
    """Three discs on a gradient, a little noisy."""
    rows, columns = np.indices((48, 64))
    picture = np.stack([0.2 + columns / 160, 0.3 + rows / 120, np.full(rows.shape, 0.6)], axis=-1)
    for (row, column, radius), colour in {
        (16, 18, 11): (0.9, 0.75, 0.2),
        (30, 44, 13): (0.8, 0.25, 0.2),
        (36, 16, 8): (0.2, 0.6, 0.3),
    }.items():
        picture[(rows - row) ** 2 + (columns - column) ** 2 < radius**2] = colour
    noise = np.random.default_rng(0).normal(0, 0.02, picture.shape)
    return np.clip(picture + noise, 0, 1)


@cache
def superpixels():
    """Cells around points on a jittered grid, cut along the discs; no library decides on them."""
    rows, columns = np.indices((48, 64))
    cells = rows // 8 * 8 + columns // 8
    bright = (image()[..., 0] > 0.7).astype(int) + 2 * (image()[..., 1] > 0.55)
    return np.unique(cells * 4 + bright, return_inverse=True)[1].reshape(cells.shape)


@cache
def segmentation():
    costs = mc.vision.ColourCosts(sigma=0.3, space="rgb", weighting="none")
    return mc.vision.segment(image(), superpixels(), costs=costs, solver="gaec")


@cache
def states():
    """An embedding in which clusters are heaps."""
    heaps = np.random.default_rng(1).normal(0, 1, (int(labels().max()) + 1, 8))
    return heaps[labels()] + np.random.default_rng(2).normal(0, 0.25, (60, 8))


def result(name, trace, lower_bound=None):
    seconds, objectives = np.array(trace, dtype=float).T
    return Result(
        labels=np.array([0, 1]),
        cut=np.array([True]),
        objective=objectives[-1],
        num_clusters=2,
        runtime=1.2 * seconds[-1],
        trace=np.stack([seconds, objectives], axis=1),
        solver=name,
        seed=0,
        stopped_by="converged",
        node_ids=np.arange(2),
        lower_bound=lower_bound,
    )


@cache
def results():
    return (
        result("gaec", [(0.001, -10), (0.002, -90)]),
        result("fusion", [(0.003, -90), (0.01, -94), (0.05, -97), (0.2, -98)]),
        result("ilp", [(0.05, -90), (0.4, -97), (0.9, -99)], lower_bound=-99.5),
    )


@cache
def friends():
    """Seven people in two groups."""
    ring = [("Ada", "Ben", 2), ("Ben", "Carla", 2), ("Ada", "Carla", 1), ("Dan", "Eve", 2)]
    ring += [("Eve", "Fynn", 1), ("Dan", "Gwendolyn Brooks Jr.", 1.5)]
    apart = [("Carla", "Dan", -3), ("Ada", "Eve", -1), ("Ben", "Fynn", -2)]
    names = list(dict.fromkeys(name for pair in (*ring, *apart) for name in pair[:2]))
    edges = [[names.index(u), names.index(v)] for u, v, _ in (*ring, *apart)]
    return mc.Problem(edges, [cost for *_, cost in (*ring, *apart)], node_ids=names)


@cache
def circle():
    angles = np.arange(7) * 2 * np.pi / 7
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


@cache
def predictions():
    """Probabilities that are right as often as they say, and some that promise too much."""
    rng = np.random.default_rng(3)
    chances = rng.uniform(0.5, 1.0, 2_000)
    is_right = rng.random(2_000) < chances
    named = {"calibrated": chances, "too sure": np.sqrt(chances)}
    return named, dict.fromkeys(named, is_right)


FIGURES: dict[str, Callable[[], Figure]] = {
    "problem": lambda: plot_problem(problem(), positions(), new_axes(3, 3)).figure,
    "solution": lambda: plot_solution(problem(), labels(), positions(), new_axes(3, 3)).figure,
    "problem-with-names": lambda: plot_problem(friends(), circle(), new_axes(3, 3)).figure,
    "solution-with-names": lambda: (
        plot_solution(friends(), mc.solve(friends(), "gaec"), circle(), new_axes(3, 3)).figure
    ),
    "embedding": lambda: plot_embedding(problem(), states(), labels(), new_axes()).figure,
    "similarity": lambda: plot_similarity(states(), new_axes()).figure,
    "trace": lambda: plot_trace(results(), new_axes(4.5, 3)).figure,
    "trace-of-one": lambda: plot_trace(results()[-1], new_axes(4.5, 3)).figure,
    "frontier": lambda: plot_frontier(POINTS, new_axes(5, 3)).figure,
    "reliability": lambda: plot_reliability(*predictions(), new_axes(3.6, 3.4)).figure,
    "image-cut": lambda: (
        plot_image_cut(image(), superpixels(), segmentation().result, new_axes(4, 3)).figure
    ),
    "segments": lambda: plot_segments(image(), segmentation().labels, new_axes(4, 3)).figure,
    "region-graph": lambda: (
        plot_region_graph(image(), superpixels(), segmentation().problem, ax=new_axes(4, 3)).figure
    ),
    "region-graph-cut": lambda: (
        plot_region_graph(
            image(), superpixels(), segmentation().problem, segmentation().result, new_axes(4, 3)
        ).figure
    ),
    "segmentation": lambda: plot_segmentation(segmentation(), Figure(figsize=(9, 5))),
    "comparison": lambda: plot_comparison(
        image()[..., 0],
        {"gaec": segmentation().labels, "superpixels": superpixels()},
        Figure(figsize=(9, 2.6)),
    ),
    "dataset": lambda: plot_dataset(mc.datasets.open_dataset("irismp", "test")[:1]),
}
