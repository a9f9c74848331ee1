"""Draws the pictures of docs/figures.md: ``make figures``."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import multicut as mc
from multicut.plotting import (
    plot_comparison,
    plot_frontier,
    plot_image_cut,
    plot_problem,
    plot_region_graph,
    plot_segmentation,
    plot_solution,
    plot_trace,
)

DPI = 90
SOLVERS = ("gaec", "greedy-fixation", "klj", "fusion", "gnn", "lp", "ilp")


def main(folder: Path) -> None:
    """Draw everything into a folder."""
    import matplotlib.pyplot as plt

    graph = mc.datasets.randommp(180, seed=1)
    points = mc.datasets.randommp_points(180, seed=1)
    figure, axes = plt.subplots(1, 2, figsize=(11, 5.5), layout="constrained")
    plot_problem(graph, points, axes[0])
    plot_solution(graph, mc.solve(graph, "ilp"), points, axes[1])
    figure.savefig(folder / "figures-problem-solution.png", dpi=DPI)

    image = mc.vision.sample_image("coffee")
    example = mc.vision.segment(image, preset="paper", solver="ilp")
    plot_segmentation(example).savefig(folder / "figures-segmentation.jpg", dpi=DPI)

    found = mc.vision.segment(image)
    figure, axes = plt.subplots(1, 2, figsize=(11, 3.8), layout="constrained")
    plot_image_cut(image, found.superpixels, found.result, axes[0])
    plot_region_graph(image, found.superpixels, found.problem, found.result, axes[1])
    figure.savefig(folder / "figures-image-cut.jpg", dpi=DPI)

    gaec = found.relabelled(mc.solve(found.problem, "gaec"))
    panels = {"superpixels": found.superpixels, "gaec": gaec.labels, "auto": found.labels}
    plot_comparison(image, panels).savefig(folder / "figures-comparison.jpg", dpi=DPI)

    large = mc.datasets.randommp(3000, seed=0)
    results = [mc.solve(large, name, time_limit=10) for name in ("gaec", "klj", "fusion", "lp")]
    figure, axes = plt.subplots(1, 2, figsize=(12, 4.2), layout="constrained")
    plot_trace(results, axes[0])
    plot_frontier(measure_solvers(), axes[1])
    figure.savefig(folder / "figures-trace-frontier.png", dpi=DPI)


def measure_solvers() -> list[tuple[str, float, float]]:
    """Mean time and ratio of a few solvers on twenty test graphs with proven optima."""
    graphs = mc.datasets.open_dataset("randommp", "test")[:20]
    rows = []
    for name in SOLVERS:
        mc.solve(graphs[0], name)
        found = [mc.solve(problem, name) for problem in graphs]
        ratios = [
            min(1.0, result.objective / problem.objective)
            for result, problem in zip(found, graphs, strict=True)
        ]
        seconds = sum(result.runtime for result in found) / len(found)
        rows.append((name, seconds, sum(ratios) / len(ratios)))
    return rows


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "docs" / "images")
