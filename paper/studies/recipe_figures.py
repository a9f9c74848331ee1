"""Bands over the seeds of the published recipe."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

from multicut._words import count
from multicut.plotting.palette import CLUSTERS
from paper.line_plots import (
    CYCLE_PANELS,
    finish_panel,
    legend_below,
    new_plot,
    save_plot,
    with_close_up,
)
from paper.runs.curves import MEASURES, Run

_PANELS = {
    "bce": "cross entropy",
    "ccl": "CCL (alpha = 1)",
    "objective_ratio": "objective ratio",
}
# The cycle phase, and a little before, in millions of instances.
_PHASE = 2.9


def draw_all(kinds: Mapping[str, Sequence[Run]], trained_on: str, path: Path) -> None:
    """Draw losses and objective ratios of whole runs, by what each kind of run is called."""
    _draw(kinds, _PANELS, f"GCN_W_BN, trained on {trained_on}", path)


def draw_phase(kinds: Mapping[str, Sequence[Run]], trained_on: str, path: Path) -> None:
    """Draw what the paper shows of the cycle phase."""
    about = f"GCN_W_BN in the cycle phase, trained on {trained_on}"
    _draw(kinds, CYCLE_PANELS, about, path, _PHASE)


def _draw(
    kinds: Mapping[str, Sequence[Run]],
    measures: Mapping[str, str],
    about: str,
    path: Path,
    first: float = 0.0,
) -> None:
    ratios = [mean for runs in kinds.values() for mean in band(runs, "objective_ratio", first)[1]]
    panels = with_close_up(measures, ratios)
    figure, axes = new_plot([title for _, title in panels], about)
    for ax, (name, title) in zip(axes, panels, strict=True):
        for (kind, runs), colour in zip(kinds.items(), CLUSTERS, strict=False):
            xs, means, spreads = band(runs, name, first)
            ax.plot(xs, means, color=colour, label=f"{kind}, {count(len(runs), 'seed')}")
            low, high = edges(means, spreads, name)
            ax.fill_between(xs, low, high, color=colour, alpha=0.25, linewidth=0)
        finish_panel(ax, name, title)
    legend_below(figure)
    save_plot(figure, path)


def band(
    runs: Sequence[Run], name: str, first: float = 0.0
) -> tuple[list[float], list[float], list[float]]:
    """Return instances, in millions, and mean and deviation over the runs that all have a value."""
    by_instances: dict[float, list[float]] = {}
    for run in runs:
        for row in run.rows:
            if name in row and row["instances"] >= 1e6 * first:
                by_instances.setdefault(row["instances"], []).append(row[name])
    whole = {x: values for x, values in sorted(by_instances.items()) if len(values) == len(runs)}
    means = [statistics.fmean(values) for values in whole.values()]
    spreads = [statistics.stdev(v) if len(v) > 1 else 0.0 for v in whole.values()]
    return [x / 1e6 for x in whole], means, spreads


def edges(
    means: Sequence[float], spreads: Sequence[float], name: str
) -> tuple[list[float], list[float]]:
    """Return where a band begins and ends: no ratio is below 0 or above 1."""
    low = [mean - spread for mean, spread in zip(means, spreads, strict=True)]
    high = [mean + spread for mean, spread in zip(means, spreads, strict=True)]
    if name in MEASURES:
        low, high = [max(value, 0.0) for value in low], [min(value, 1.0) for value in high]
    return low, high
