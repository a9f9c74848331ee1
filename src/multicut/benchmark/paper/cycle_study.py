"""What the cycle consistency loss (CCL) does: curves, before and after, and the choice of alpha."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from multicut.benchmark.markdown import MISSING, ratio, table
from multicut.benchmark.paper.curves import Run, read_runs
from multicut.benchmark.paper.settings import PaperSettings
from multicut.plotting.palette import CLUSTERS, NODE

TITLE = "Cycle consistency loss"
PART = "cycles"
_BASE = "gcn_w_bn-randommp"
_EXPLANATION = """\
All numbers of this section are of 500 validation graphs, from the curves in
`benchmarks/results/training`; each run was made once. Our alpha need not be the paper's, which
does not state how its losses are normalised: we sum CCL over the cycles of a graph and average
cross entropy over edges. With the published alpha = 0.01, scores became more feasible here and
the objective collapsed (`gin0_w_bn-randommp`, `sgcn_w_bn-randommp` below)."""
_NO_CONTROL = """\
There is no control run yet with alpha = 0 from the same network, so how much of a gain comes
from CCL, and how much from more training at another rate, is not separated here."""
_BEFORE_AND_AFTER = """\
**Before CCL → at the end**, for every run with a cycle phase. Before is the last validation
without CCL, or the network that was finetuned, which was the best of its run. Without CCL, the
objective ratio of one run goes up and down from validation to validation by several hundredths,
so small differences mean little. Unlike in the paper, on RandomMP no graph becomes feasible
before rounding at the values of alpha that improve the objective."""
_PANELS = (
    ("feasible_ratio", "feasible before rounding"),
    ("objective_ratio", "objective ratio"),
    ("ccl", "CCL (alpha = 1)"),
)


def measure(settings: PaperSettings) -> None:
    """Draw the curves."""
    runs = read_runs(settings.curves)
    chosen = _finetuned(runs, _BASE)
    if _BASE in runs and chosen:
        draw_curves(runs[_BASE], chosen, settings.picture("cycles"))


def _finetuned(runs: dict[str, Run], base: str) -> list[Run]:
    """Return the runs that start from one network, by α."""
    found = [run for run in runs.values() if run.started_from == base]
    return sorted(found, key=lambda run: (run.settings["alpha"], run.settings["learning_rate"]))


def draw_curves(base: Run, later: Sequence[Run], path: Path) -> None:
    """Draw the plain run, and from its best network on the runs with CCL."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 4.2), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, len(_PANELS))
    start = base.best
    for ax, (measure_name, title) in zip(axes, _PANELS, strict=True):
        plain = [(row["instances"] / 1e6, row[measure_name]) for row in base.rows]
        ax.plot(*zip(*plain, strict=True), "o-", color=NODE, markersize=3, label="without CCL")
        for run, colour in zip(later, CLUSTERS, strict=False):
            # The cycle phases are short beside the plain one, so they are drawn wider.
            first = (base.rows[-1]["instances"] + 1e5) / 1e6
            steps = [(first, start[measure_name])]
            steps += [(first + 5 * row["instances"] / 1e6, row[measure_name]) for row in run.rows]
            settings = run.settings
            label = f"then alpha = {settings['alpha']:g}, rate {settings['learning_rate']:g}"
            ax.plot(*zip(*steps, strict=True), "o-", color=colour, markersize=3, label=label)
        ax.axvline((base.rows[-1]["instances"] + 1e5) / 1e6, color="#9ca3af", linewidth=0.8)
        ax.set_title(title, loc="left", fontsize=11, color=NODE)
        ax.set_xlabel("million instances (right of the line: five times wider)", fontsize=9)
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(color="#e5e7eb", linewidth=0.7)
    axes[0].set_ylim(-0.02, 1)
    axes[0].legend(frameon=False, fontsize=9, loc="upper left")
    figure.savefig(path, dpi=110)


def render(settings: PaperSettings) -> list[str]:
    """Return the section of the page."""
    runs = read_runs(settings.curves)
    if not runs:
        return [
            f"There are no curves in `{settings.curves.name}`; give their folder with `--curves`."
        ]
    lines = [_EXPLANATION, ""]
    if _finetuned(runs, _BASE) and _BASE in runs:
        lines += _alpha_table(runs[_BASE], _finetuned(runs, _BASE))
        if settings.picture("cycles").exists():
            lines += ["", "![Validation with and without CCL](images/results-cycles.png)"]
        lines.append("")
    return lines + _before_and_after(runs)


def _alpha_table(base: Run, later: Sequence[Run]) -> list[str]:
    rows = [_row("none: the network that all start from", "", base.best, base.best)]
    for run in later:
        settings = run.settings
        name = f"{settings['alpha']:g}"
        rows.append(_row(name, f"{settings['learning_rate']:g}", run.best, run.rows[-1], run))
    columns = [
        "alpha",
        "learning rate",
        "objective, best",
        "alpha at the best",
        "objective, last",
        "feasible, last",
        "optimal, last",
        "BCE, last",
        "CCL, last",
    ]
    lines = [f"**alpha**, `{base.name}` finetuned with CCL on cycles of up to 8 edges:", ""]
    lines += table(columns, rows, 2)
    controls = [run for run in later if run.settings["alpha"] == 0]
    if not controls:
        lines += [
            "",
            _NO_CONTROL,
        ]
    return lines


def _row(
    name: str, rate: str, best: dict[str, float], last: dict[str, float], run: Run | None = None
) -> list[str]:
    return [
        name,
        rate,
        ratio(best["objective_ratio"]),
        MISSING if run is None else f"{run.alpha_at(best['instances']):.2g}",
        ratio(last["objective_ratio"]),
        ratio(last["feasible_ratio"], 3),
        ratio(last["optimal_ratio"], 3),
        f"{last['bce']:.3f}",
        f"{last['ccl']:.1f}",
    ]


def _before_and_after(runs: dict[str, Run]) -> list[str]:
    rows = []
    for run in runs.values():
        if not run.has_cycle_phase:
            continue
        if run.started_from:
            if run.started_from not in runs:
                continue
            before = runs[run.started_from].best
        else:
            earlier = [row for row in run.rows if row["instances"] <= run.cycles_from]
            if not earlier:
                continue
            before = earlier[-1]
        after = run.rows[-1]
        texts = [
            f"{before[key]:.3f} → {after[key]:.3f}"
            for key in ("feasible_ratio", "optimal_ratio", "objective_ratio")
        ]
        rows.append([f"`{run.name}`", f"{run.settings['alpha']:g}", *texts])
    columns = ["run", "alpha", "feasible", "optimal", "objective ratio"]
    return [
        _BEFORE_AND_AFTER,
        "",
        *table(columns, rows, 2),
    ]
