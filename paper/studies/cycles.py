"""What the cycle consistency loss (CCL) does: with and without it, the choice of alpha."""

from __future__ import annotations

from collections.abc import Mapping

from multicut.benchmark.markdown import ratio
from paper.evaluation_sets import EASIER, column_title
from paper.line_plots import scalable
from paper.runs.comparisons import control_of, start_of
from paper.runs.curves import ALL_MEASURES, MEASURES, Run, read_runs
from paper.runs.validation_sets import TITLES, easier_sets, validated_on
from paper.section import Record, Section, wrapped
from paper.settings import PaperSettings
from paper.studies.alpha import find_alphas, write_alphas
from paper.studies.cycle_figures import draw_alphas, draw_pair

TITLE = "Cycle consistency loss: earlier runs"
PART = "cycles"
_PUBLISHED_ALPHA = 0.01
_PUBLISHED_GRAPHS = "randommp"
_EXPLANATION = """\
These runs came before those of the published recipe and of the readings above. They show what CCL
does with a learning rate that decays, and in finetuning. All numbers of this section are of
{graphs} validation graphs of each set named, from the curves in `benchmarks/results/training`.
Where two sets are named, the values are means over both, weighted equally unless weights are given.
We sum CCL over the cycles of a graph and average cross entropy over edges; the paper does not state
how its losses are normalised. Our IrisMP is easier than the published one
([measurements](#datasets))."""
_AT_PUBLISHED_ALPHA = """\
{num_runs} of these runs were trained on RandomMP with the published alpha = {alpha:g}. In the end,
more validation graphs were feasible than before CCL in {feasible} of them, and the objective was
worse in {worse} (last table)."""
_PAIR = """\
**With and without CCL**, GCN_W_BN of {depth} layers of width {width}, trained on {graphs}. The runs
have the same seed and differ in nothing but CCL. Values are of the last validation, on
{validated_on}; feasible counts graphs before rounding, optimal after it."""
_PUBLISHED_PAIR = """
Of the published runs only the curves are known: with CCL more graphs become feasible, fewer
optimal, and the objective improves."""
_NO_PAIR = """\
There are no two runs yet that have the same seed and differ in nothing but CCL, as the paper's
figure shows them."""
_BEFORE_AND_AFTER = """\
**Before CCL → at the end**, for every run with a cycle phase whose record lies in
`benchmarks/results/training` itself. Runs of its folders `published` and `readings` are in the
sections above, not in this table. Before is the last validation without CCL, or the network that
was finetuned, which was the best of its run, on the same graphs. At a constant learning rate, the
objective ratio of one run goes up and down by several hundredths from validation to validation. So
small differences mean little. Where the rate falls meanwhile (`cosine`), a part of a rise comes
from that."""
_NEVER_FEASIBLE = """\
Unlike in the paper, no graph becomes feasible before rounding where the objective improves. This
holds for the runs below that were trained on RandomMP and validated on it alone."""


def measure(settings: PaperSettings) -> None:
    """Draw the curves."""
    runs = read_runs(settings.curves)
    for graphs, (control, with_cycles) in find_pairs(runs).items():
        draw_pair(control, with_cycles, settings.picture(f"cycles-{graphs}"))
    if later := find_alphas(runs):
        draw_alphas(later, runs, settings.picture("alphas"))


def find_pairs(runs: Mapping[str, Run]) -> dict[str, tuple[Run, list[Run]]]:
    """Find, by training set, runs of the proposed network from scratch without and with CCL.

    Where there are several, the longest ones are taken.
    """
    found: dict[str, dict[str, list[Run]]] = {}
    for run in runs.values():
        if run.is_proposed and run.has_cycle_phase and not run.started_from and run.train in TITLES:
            control = control_of(run, runs.values())
            if control is not None:
                found.setdefault(run.train, {}).setdefault(control.name, []).append(run)
    pairs = {}
    for graphs, by_control in sorted(found.items(), reverse=True):
        name = max(by_control, key=lambda name: (runs[name].planned_instances, name))
        pairs[graphs] = runs[name], sorted(by_control[name], key=lambda run: run.alpha)
    return pairs


def render(settings: PaperSettings) -> Section:
    """Return the section of the page."""
    section = Section()
    runs = read_runs(settings.curves)
    if not runs:
        section.write(
            f"There are no curves in `{settings.curves.name}`; give their folder with `--curves`."
        )
        return section
    text = _EXPLANATION.format(graphs=_num_graphs(runs))
    section.write(wrapped(f"{text} {_at_published_alpha(runs)}"))
    pairs = find_pairs(runs)
    if not pairs:
        section.write(_NO_PAIR)
    for graphs, (control, with_cycles) in pairs.items():
        _write_pair(section, settings, graphs, control, with_cycles)
    if later := find_alphas(runs):
        write_alphas(section, later, runs)
        title = "Validation of runs that finetune one network, by alpha"
        section.show(scalable(settings.picture("alphas")), title)
    _write_before_and_after(section, runs)
    return section


