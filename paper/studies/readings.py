"""Readings of the losses: under which of them the published alpha is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from multicut.benchmark.markdown import ratio
from multicut.plotting.palette import CLUSTERS
from paper.line_plots import add_curve, new_plot, save_plot, scalable
from paper.runs.curves import MEASURES, Run, read_runs
from paper.section import Record, Section
from paper.settings import PaperSettings

TITLE = "Readings of cycle consistency"
PART = "readings"
#: What each configuration of ``configs/readings`` reads, after the name of the set.
READINGS = {
    "none": "no CCL, the control",
    "graph-0.001": "BCE a mean over edges, CCL a sum over the cycles of a graph, alpha = 0.001",
    "graph-0.003": "CCL a sum per graph, alpha = 0.003",
    "graph-0.01": "CCL a sum per graph, alpha = 0.01",
    "graph-0.01-seed-1": "CCL a sum per graph, alpha = 0.01, another seed",
    "graph-0.01-seed-2": "CCL a sum per graph, alpha = 0.01, a third seed",
    "batch-0.01": "CCL a sum over all graphs of a batch",
    "edge-0.01": "both sums, or both divided by the number of edges",
    "summed-0.01": "both sums, so that weight decay counts less",
    "length-0.01": "CCL a mean over the edges of a cycle",
    "all-0.01": "Eq. 9 as printed, without the condition that e is cut",
    "all-length-0.01": "the two before together",
    "rounded-0.01": "e rounded to 1: only a second cut helps",
    "rounded-0.001": "the same, alpha = 0.001",
    "rounded-length-0.01": "e rounded, CCL a mean over the edges of a cycle",
    "triangles-0.01": "triangles alone",
    "pentagons-0.01": "cycles of at most five edges",
}
_SETS = {"randommp": "RandomMP", "irismp": "IrisMP"}
_DRAWN = (
    "none",
    "graph-0.003",
    "graph-0.01",
    "length-0.01",
    "all-0.01",
    "rounded-0.01",
    "edge-0.01",
)
_EXPLANATION = """\
The paper does not say over what its two losses are summed. Each run below goes on from the same
network, GCN_W_BN after one million instances without CCL, with the paper's course of alpha (rising
over 100,000 instances, then held for 50,000) and its constant learning rate. Values are of the
1,000 validation graphs of the training set. The paper reports that with alpha = 0.01 more graphs
are feasible before rounding, fewer are optimal, and the objective is better; the last column names
those of the three that hold against the control at the end. The network of the best validation,
which may lie before alpha has risen to its end, was then tested on both sets."""
# A constant learning rate lets the objective ratio of one run wander by about as much.
_NOISE = 0.005
_PUBLISHED_ALPHA = "-0.01"


def _read(settings: PaperSettings) -> dict[str, dict[str, Run]]:
    runs = read_runs(settings.curves / "readings")
    return {
        name: {key: runs[f"{name}-{key}"] for key in READINGS if f"{name}-{key}" in runs}
        for name in _SETS
    }


def _tests() -> tuple[str, ...]:
    return tuple(f"best, {title} test" for title in _SETS.values())


def _configured() -> list[str]:
    return [f"{name}-{key}" for name in _SETS for key in READINGS if _is_configured(name, key)]


def _is_configured(name: str, key: str) -> bool:
    return Path(f"configs/readings/{name}-{key}.toml").exists()


def measure(settings: PaperSettings) -> None:
    """Draw the figures."""
    for name, runs in _read(settings).items():
        if runs:
            _draw(settings, name, runs)


def _draw(settings: PaperSettings, name: str, runs: Mapping[str, Run]) -> None:
    titles = {"feasible_ratio": "feasible", "optimal_ratio": "optimal", "objective_ratio": "ratio"}
    figure, axes = new_plot(tuple(titles.values()))
    colours = ("#374151", *CLUSTERS)
    for ax, measure_name in zip(axes, titles, strict=True):
        for key, colour in zip(_DRAWN, colours, strict=False):
            if key in runs:
                rows = [row for row in runs[key].rows if row["instances"] >= 900_000]
                points = [(row["instances"] / 1e6, row[measure_name]) for row in rows]
                add_curve(ax, points, key, colour)
        ax.set_xlabel("million instances", fontsize=9)
    axes[-1].legend(frameon=False, fontsize=8)
    save_plot(figure, settings.picture(f"readings-{name}"))


def render(settings: PaperSettings) -> Section:
    """Return the section of the page."""
    section = Section()
    found = _read(settings)
    if not any(found.values()):
        section.write("No such runs are recorded; `make retrain` makes them.")
        return section
    section.write(_EXPLANATION)
    records: list[Record] = []
    for name, runs in found.items():
        if runs:
            records += _write_set(section, settings, name, runs)
    section.keep("readings", records)
    if {each["train"] for each in records} == set(_SETS):
        _write_verdict(section, records)
    missing = [name for name in _configured() if name not in {each["run"] for each in records}]
    if missing:
        listed = ", ".join(f"`{name}`" for name in missing)
        section.write(f"Not recorded yet; `make retrain` makes them: {listed}.")
    return section


def _control(
    settings: PaperSettings, name: str, runs: Mapping[str, Run]
) -> Mapping[str, float] | None:
    """Return the last validation without CCL: of the control, or of the run that all go on from.

    That run goes on without CCL, so its validation at the same moment, if it came so far, is one.
    """
    if "none" in runs:
        return runs["none"].last
    begin = read_runs(settings.curves / "published").get(f"gcn_w_bn-{name}-published-seed-0")
    end = max((run.last["instances"] for run in runs.values()), default=0.0)
    if begin is None or begin.cycles_from < end:
        return None
    rows = [row for row in begin.rows if row["instances"] <= end]
    return rows[-1] if rows and begin.last["instances"] >= end else None


def _write_set(
    section: Section, settings: PaperSettings, name: str, runs: Mapping[str, Run]
) -> list[Record]:
    title = _SETS[name]
    section.write(f"**{title}**, l = {3 if name == 'irismp' else 8}:")
    control = _control(settings, name, runs)
    texts, records = [], []
    for key, run in runs.items():
        last = run.last
        signs = _signs(last, control)
        texts.append(
            [
                READINGS[key],
                f"`{run.name}`",
                *(ratio(last[measure_name]) for measure_name in MEASURES),
                ratio(run.best["objective_ratio"]),
                f"{last['bce']:.3f}",
                f"{last['ccl']:.1f}",
                "" if key == "none" or control is None else ", ".join(signs) or "none",
                *(ratio(run.tested.get(each)) for each in _SETS.values()),
            ]
        )
        record: Record = {"train": name, "reading": key, "description": READINGS[key]}
        record |= {"run": run.name, "alpha": run.settings["alpha"], **last}
        record["as_published"] = [] if key == "none" else signs
        record |= {f"test_{each}": run.tested.get(title) for each, title in _SETS.items()}
        records.append({**record, "best_objective_ratio": run.best["objective_ratio"]})
    if "none" not in runs and control is not None:
        values = [ratio(control[each]) for each in MEASURES]
        label = f"no CCL: the run that all go on from, after {control['instances']:,.0f}"
        losses = [f"{control['bce']:.3f}", f"{control['ccl']:.1f}"]
        texts.insert(0, [label, "", *values, "", *losses, "", "", ""])
    columns = ("reading", "run", "feasible", "optimal", "objective", "best", "BCE", "CCL")
    section.write_table((*columns, "as published", *_tests()), texts, 2)
    section.show(scalable(settings.picture(f"readings-{name}")), f"Readings, {title}")
    return records


def _signs(last: Mapping[str, float], control: Mapping[str, float] | None) -> list[str]:
    """Return which of the three published effects a run shows."""
    if control is None:
        return []
    held = {
        "feasible": last["feasible_ratio"] > control["feasible_ratio"],
        "optimal": last["optimal_ratio"] < control["optimal_ratio"],
        "objective": last["objective_ratio"] > control["objective_ratio"] + _NOISE,
    }
    return [name for name, holds in held.items() if holds]


def _write_verdict(section: Section, records: Sequence[Record]) -> None:
    """Name the readings with which the published alpha has the published effects."""
    wanted = {"irismp": {"feasible", "optimal", "objective"}, "randommp": {"feasible", "objective"}}
    agree = [
        key
        for key in READINGS
        if key.endswith(_PUBLISHED_ALPHA)
        and all(
            any(
                (each["train"], each["reading"]) == (name, key)
                and effects <= set(each["as_published"])
                for each in records
            )
            for name, effects in wanted.items()
        )
    ]
    found = "; ".join(f"{READINGS[key]} (`{key}`)" for key in agree) or "none of those recorded"
    section.write(
        "**Verdict.** With the published alpha = 0.01, the published effects appear at the end on "
        "both sets, all three on\nIrisMP and on RandomMP the two that can, since no graph is "
        f"solved to optimality there, under: {found}.\n"
        "[What that says of the losses](training.md#why-the-published-alpha-ruins-networks-here)."
    )
