"""Curves by reading of cycle consistency, and by alpha."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from multicut.plotting.palette import CLUSTERS
from paper.line_plots import (
    CLOSE_UP,
    CYCLE_PANELS,
    GOOD_RATIOS,
    add_curve,
    finish_panel,
    legend_below,
    needs_close_up,
    new_plot,
    save_plot,
    with_close_up,
)
from paper.runs.curves import Run

_DRAWN = (
    "none",
    "graph-0.003",
    "graph-0.01",
    "length-0.01",
    "all-0.01",
    "rounded-0.01",
    "edge-0.01",
)
# What the paper's figure of alpha compares, with the condition on e and without it.
_ALPHAS = {
    "only cycles of which e is cut, as the text says": (
        "none",
        "graph-0.001",
        "graph-0.003",
        "graph-0.01",
    ),
    "Eq. 9 as printed": ("none", "all-0.001", "all-0.01"),
}
_CONTROL = "#374151"
# A little before CCL begins.
_FIRST = 900_000


def draw_readings(
    runs: Mapping[str, Run], names: Mapping[str, str], trained_on: str, path: Path
) -> None:
    """Draw the readings that differ most, each under its name."""
    drawn = {key: runs[key] for key in _DRAWN if key in runs}
    ratios = [y for run in drawn.values() for _, y in _points(run, "objective_ratio")]
    panels = with_close_up(CYCLE_PANELS, ratios)
    figure, axes = new_plot([title for _, title in panels], _about(trained_on))
    colours = dict(zip(_DRAWN, (_CONTROL, *CLUSTERS), strict=False))
    for ax, (measure, title) in zip(axes, panels, strict=True):
        for key, run in drawn.items():
            add_curve(ax, _points(run, measure), names[key], colours[key])
        finish_panel(ax, measure, title)
    legend_below(figure)
    save_plot(figure, path)


def draw_alphas(runs: Mapping[str, Run], trained_on: str, path: Path) -> None:
    """Draw the objective ratio by alpha, as the paper's figure does."""
    drawn = {key: runs[key] for keys in _ALPHAS.values() for key in keys if key in runs}
    alphas = sorted({run.alpha for run in drawn.values()})
    colours = dict(zip(alphas, (_CONTROL, *CLUSTERS), strict=False))
    ratios = [y for run in drawn.values() for _, y in _points(run, "objective_ratio")]
    close_ups = [f"the same, {CLOSE_UP}"] * len(_ALPHAS) if needs_close_up(ratios) else []
    titles = [*_ALPHAS, *close_ups]
    figure, axes = new_plot(titles, _about(trained_on), len(_ALPHAS))
    axes[1].sharey(axes[0])
    for number, ax in enumerate(axes):
        for key in list(_ALPHAS.values())[number % len(_ALPHAS)]:
            if key in drawn:
                alpha = drawn[key].alpha
                points = _points(drawn[key], "objective_ratio")
                add_curve(ax, points, f"alpha = {alpha:g}", colours[alpha])
        if number >= len(_ALPHAS):
            ax.set_ylim(*GOOD_RATIOS)
        ax.set_xlabel("million instances", fontsize=9)
        ax.set_ylabel("objective ratio", fontsize=9)
    legend_below(figure)
    save_plot(figure, path)


def _about(trained_on: str) -> str:
    return f"GCN_W_BN with CCL after one million instances, trained on {trained_on}"


def _points(run: Run, measure: str) -> list[tuple[float, float]]:
    return [
        (row["instances"] / 1e6, row[measure]) for row in run.rows if row["instances"] >= _FIRST
    ]