def _num_graphs(runs: Mapping[str, Run]) -> str:
    """Say how many graphs validations have been made on."""
    numbers = {run.settings["num_validation"] for run in runs.values() if run.train in TITLES}
    return " or ".join(f"{number:,}" if number else "all" for number in sorted(numbers))


def _write_pair(
    section: Section, settings: PaperSettings, graphs: str, control: Run, with_cycles: list[Run]
) -> None:
    records = [_last_record(control, None)]
    texts = [[f"`{control.name}`", "0", "", *_texts(control.last)]]
    for run in with_cycles:
        records.append(_last_record(run, control.name))
        begin = f"from {run.cycles_from:,} of {run.planned_instances:,}"
        texts.append([f"`{run.name}`", f"{run.alpha:g}", begin, *_texts(run.last)])
        differences = [run.last[name] - control.last[name] for name in MEASURES]
        texts.append(["  difference", "", "", *(f"{value:+.4f}" for value in differences)])
    network = control.network
    text = _PAIR.format(
        graphs=column_title(TITLES[graphs]),
        validated_on=validated_on(control),
        depth=network["depth"],
        width=network["width"],
    )
    if graphs == _PUBLISHED_GRAPHS:
        text += _PUBLISHED_PAIR
        published = ["0.01", "from 3,000,000 of 3,150,000", "more", "fewer", "better"]
        texts.append(["  published", *published])
    section.write(wrapped(text))
    columns = ["run", "alpha", "CCL", "feasible", "optimal", "objective ratio"]
    section.tabulate(f"cycles_{graphs}", records, columns, texts, 3)
    title = f"Validation with and without CCL, trained on {column_title(TITLES[graphs])}"
    section.show(scalable(settings.picture(f"cycles-{graphs}")), title)


def _last_record(run: Run, control: str | None) -> Record:
    return {
        "run": run.name,
        "is_easier": TITLES.get(run.train) in EASIER,
        "control": control,
        "seed": run.settings["seed"],
        "alpha": run.alpha,
        "instances": run.last["instances"],
        **{name: run.last[name] for name in ALL_MEASURES},
    }


def _texts(row: Mapping[str, float]) -> list[str]:
    return [ratio(row[name]) for name in MEASURES]


def _before(run: Run, runs: Mapping[str, Run]) -> dict[str, float] | None:
    """Return what the network was before CCL on the same graphs, where that is known."""
    if run.started_from:
        return start_of(run, runs)
    return run.before_cycles


def _changes(runs: Mapping[str, Run]) -> list[tuple[Run, dict[str, float]]]:
    """Return the runs with a cycle phase, each with the validation before that."""
    found = [(run, _before(run, runs)) for run in runs.values() if run.has_cycle_phase]
    return [(run, before) for run, before in found if before is not None]


def _at_published_alpha(runs: Mapping[str, Run]) -> str:
    """Say what the published weight did on RandomMP."""
    changes = [
        {name: run.last[name] - before[name] for name in MEASURES}
        for run, before in _changes(runs)
        if run.train == "randommp" and run.alpha == _PUBLISHED_ALPHA
    ]
    if not changes:
        return ""
    feasible = sum(change["feasible_ratio"] > 0 for change in changes)
    worse = sum(change["objective_ratio"] < 0 for change in changes)
    return _AT_PUBLISHED_ALPHA.format(
        alpha=_PUBLISHED_ALPHA, num_runs=len(changes), feasible=feasible, worse=worse
    )


def _write_before_and_after(section: Section, runs: Mapping[str, Run]) -> None:
    changes = _changes(runs)
    records, texts = [], []
    for run, before in changes:
        record: Record = {"run": run.name, "alpha": run.alpha}
        record |= {"decay": run.settings["decay"], "validation": run.settings["validation"]}
        record["easier_sets"] = easier_sets(run)
        for name in MEASURES:
            record |= {f"{name}_before": before[name], f"{name}_after": run.last[name]}
        records.append(record)
        values = [f"{before[name]:.3f} → {run.last[name]:.3f}" for name in MEASURES]
        texts.append([f"`{run.name}`", f"{run.alpha:g}", run.rate, validated_on(run), *values])
    improved = [
        run.last["feasible_ratio"]
        for run, before in changes
        if run.train == "randommp"
        and list(run.validation_weights) == ["randommp"]
        and run.last["objective_ratio"] > before["objective_ratio"]
    ]
    section.write(_BEFORE_AND_AFTER)
    if improved and max(improved) == 0:
        section.write(_NEVER_FEASIBLE)
    measures = ["feasible", "optimal", "objective ratio"]
    columns = ["run", "alpha", "learning rate", "validated on", *measures]
    section.tabulate("before_and_after", records, columns, texts, 4)
