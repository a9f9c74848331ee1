"""Curves with and without the cycle consistency loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from multicut.plotting.palette import CLUSTERS, NODE
from paper.evaluation_sets import column_title
from paper.line_plots import add_curve, legend_below, new_plot, save_plot, start_at_zero
from paper.runs.comparisons import start_of
from paper.runs.curves import Run
from paper.runs.validation_sets import TITLES

# The measures of the paper's figure.
_PAIR_PANELS = {
    "feasible_ratio": "feasible before rounding",
    "optimal_ratio": "optimal after rounding",
    "objective_ratio": "objective ratio",
}
_ALPHA_PANELS = {
    "feasible_ratio": "feasible before rounding",
    "objective_ratio": "objective ratio",
    "ccl": "CCL (alpha = 1)",
}
_SHARES = ("feasible_ratio", "optimal_ratio")


def draw_pair(control: Run, with_cycles: Sequence[Run], path: Path) -> None:
    """Draw a run without CCL and those that differ in it alone; lines mark where it begins."""
    about = f"GCN_W_BN, trained on {column_title(TITLES[control.train])}"
    figure, axes = new_plot(tuple(_PAIR_PANELS.values()), about)
    for ax, name in zip(axes, _PAIR_PANELS, strict=True):
        for run, colour in zip((control, *with_cycles), (NODE, *CLUSTERS), strict=False):
            label = f"CCL, alpha = {run.alpha:g}" if run.has_cycle_phase else "without CCL"
            points = [(row["instances"] / 1e6, row[name]) for row in run.rows]
            add_curve(ax, points, label, colour)
        if name in _SHARES:
            start_at_zero(ax)
        for run, colour in zip(with_cycles, CLUSTERS, strict=False):
            ax.axvline(run.cycles_from / 1e6, color=colour, linewidth=0.9, linestyle="--")
        ax.set_xlabel("million instances; dashed: CCL begins", fontsize=9)
    legend_below(figure)
    save_plot(figure, path)


def draw_alphas(later: Sequence[Run], runs: Mapping[str, Run], path: Path) -> None:
    """Draw runs that finetune one network, from its values on their validation graphs on."""
    graphs = later[0].train
    about = f"GCN_W_BN, finetuned on {column_title(TITLES.get(graphs, graphs))}"
    figure, axes = new_plot(tuple(_ALPHA_PANELS.values()), about)
    rates = {run.settings["learning_rate"] for run in later}
    for ax, name in zip(axes, _ALPHA_PANELS, strict=True):
        for run, colour in zip(later, (NODE, *CLUSTERS), strict=False):
            label = f"alpha = {run.alpha:g}"
            if len(rates) > 1:
                label += f", rate {run.settings['learning_rate']:g}"
            before = start_of(run, runs) or {}
            points = [(0.0, before[name])] if name in before else []
            points += [(row["instances"] / 1e3, row[name]) for row in run.rows]
            add_curve(ax, points, label, colour)
        if name in _SHARES:
            start_at_zero(ax)
        ax.set_xlabel("thousand instances of finetuning", fontsize=9)
    legend_below(figure)
    save_plot(figure, path)
