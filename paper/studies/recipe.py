"""The published recipe to its end, several seeds, as a band."""

from __future__ import annotations

from collections.abc import Sequence

from multicut.benchmark.markdown import ratio
from paper.evaluation_sets import easier_of
from paper.line_plots import scalable
from paper.runs.curves import Run, note_on_precision
from paper.section import Record, Section, listed, wrapped
from paper.settings import PaperSettings
from paper.studies.recipe_effects import write_effects
from paper.studies.recipe_figures import draw_all, draw_phase
from paper.studies.recipe_runs import SETS, TRAINED_ON, describe, find_groups, mean_text

TITLE = "The published recipe, to its end"
PART = "recipe"
_EXPLANATION = """\
GCN_W_BN as the appendix describes it for RandomMP: constant learning rate 0.001, no CCL for three
million instances, costs as they are. Then alpha rises to 0.01 over 100,000 and is held for 50,000.
For this network on IrisMP, the paper's Table 1 has alpha = 0.001. All rows are of our own runs.
Runs of one seed share everything up to three million. Before, best and last are objective ratios on
the 1,000 validation graphs of the training set, which alone chooses the best network. That network
was then evaluated on both test sets. The band in the figures is the mean ± standard deviation over
seeds, as in the paper's figure of five runs. The second figure of each set shows the cycle phase
alone, as the paper's figure of CCL does. Our runs with a decaying rate have CCL from 2.52 million
instances on, and were validated on 500 of these graphs. `make retrain` makes these runs anew. At
the speed of one run [alone on an H200](training.md#on-a-gpu), its steps take a minute and a half.
The paper reports 24 hours on a Quadro RTX 8000, 18 of them for the last 150,000 instances. Our
IrisMP is easier than the published one ([measurements](#datasets))."""
_NO_CONTROL = """\
The paper's figure of CCL compares with networks trained without CCL to the end. No such runs with a
constant rate are recorded here for {sets}. The values before CCL take their place."""
_UNFINISHED = """\
Runs with fewer than three million instances were stopped at the time limit before CCL began. They
were not tested."""


def measure(settings: PaperSettings) -> None:
    """Draw the bands."""
    groups = find_groups(settings)
    for train in SETS:
        kinds = {describe(*key): runs for key, runs in groups.items() if key[0] == train}
        if kinds:
            draw_all(kinds, TRAINED_ON[train], settings.picture(f"recipe-{train}"))
            draw_phase(kinds, TRAINED_ON[train], settings.picture(f"recipe-{train}-ccl"))


def render(settings: PaperSettings) -> Section:
    """Return the section of the page."""
    section = Section()
    groups = find_groups(settings)
    if not groups:
        section.write("No such runs are recorded; `make retrain` makes them.")
        return section
    precision = note_on_precision(run for runs in groups.values() for run in runs)
    section.write(wrapped(f"{_EXPLANATION} {precision}"))
    if any(_was_stopped(run) for some in groups.values() for run in some):
        section.write(_UNFINISHED)
    if without := [title for name, title in TRAINED_ON.items() if (name, "none") not in groups]:
        section.write(wrapped(_NO_CONTROL.format(sets=listed(without))))
    texts, records = [], []
    for (train, kind), runs in groups.items():
        for run in runs:
            texts.append(_texts(train, kind, run))
            records.append(_record(train, kind, run))
        if len(runs) > 1:
            texts.append(_mean_texts(runs))
    first = ("trained on", "runs", "seed", "instances", "feasible", "optimal")
    columns = (*first, "before CCL", "best", "last", *TRAINED_ON.values())
    section.tabulate("recipe", records, columns, texts, 2)
    write_effects(section, groups)
    for train, title in TRAINED_ON.items():
        if any(each == train for each, _ in groups):
            section.show(scalable(settings.picture(f"recipe-{train}")), f"Seeds, {title}")
            picture = scalable(settings.picture(f"recipe-{train}-ccl"))
            section.show(picture, f"Seeds in the cycle phase, {title}")
    return section


def _was_stopped(run: Run) -> bool:
    """Whether a run that was to have a cycle phase has none."""
    return run.settings["alpha"] > 0 and not run.has_cycle_phase


def _numbers(run: Run) -> list[float | None]:
    before = run.before_cycles
    return [
        None if before is None else before["objective_ratio"],
        run.best["objective_ratio"],
        run.last["objective_ratio"],
        *(run.tested.get(name) for name in SETS.values()),
    ]


def _texts(train: str, kind: str, run: Run) -> list[str]:
    before = run.before_cycles or {}
    changes = [
        f"{before.get(name, float('nan')):.3f} → {run.last[name]:.3f}"
        for name in ("feasible_ratio", "optimal_ratio")
    ]
    seed, seen = str(run.settings["seed"]), f"{run.settings['instances']:,}"
    title = "stopped before CCL" if _was_stopped(run) else describe(train, kind)
    return [TRAINED_ON[train], title, seed, seen, *changes, *map(ratio, _numbers(run))]


def _mean_texts(runs: Sequence[Run]) -> list[str]:
    columns = zip(*map(_numbers, runs), strict=True)
    return ["  mean ± deviation", "", f"{len(runs)} seeds", "", "", "", *map(mean_text, columns)]


def _record(train: str, kind: str, run: Run) -> Record:
    before, best, last, *tested = _numbers(run)
    return {
        "train": train,
        "easier_sets": easier_of(SETS.values()),
        "kind": kind,
        "description": describe(train, kind),
        "run": run.name,
        "seed": run.settings["seed"],
        "alpha": run.settings["alpha"],
        "instances": run.settings["instances"],
        "before": before,
        "best": best,
        "last": last,
        **{f"test_{name}": value for name, value in zip(SETS, tested, strict=True)},
        "feasible": run.last["feasible_ratio"],
        "optimal": run.last["optimal_ratio"],
    }
