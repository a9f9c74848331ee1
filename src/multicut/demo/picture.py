"""The picture of the demonstration."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from multicut.demo.comparison import best_of
from multicut.demo.entrants import SECONDS
from multicut.plotting import cluster_colours, plot_problem, plot_solution
from multicut.plotting.palette import ATTRACTIVE, CLUSTERS, CUT, NODE, REPULSIVE
from multicut.plotting.saving import save_figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from multicut.demo.comparison import Row
    from multicut.demo.instances import Example

_QUIET = "#6b7280"
# Objectives are drawn on a logarithmic axis between these: 0 has no place on one, and a partition
# that is farther off is a trivial one, which the legend says in words.
_LEAST_PERCENT, _MOST_PERCENT = 0.01, 50.0


def draw_picture(rows: Sequence[Row], examples: Sequence[Example], path: Path) -> None:
    """Save problems, best solutions and the race of the solvers as one figure."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    small, image, large = examples
    # The foot is for the legend of the race.
    layout = ConstrainedLayoutEngine(
        w_pad=0.15, h_pad=0.12, wspace=0.02, hspace=0.03, rect=(0, 0.085, 1, 0.915)
    )
    figure = Figure(figsize=(16, 11.3), layout=layout, facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.subplots(2, 3, height_ratios=[1, 1.4])
    _draw_image(axes[0], image, best_of(rows, image))
    _draw_graph(axes[1, :2], small, best_of(rows, small))
    _draw_race(axes[1, 2], [row for row in rows if row.example is large])
    save_figure(figure, path, dpi=150)


def _draw_image(axes: Sequence[Axes], example: Example, best: Row) -> None:
    mosaic = example.mosaic
    assert mosaic is not None
    problem, result = example.problems[0], best.results[0]
    _title(axes[0], "A noisy image", f"{problem.num_nodes:,} superpixels")
    axes[0].imshow(mosaic.image)
    _title(axes[1], "…as a multicut problem", f"{problem.num_edges:,} edges")
    _legend(axes[1], {"attracts": ATTRACTIVE, "repels": REPULSIVE})
    axes[1].imshow(1 - 0.22 * (1 - mosaic.image))
    plot_problem(problem, mosaic.points, axes[1])
    _title(
        axes[2],
        "…and its solution",
        f"{result.num_clusters} clusters by {result.solver}, {1000 * best.seconds:.2g} ms",
    )
    colours = cluster_colours(problem, result.labels)
    painted = 1 - 0.45 * (1 - colours[result.labels][mosaic.fragments])
    axes[2].imshow(painted)
    plot_solution(problem, result, mosaic.points, axes[2])
    for ax in axes:
        ax.set(xticks=[], yticks=[], xlim=(-0.5, mosaic.image.shape[1] - 0.5))
        ax.set_ylim(mosaic.image.shape[0] - 0.5, -0.5)
        ax.spines[:].set_visible(False)


def _draw_graph(axes: Sequence[Axes], example: Example, best: Row) -> None:
    problem, result = example.problems[0], best.results[0]
    _title(
        axes[0],
        "A random graph",
        f"{problem.num_nodes} nodes, {problem.num_edges} edges",
    )
    plot_problem(problem, example.points, axes[0])
    _legend(axes[0], {"attracts": ATTRACTIVE, "repels": REPULSIVE})
    _title(
        axes[1],
        "…its best multicut",
        f"objective {result.objective:,.1f}, {result.num_clusters} clusters by {result.solver}",
    )
    plot_solution(problem, result, example.points, axes[1])
    _legend(axes[1], {"cut": CUT})


def _draw_race(ax: Axes, rows: Sequence[Row]) -> None:
    """Distance to the best objective against time, one line for each solver."""
    best = min(row.objective for row in rows)
    problem = rows[0].example.problems[0]
    size = f"{problem.num_nodes:,} nodes, {problem.num_edges:,} edges"
    _title(ax, "Objective over time", f"{size}, {SECONDS:g} s without a network")
    finals = {}
    for row, colour in zip(rows, (*CLUSTERS[:9], NODE) * len(rows), strict=False):
        result = row.results[0]
        seconds, objectives = np.vstack([result.trace, [result.runtime, result.objective]]).T
        percent = np.maximum(100 * (objectives - best) / abs(best or 1.0), _LEAST_PERCENT)
        finals[row.solver] = final = percent[-1]
        # Solvers that build on others share part of their way: dashes let both be seen.
        style = "--" if row.solver == "auto" else "-"
        ax.step(1000 * seconds, percent, style, where="post", color=colour, linewidth=2.2)
        name = row.solver
        if final > _MOST_PERCENT:
            name = f"{name} ({final:.0f} % above: {row.remark})"
        ax.plot(1000 * seconds[-1:], percent[-1:], "o", color=colour, label=name, zorder=5)
    shown = [final for final in finals.values() if final <= _MOST_PERCENT]
    fastest = min(row.results[0].runtime for row in rows)
    ax.set(xscale="log", yscale="log", ylim=(0.7 * _LEAST_PERCENT, 3 * max(shown)))
    ax.yaxis.set_major_formatter(_percent)
    ax.set_xlim(left=500 * fastest)
    ax.set_xlabel("milliseconds", color=_QUIET)
    ax.set_ylabel("above the best objective, %", color=_QUIET)
    ax.grid(color="#e5e7eb", linewidth=0.7)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color("#9ca3af")
    ax.tick_params(colors=_QUIET)
    ax.set_box_aspect(1)
    # Below the curves, not among them.
    legend = ax.legend(
        frameon=False,
        fontsize=11,
        labelcolor=NODE,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.11),
        ncols=4 if len(shown) == len(rows) else 2,
        columnspacing=0.6,
        handlelength=1.0,
        handletextpad=0.2,
    )
    legend.set_in_layout(False)


def _percent(value: float, _position: object) -> str:
    """Label the axis in plain numbers; what lies at its foot is the best, or as good."""
    text = f"{value:g}"
    return f"≤ {text}" if np.isclose(value, _LEAST_PERCENT) else text


def _title(ax: Axes, title: str, subtitle: str) -> None:
    ax.set_title(title, loc="left", fontsize=16, fontweight="bold", color=NODE, pad=28)
    ax.annotate(
        subtitle,
        (0, 1),
        xytext=(0, 9),
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=11.5,
        color=_QUIET,
    )


def _legend(ax: Axes, colours: dict[str, str]) -> None:
    from matplotlib.lines import Line2D

    ax.legend(
        handles=[Line2D([], [], color=c, linewidth=3, label=name) for name, c in colours.items()],
        loc="lower right",
        bbox_to_anchor=(1.01, 1.0),
        ncols=len(colours),
        frameon=False,
        fontsize=11,
        labelcolor=_QUIET,
        borderaxespad=0.35,
        handlelength=1.4,
        columnspacing=1.2,
    )
