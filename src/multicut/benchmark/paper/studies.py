"""Studies of the network: ablation, depth, losses, finetuning; from the records of their runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from multicut.benchmark.markdown import MISSING, ratio, table
from multicut.benchmark.paper.curves import Run, read_runs
from multicut.benchmark.paper.published import FINETUNING, TABLE_3, TEST_SETS
from multicut.benchmark.paper.settings import PaperSettings
from multicut.plotting.palette import CLUSTERS, NODE

TITLE = "Ablation, depth, losses and finetuning"
PART = "studies"
_NO_RUN = "not trained"
_EXPLANATION = """\
Each run was made once; settings and curves are in `benchmarks/results/training`, configurations in
`configs/ablations` and `configs/finetuning`. Columns other than IrisMP and RandomMP are of the same
graphs as in Table 1."""
#: Runs without CCL, by family: plain, with edge weights, and with batch normalisation as well.
_LOSSES = {
    "GCN": ("gcn-irismp", "gcn_w-irismp", "gcn_w_bn-irismp-without-ccl"),
    "SGCN": ("sgcn-irismp", "sgcn_w-irismp", "sgcn_w_bn-irismp-without-ccl"),
    "GIN0": ("gin0-irismp", "gin0_w-irismp", "gin0_w_bn-irismp-without-ccl"),
}
_DEPTH = "gcn_w_bn-irismp-depth-"
_DEPTH_SETS = ("IrisMP", "RandomMP", "BSDS300")


def measure(settings: PaperSettings) -> None:
    """Draw the figures."""
    runs = read_runs(settings.curves)
    if any(name in runs for names in _LOSSES.values() for name in names):
        draw_losses(runs, settings.picture("losses"))
    if depths := _by_depth(runs):
        draw_depths(depths, settings.picture("depth"))


def render(settings: PaperSettings) -> list[str]:
    """Return the section of the page."""
    runs = read_runs(settings.curves)
    lines = [
        _EXPLANATION,
        "",
        "**Table 3, the ablation of GCN**, trained on IrisMP without CCL:",
        "",
    ]
    lines += _ablation(runs)
    lines += ["", "**Depth** of GCN_W_BN, trained on IrisMP without CCL:", ""]
    lines += _depth_table(_by_depth(runs))
    lines += _shown(settings, "depth", "Objective ratio by depth")
    lines += [
        "",
        "**Losses** with and without edge weights and batch normalisation, cross entropy on 500 "
        "validation graphs of IrisMP:",
        "",
    ]
    lines += _loss_table(runs)
    lines += _shown(settings, "losses", "Validation losses")
    lines += [
        "",
        "**Finetuning**, objective ratio on the evaluation part of each set: GCN_W_BN as trained "
        "on RandomMP, trained from scratch on the set, and finetuned there (best validation):",
        "",
    ]
    return lines + _finetuning(runs)


def _ablation(runs: dict[str, Run]) -> list[str]:
    rows = []
    for name, (title, published) in TABLE_3.items():
        tested = runs[name].tested if name in runs else {}
        status = "" if name in runs else _NO_RUN
        rows.append([title, f"`{name}`", status, *(ratio(tested.get(s), 2) for s in TEST_SETS)])
        values = published or (None,) * len(TEST_SETS)
        texts = ["not applicable" if value is None else f"{value:.2f}" for value in values]
        rows.append(["  published", "", "", *texts])
    return table(["variant", "run", "", *TEST_SETS], rows, 3)


def _by_depth(runs: dict[str, Run]) -> dict[int, Run]:
    found = {int(run.settings["network"]["depth"]): run for run in runs.values() if _is_depth(run)}
    return dict(sorted(found.items()))


def _is_depth(run: Run) -> bool:
    return run.name.startswith(_DEPTH)


def _depth_table(depths: dict[int, Run]) -> list[str]:
    if not depths:
        return [f"{_NO_RUN.capitalize()}: runs `{_DEPTH}N` are missing."]
    rows = [
        [str(depth), *(ratio(run.tested.get(name), 4) for name in _DEPTH_SETS)]
        for depth, run in depths.items()
    ]
    return table(["layers", *_DEPTH_SETS], rows, 0)


def _loss_table(runs: dict[str, Run]) -> list[str]:
    rows = []
    for family, names in _LOSSES.items():
        values = [
            f"{min(row['bce'] for row in runs[name].rows):.4f}" if name in runs else MISSING
            for name in names
        ]
        rows.append([family, *values])
    return table(["least loss", "plain", "edge weights", "and batch norm."], rows)


def _finetuning(runs: dict[str, Run]) -> list[str]:
    rows = []
    for name, values in FINETUNING.items():
        key = name.lower()
        tuned, scratch = runs.get(f"{key}-finetuned"), runs.get(f"{key}-from-scratch")
        before = None if tuned is None else tuned.settings.get("before")
        best = [None if run is None else run.best["objective_ratio"] for run in (scratch, tuned)]
        rows.append([name, *(ratio(value) for value in (before, *best))])
        rows.append(["  published", *(f"{value:.4f}" for value in values)])
    return table(["set", "trained on RandomMP", "from scratch", "finetuned"], rows)


def _shown(settings: PaperSettings, name: str, title: str) -> list[str]:
    if not settings.picture(name).exists():
        return []
    return ["", f"![{title}](images/results-{name}.png)"]


def draw_losses(runs: dict[str, Run], path: Path) -> None:
    """Draw validation losses, one panel for each family of networks."""
    figure, axes = _figure(len(_LOSSES))
    labels = ("plain", "edge weights", "edge weights, batch norm.")
    for ax, (family, names) in zip(axes, _LOSSES.items(), strict=True):
        for name, label, colour in zip(names, labels, (NODE, *CLUSTERS), strict=False):
            if name in runs:
                points = [(row["instances"] / 1e3, row["bce"]) for row in runs[name].rows]
                ax.plot(*zip(*points, strict=True), "o-", markersize=3, color=colour, label=label)
        ax.set_yscale("log")
        ax.set_title(family, loc="left", fontsize=11, color=NODE)
        ax.set_xlabel("thousand instances", fontsize=9)
    axes[0].set_ylabel("cross entropy, validation", fontsize=9)
    axes[0].legend(frameon=False, fontsize=9)
    figure.savefig(path, dpi=110)


def draw_depths(depths: dict[int, Run], path: Path) -> None:
    """Draw objective ratios by depth."""
    figure, (ax,) = _figure(1)
    for name, colour in zip(_DEPTH_SETS, CLUSTERS, strict=False):
        points = [(d, run.tested[name]) for d, run in depths.items() if name in run.tested]
        if points:
            ax.plot(*zip(*points, strict=True), "o-", markersize=4, color=colour, label=name)
    ax.set_xlabel("layers", fontsize=9)
    ax.set_ylabel("objective ratio, test", fontsize=9)
    ax.legend(frameon=False, fontsize=9)
    figure.savefig(path, dpi=110)


def _figure(num_panels: int):  # type: ignore[no-untyped-def]
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    width = 13 if num_panels > 1 else 6.5
    figure = Figure(figsize=(width, 4.2), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    axes: Sequence[object] = figure.subplots(1, num_panels, squeeze=False)[0]
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)  # type: ignore[attr-defined]
        ax.grid(color="#e5e7eb", linewidth=0.7)  # type: ignore[attr-defined]
    return figure, axes
