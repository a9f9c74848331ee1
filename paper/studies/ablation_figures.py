"""Losses of variants of networks, and objective ratios by depth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from multicut.plotting.palette import CLUSTERS, NODE
from paper.evaluation_sets import column_title
from paper.line_plots import add_curve, new_plot, save_plot
from paper.runs.curves import Run

DEPTH_SETS = ("IrisMP", "RandomMP", "BSDS300")
_LABELS = ("plain", "edge weights", "edge weights, batch norm.")


def draw_losses(curves: Mapping[str, Sequence[Run | None]], path: Path) -> None:
    """Draw validation losses, one panel for each family of networks."""
    figure, axes = new_plot(tuple(curves))
    for ax, runs in zip(axes, curves.values(), strict=True):
        for run, label, colour in zip(runs, _LABELS, (NODE, *CLUSTERS), strict=False):
            if run is not None:
                points = [(row["instances"] / 1e3, row["bce"]) for row in run.rows]
                add_curve(ax, points, label, colour)
        ax.set_yscale("log")
        ax.set_xlabel("thousand instances", fontsize=9)
        if ax.lines:
            ax.legend(frameon=False, fontsize=9)
    axes[0].set_ylabel("cross entropy, validation", fontsize=9)
    save_plot(figure, path)


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
