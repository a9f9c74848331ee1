"""Figure of a dataset: some problems, and their solutions below them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicut._words import count
from multicut.plotting.layout import spread_out
from multicut.plotting.palette import NODE
from multicut.plotting.problem import plot_problem
from multicut.plotting.solution import plot_solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from multicut.datasets import Dataset, LabelledProblem

_INCHES = 4.0


def plot_dataset(dataset: Dataset) -> Figure:
    """Draw each problem with its negative edges red, and below it its solution, cut edges grey.

    Parameters
    ----------
    dataset
        The graphs to draw, a column for each; all of them need labels. Graphs without positions
        get a layout.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if len(dataset) == 0 or any(problem.cut is None for problem in dataset):
        raise ValueError("dataset must have at least one graph, and a solution for each; label it")
    figure = Figure(
        figsize=(_INCHES * len(dataset), 2.15 * _INCHES), layout="constrained", facecolor="white"
    )
    FigureCanvasAgg(figure)
    axes = figure.subplots(2, len(dataset), squeeze=False)
    for problem, (above, below) in zip(dataset, axes.T, strict=True):
        positions = problem.positions if problem.positions is not None else spread_out(problem)
        labels = problem.labels
        assert labels is not None
        plot_problem(problem, positions, above)
        plot_solution(problem, labels, positions, below)
        sizes = f"{count(problem.num_nodes, 'node')}, {count(problem.num_edges, 'edge')}"
        above.set_title(f"{problem.name}\n{sizes}", fontsize=10, color=NODE)
        below.set_title(
            _describe(problem, int(labels.max(initial=-1)) + 1), fontsize=10, color=NODE
        )
    return figure


def _describe(problem: LabelledProblem, num_clusters: int) -> str:
    proof = "optimal" if problem.optimal else "best known"
    return f"{proof}: {problem.objective:,.2f}, {count(num_clusters, 'cluster')}"
