"""Readings of the losses: under which of them the published alpha is right."""

from __future__ import annotations

import statistics
from collections.abc import Mapping

from multicut.benchmark.markdown import ratio
from paper.evaluation_sets import column_title, easier_of
from paper.line_plots import scalable
from paper.runs.curves import MEASURES, Run, read_runs
from paper.runs.validation_sets import TITLES
from paper.section import Record, Section, wrapped
from paper.settings import PaperSettings
from paper.studies import alpha_by_network, clipping, readings_verdict
from paper.studies.readings_figures import draw_alphas, draw_readings

TITLE = "Readings of cycle consistency"
PART = "readings"
#: What each configuration of ``configs/readings`` reads, after the name of the set.
READINGS = {
    "none": "no CCL, the control",
    "graph-0.001": "CCL a sum over the cycles of a graph, alpha = 0.001",
    "graph-0.003": "CCL a sum over the cycles of a graph, alpha = 0.003",
    "graph-0.01": "CCL a sum over the cycles of a graph",
    "graph-0.01-seed-1": "the same, a second seed",
    "graph-0.01-seed-2": "the same, a third seed",
    "batch-0.01": "CCL a sum over all graphs of a batch",
    "edge-0.01": "both sums, or both divided by the number of edges",
    "summed-0.01": "both sums, not divided, so weight decay counts less",
    "length-0.01": "CCL a mean over the edges of a cycle",
    "all-0.01": "Eq. 9 as printed, without the condition that e is cut",
    "all-0.001": "Eq. 9 as printed, alpha = 0.001",
    "all-length-0.01": "Eq. 9 as printed, CCL a mean over the edges of a cycle",
    "rounded-0.01": "score of e rounded to 1, so only a second cut of the cycle helps",
    "rounded-0.001": "score of e rounded to 1, alpha = 0.001",
    "rounded-length-0.01": "score of e rounded to 1, CCL a mean over the edges of a cycle",
    "triangles-0.01": "triangles alone",
    "pentagons-0.01": "cycles of at most five edges",
}
_SETS = {name: TITLES[name] for name in ("randommp", "irismp")}
_TITLES = {name: column_title(title) for name, title in _SETS.items()}
_EXPLANATION = """\
The paper does not say over what its two losses are summed, so there are several interpretations,
called readings below. Each run below goes on from the same network, GCN_W_BN after one million
instances without CCL. It has the paper's course of alpha, rising over 100,000 instances, then held
for 50,000, and its constant learning rate. Unless the first column says otherwise, alpha is 0.01
and cross entropy is a mean over edges. Most networks of the paper's Table 1 have this alpha. Values
are of the 1,000 validation graphs of the training set. The paper reports that with CCL more graphs
are feasible before rounding, fewer are optimal, and the objective is better. The column *as
published* names those of these three effects that the last validation shows against that of the
control. A change counts if it exceeds {least} and the standard deviation over seeds. That deviation
is of our runs of the published recipe after three million instances, before CCL (objective:
{deviations}). The network of the best validation, which may lie before alpha has risen to its end,
was then evaluated on both test sets. Each reading is one run unless it says so.
[Losses](training.md#losses) explains the terms of the first column. Our IrisMP is easier than the
published one ([measurements](#datasets))."""
# The smallest change of one run that counts, in a share of graphs or an objective ratio.
_LEAST_CHANGE = 0.015


def _deviations(settings: PaperSettings) -> dict[str, dict[str, float]]:
    """Return how much measures differ between seeds before CCL, by training set."""
    runs = read_runs(settings.curves / "published")
    found = {}
    for name in _SETS:
        befores = [
            run.before_cycles
            for run_name, run in runs.items()
            if run_name.startswith(f"gcn_w_bn-{name}-published-seed-") and run.before_cycles
        ]
        several = len(befores) > 1
        found[name] = {
            each: statistics.stdev(row[each] for row in befores) if several else 0.0
            for each in MEASURES
        }
    return found


def _read(settings: PaperSettings) -> dict[str, dict[str, Run]]:
    runs = read_runs(settings.curves / "readings")
    return {
        name: {key: runs[f"{name}-{key}"] for key in READINGS if f"{name}-{key}" in runs}
        for name in _SETS
    }


def _tests() -> tuple[str, ...]:
    return tuple(f"best, {title} test" for title in _TITLES.values())


def measure(settings: PaperSettings) -> None:
    """Draw the figures."""
    for name, runs in _read(settings).items():
        if runs:
            title = _TITLES[name]
            draw_readings(runs, READINGS, title, settings.picture(f"readings-{name}"))
            draw_alphas(runs, title, settings.picture(f"readings-alpha-{name}"))


def render(settings: PaperSettings) -> Section:
    """Return the section of the page."""
    section = Section()
    found = _read(settings)
    if not any(found.values()):
        section.write("No such runs are recorded; `make retrain` makes them.")
        return section
    deviations = _deviations(settings)
    ratios = (f"{deviations[each]['objective_ratio']:.3f} on {_TITLES[each]}" for each in _SETS)
    text = _EXPLANATION.format(least=_LEAST_CHANGE, deviations=", ".join(ratios))
    section.write(wrapped(text))
    records: list[Record] = []
    for name, runs in found.items():
        if runs:
            records += _write_set(section, settings, name, runs, deviations[name])
    section.keep("readings", records)
    if {each["train"] for each in records} == set(_SETS):
        readings_verdict.write(section, records, _TITLES)
    recorded = read_runs(settings.curves / "readings")
    alpha_by_network.write_table(section, recorded)
    clipping.write_table(section, recorded, _SETS)
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
    section: Section,
    settings: PaperSettings,
    name: str,
    runs: Mapping[str, Run],
    deviations: Mapping[str, float],
) -> list[Record]:
    title = _TITLES[name]
    section.write(f"**{title}**, l = {3 if name == 'irismp' else 8}:")
    control = _control(settings, name, runs)
    texts, records = [], []
    for key, run in runs.items():
        last = run.last
        signs = _signs(last, control, deviations)
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
        record: Record = {"train": name, "easier_sets": easier_of(_SETS.values())}
        record |= {"reading": key, "description": READINGS[key]}
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
    alphas = scalable(settings.picture(f"readings-alpha-{name}"))
    section.show(alphas, f"alpha, with CCL after one million instances, {title}")
    return records


def _signs(
    last: Mapping[str, float],
    control: Mapping[str, float] | None,
    deviations: Mapping[str, float],
) -> list[str]:
    """Return which of the three published effects a run shows."""
    if control is None:
        return []
    rises = {name: last[name] - control[name] for name in MEASURES}
    rises["optimal_ratio"] *= -1  # the paper's falls
    return [
        name.removesuffix("_ratio")
        for name, rise in rises.items()
        if rise > max(_LEAST_CHANGE, deviations[name])
    ]
