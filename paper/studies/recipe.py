"""The published recipe to its end, several seeds, as a band."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from multicut.benchmark.markdown import MISSING, ratio
from multicut.plotting.palette import CLUSTERS
from paper.evaluation_sets import EASIER, column_title, easier_of
from paper.line_plots import legend_below, new_plot, save_plot, scalable, start_at_zero
from paper.runs.curves import Run, read_runs
from paper.runs.validation_sets import TITLES
from paper.section import Record, Section, listed, wrapped
from paper.settings import PaperSettings

TITLE = "The published recipe, to its end"
PART = "recipe"
_SETS = {name: TITLES[name] for name in ("randommp", "irismp")}
_TITLES = {name: column_title(title) for name, title in _SETS.items()}
# Elsewhere on the page, "published" rows are the paper's numbers, so these say whose runs they are.
_KINDS = {
    "none": "no CCL, the control",
    "published": "published recipe (alpha = 0.01), our runs",
    "alpha-0.001": "alpha of Table 1 (0.001), our runs",
    "alpha-0.003": "alpha of our choice (0.003)",
    "all": "alpha = 0.01, Eq. 9 as printed",
    "decay": "alpha of our choice (0.003), decaying rate",
}
# Runs that have no ``-seed-`` in the name of the first, among the earlier ones.
_DECAYING = "gcn_w_bn-{train}-decay-alpha-0.003"
_PANELS = {
    "bce": "cross entropy",
    "ccl": "CCL (alpha = 1)",
    "objective_ratio": "objective ratio",
}
# What the paper shows of the cycle phase, in its other figure.
_PHASE_PANELS = {
    "feasible_ratio": "feasible",
    "optimal_ratio": "optimal",
    "objective_ratio": "objective ratio",
}
_SHARES = ("feasible_ratio", "optimal_ratio")
# Which way each goes with CCL in the paper, and what it is called.
_EFFECTS = {
    "feasible_ratio": ("feasible", True),
    "optimal_ratio": ("optimal", False),
    "objective_ratio": ("objective", True),
}
_EFFECTS_OF = ("published", "all")
_EXPLANATION = """\
GCN_W_BN as published: constant learning rate 0.001, no CCL for three million instances, then alpha
rises over 100,000 and is held for 50,000; costs as they are. All rows are of our own runs. Runs of
one seed share everything up to three million. Before, best and last are objective ratios on the
1,000 validation graphs of the training set, which alone chooses the best network. That network was
then evaluated on both test sets. The band in the figures is the mean ± standard deviation over
seeds, as in the paper's figure of five runs. The second figure of each set shows the cycle phase
alone, as the paper's figure of CCL does. Our runs with a decaying rate have CCL from 2.52 million
instances on, and were validated on 500 of these graphs. `make retrain` makes these runs anew. At
the speed of one run [alone on an H200](training.md#on-a-gpu), its steps take a minute and a half.
The paper reports 24 hours on a Quadro RTX 8000, 18 of them for the last 150,000 instances. Our
IrisMP is easier than the published one ([measurements](#datasets))."""
_EFFECTS_EXPLANATION = """\
**Effects of CCL with the published alpha = 0.01**: mean ± deviation over seeds, at the last
validation before CCL, at the one with the best objective since then, and of the last network. The
paper reports that more graphs are feasible before rounding, fewer are optimal, and the objective is
better. The last column counts the seeds in which each of these holds for the last network."""
_NO_CONTROL = """\
The paper's figure of CCL compares with networks trained without CCL to the end. No such
runs are recorded here for {sets}; the values before CCL take their place."""
_UNFINISHED = """\
Runs with fewer than three million instances were stopped at the time limit before CCL began. They
were not tested."""


def _groups(settings: PaperSettings) -> dict[tuple[str, str], list[Run]]:
    runs = read_runs(settings.curves / "published")
    earlier = read_runs(settings.curves)
    groups: dict[tuple[str, str], list[Run]] = {}
    for train in _SETS:
        for kind in _KINDS:
            prefix = f"gcn_w_bn-{train}-{kind}-seed-"
            some = [run for name, run in sorted(runs.items()) if name.startswith(prefix)]
            if kind == "decay":
                prefix = _DECAYING.format(train=train)
                some = [run for name, run in sorted(earlier.items()) if name.startswith(prefix)]
            if some:
                groups[train, kind] = some
    return groups


def measure(settings: PaperSettings) -> None:
    """Draw the bands."""
    groups = _groups(settings)
    for train in _SETS:
        kinds = {kind: runs for (each, kind), runs in groups.items() if each == train}
        if kinds:
            _draw(settings, f"recipe-{train}", kinds, _PANELS, 0.0)
            _draw(settings, f"recipe-{train}-ccl", kinds, _PHASE_PANELS, 2.9)


def _draw(
    settings: PaperSettings,
    picture: str,
    kinds: Mapping[str, Sequence[Run]],
    panels: Mapping[str, str],
    first: float,
) -> None:
    figure, axes = new_plot(tuple(panels.values()))
    for ax, measure_name in zip(axes, panels, strict=True):
        for (kind, runs), colour in zip(kinds.items(), CLUSTERS, strict=False):
            xs, means, spreads = band(runs, measure_name, first)
            low = [m - s for m, s in zip(means, spreads, strict=True)]
            high = [m + s for m, s in zip(means, spreads, strict=True)]
            ax.plot(xs, means, color=colour, label=f"{_KINDS[kind]}, {len(runs)} seeds")
            ax.fill_between(xs, low, high, color=colour, alpha=0.25, linewidth=0)
        if measure_name in _SHARES:
            start_at_zero(ax)
        ax.set_xlabel("million instances", fontsize=9)
    legend_below(figure)
    save_plot(figure, settings.picture(picture))


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


def render(settings: PaperSettings) -> Section:
    """Return the section of the page."""
    section = Section()
    groups = _groups(settings)
    if not groups:
        section.write("No such runs are recorded; `make retrain` makes them.")
        return section
    section.write(_EXPLANATION)
    if any(_was_stopped(run) for some in groups.values() for run in some):
        section.write(_UNFINISHED)
    if without := [title for name, title in _TITLES.items() if (name, "none") not in groups]:
        section.write(wrapped(_NO_CONTROL.format(sets=listed(without))))
    texts, records = [], []
    for (train, kind), runs in groups.items():
        for run in runs:
            texts.append(_texts(train, kind, run))
            records.append(_record(train, kind, run))
        if len(runs) > 1:
            texts.append(_mean_texts(runs))
    first = ("trained on", "runs", "seed", "instances", "feasible", "optimal")
    columns = (*first, "before CCL", "best", "last", *_TITLES.values())
    section.tabulate("recipe", records, columns, texts, 2)
    _write_effects(section, groups)
    for train, title in _TITLES.items():
        if any(each == train for each, _ in groups):
            section.show(scalable(settings.picture(f"recipe-{train}")), f"Seeds, {title}")
            picture = scalable(settings.picture(f"recipe-{train}-ccl"))
            section.show(picture, f"Seeds in the cycle phase, {title}")
    return section


def _write_effects(section: Section, groups: Mapping[tuple[str, str], Sequence[Run]]) -> None:
    """Compare the last network of runs with the published alpha with that before CCL."""
    texts, records = [], []
    for (train, kind), runs in groups.items():
        ended = [
            (run, before, best)
            for run in runs
            if run.has_cycle_phase
            and (before := run.before_cycles) is not None
            and (best := run.best_with_cycles) is not None
        ]
        pairs = [(before, run.last) for run, before, _ in ended]
        bests = [(before, best) for _, before, best in ended]
        if kind not in _EFFECTS_OF or not pairs:
            continue
        changes: list[str] = []
        record: Record = {"train": train, "kind": kind, "description": _KINDS[kind]}
        record |= {"seeds": len(pairs), "is_easier": _SETS[train] in EASIER}
        for name in _PHASE_PANELS:
            for when, values in (
                ("before", [before[name] for before, _ in pairs]),
                ("best", [best[name] for _, best in bests]),
                ("last", [last[name] for _, last in pairs]),
            ):
                record[f"{name}_{when}"] = statistics.fmean(values)
                record[f"{name}_{when}_deviation"] = (
                    statistics.stdev(values) if len(values) > 1 else None
                )
                changes.append(
                    _mean(values) if len(values) > 1 else f"{values[0]:.4f}",
                )
        held = {title: _holds(pairs, name, up) for name, (title, up) in _EFFECTS.items()}
        record |= {f"{title}_in": count for title, count in held.items()}
        record |= {
            f"{title}_best_in": _holds(bests, name, up) for name, (title, up) in _EFFECTS.items()
        }
        record["objective_ratio_best_before"] = statistics.fmean(
            max(row["objective_ratio"] for row in run.rows if row["instances"] <= run.cycles_from)
            for run, _, _ in ended
        )
        record["best_while_alpha_rises_in"] = sum(
            run.alpha_at(best["instances"]) < run.settings["alpha"] for run, _, best in ended
        )
        counts = [f"{title} {count}" for title, count in held.items()]
        texts.append([_TITLES[train], _KINDS[kind], str(len(pairs)), *changes, ", ".join(counts)])
        records.append(record)
    if not records:
        return
    section.write(_EFFECTS_EXPLANATION)
    columns = ["trained on", "runs", "seeds"]
    for title in ("feasible", "optimal", "objective"):
        columns += [f"{title}, before", "best", "last"]
    section.tabulate("recipe_effects", records, [*columns, "seeds as published"], texts, 2)
    clear = [
        f"{_TITLES[str(each['train'])]} ({each['description']})"
        for each in records
        if all(each[f"{title}_in"] == each["seeds"] for title, _ in _EFFECTS.values())
    ]
    if clear:
        text = "All three effects hold for the last networks in every seed on"
        section.write(wrapped(f"{text} {'; on '.join(clear)}."))
    else:
        section.write("No group of runs ends with all three effects in every seed.")


def _holds(
    pairs: Sequence[tuple[Mapping[str, float], Mapping[str, float]]], name: str, up: bool
) -> int:
    """Return in how many runs a measure went the way that the paper reports."""
    return sum(
        last[name] > before[name] if up else last[name] < before[name] for before, last in pairs
    )


def _was_stopped(run: Run) -> bool:
    """Whether a run that was to have a cycle phase has none."""
    return run.settings["alpha"] > 0 and not run.has_cycle_phase


def _numbers(run: Run) -> list[float | None]:
    before = run.before_cycles
    return [
        None if before is None else before["objective_ratio"],
        run.best["objective_ratio"],
        run.last["objective_ratio"],
        *(run.tested.get(name) for name in _SETS.values()),
    ]


def _texts(train: str, kind: str, run: Run) -> list[str]:
    before = run.before_cycles or {}
    changes = [
        f"{before.get(name, float('nan')):.3f} → {run.last[name]:.3f}"
        for name in ("feasible_ratio", "optimal_ratio")
    ]
    seed, seen = str(run.settings["seed"]), f"{run.settings['instances']:,}"
    title = "stopped before CCL" if _was_stopped(run) else _KINDS[kind]
    return [_TITLES[train], title, seed, seen, *changes, *map(ratio, _numbers(run))]


def _mean_texts(runs: Sequence[Run]) -> list[str]:
    columns = zip(*map(_numbers, runs), strict=True)
    return ["  mean ± deviation", "", f"{len(runs)} seeds", "", "", "", *map(_mean, columns)]


def _mean(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return MISSING
    return f"{statistics.fmean(known):.4f} ± {statistics.stdev(known):.4f}"


def _record(train: str, kind: str, run: Run) -> Record:
    before, best, last, *tested = _numbers(run)
    return {
        "train": train,
        "easier_sets": easier_of(_SETS.values()),
        "kind": kind,
        "description": _KINDS[kind],
        "run": run.name,
        "seed": run.settings["seed"],
        "alpha": run.settings["alpha"],
        "instances": run.settings["instances"],
        "before": before,
        "best": best,
        "last": last,
        **{f"test_{name}": value for name, value in zip(_SETS, tested, strict=True)},
        "feasible": run.last["feasible_ratio"],
        "optimal": run.last["optimal_ratio"],
    }
