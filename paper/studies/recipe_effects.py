"""What CCL changes in runs of the published recipe, beside what the paper reports."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from paper.evaluation_sets import EASIER
from paper.runs.curves import Run
from paper.section import Record, Section, wrapped
from paper.studies.recipe_runs import ALPHAS, SETS, TRAINED_ON, describe, mean_text

# Which way each goes with CCL in the paper, and what it is called.
_EFFECTS = {
    "feasible_ratio": ("feasible", True),
    "optimal_ratio": ("optimal", False),
    "objective_ratio": ("objective", True),
}
_EXPLANATION = """\
**Effects of CCL** with the published alpha: 0.01 in the appendix, on RandomMP, and 0.001 in Table 1
for this network on IrisMP. Values are mean ± deviation over seeds. They are of the last validation
before CCL, of the one with the best objective since then, and of the last network. The paper
reports that more graphs are feasible before rounding, fewer are optimal, and the objective is
better. The last column counts the seeds in which each of these holds for the last network."""


def write_effects(section: Section, groups: Mapping[tuple[str, str], Sequence[Run]]) -> None:
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
        if kind not in ALPHAS or not pairs:
            continue
        changes: list[str] = []
        record: Record = {"train": train, "kind": kind, "alpha": float(ALPHAS[kind])}
        record |= {"description": describe(train, kind)}
        record |= {"seeds": len(pairs), "is_easier": SETS[train] in EASIER}
        for name in _EFFECTS:
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
                    mean_text(values) if len(values) > 1 else f"{values[0]:.4f}",
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
        first = [TRAINED_ON[train], describe(train, kind), str(len(pairs))]
        texts.append([*first, *changes, ", ".join(counts)])
        records.append(record)
    if not records:
        return
    section.write(_EXPLANATION)
    columns = ["trained on", "runs", "seeds"]
    for title in ("feasible", "optimal", "objective"):
        columns += [f"{title}, before", "best", "last"]
    section.tabulate("recipe_effects", records, [*columns, "seeds as published"], texts, 2)
    clear = [
        f"{TRAINED_ON[str(each['train'])]} ({each['description']})"
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
