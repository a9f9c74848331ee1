"""Losses of variants of networks, and objective ratios by depth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from multicut.plotting.palette import CLUSTERS, NODE
from multicut.training.curves import read_curve
from paper.evaluation_sets import column_title
from paper.line_plots import add_curve, legend_below, new_plot, save_plot
from paper.runs.curves import Run

DEPTH_SETS = ("IrisMP", "RandomMP", "BSDS300")
_LABELS = ("plain", "edge weights", "edge weights, batch norm.")


def draw_losses(curves: Mapping[str, Sequence[Run | None]], folder: Path, path: Path) -> None:
    """Draw training losses above and validation losses below, a column for each family."""
    figure, above = new_plot(tuple(curves), rows=2)
    axes = figure.axes
    below = axes[len(curves) :]
    for upper, lower, runs in zip(above, below, curves.values(), strict=True):
        for run, label, colour in zip(runs, _LABELS, (NODE, *CLUSTERS), strict=False):
            if run is not None:
                points = [(row["instances"] / 1e3, row["bce"]) for row in run.rows]
                add_curve(lower, points, label, colour)
                if trained := training_losses(run, folder):
                    add_curve(upper, trained, label, colour, size=2)
        for ax in (upper, lower):
            ax.set_yscale("log")
            ax.set_xlabel("thousand instances", fontsize=9)
    above[0].set_ylabel("cross entropy, training", fontsize=9)
    below[0].set_ylabel("cross entropy, validation", fontsize=9)
    legend_below(figure)
    save_plot(figure, path)


def training_losses(run: Run, folder: Path) -> list[tuple[float, float]]:
    """Return thousands of instances and cross entropy in training, as far as they are recorded."""
    for file in folder.glob(f"*/losses/{run.name}.csv"):
        rows = read_curve(file)
        points = [(float(row["instances"]), float(row["bce"])) for row in rows if row["bce"]]
        return [(x / 1e3, loss) for x, loss in points if x <= run.last["instances"]]
    return []


def draw_depths(depths: Mapping[int, Run], path: Path) -> None:
    """Draw objective ratios by depth."""
    figure, (ax,) = new_plot(("GCN_W_BN",))
    for name, colour in zip(DEPTH_SETS, CLUSTERS, strict=False):
        points = [(d, run.tested[name]) for d, run in depths.items() if name in run.tested]
        if points:
            is_stand_in = any(name in run.stand_ins for run in depths.values())
            add_curve(ax, points, column_title(name, is_stand_in), colour, size=4)
    ax.set_xlabel("layers", fontsize=9)
    ax.set_ylabel("objective ratio, test", fontsize=9)
    if ax.lines:
        ax.legend(frameon=False, fontsize=9)
    save_plot(figure, path)
