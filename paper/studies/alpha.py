"""The choice of alpha: one network, finetuned with several weights of CCL and without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from multicut.benchmark.markdown import MISSING, ratio
from paper.runs.comparisons import control_of, differing_in, start_of
from paper.runs.curves import ALL_MEASURES, Run
from paper.runs.validation_sets import easier_sets, validated_on
from paper.section import Record, Section, wrapped

_EXPLANATION = """\
**alpha**, `{base}` finetuned with CCL on cycles of up to {length} edges, {instances:,} instances
each, validated on {validated_on}. The gain is the last objective less that of the control, the run
without CCL at the same learning rate:"""
_NO_CONTROL = """\
There is no control run yet with alpha = 0 from the same network, so how much of a gain comes
from CCL, and how much from more training at another rate, is not separated here."""
_COLUMNS = (
    "alpha",
    "learning rate",
    "objective, best",
    "alpha at the best",
    "objective, last",
    "gain",
    "feasible, last",
    "optimal, last",
    "BCE, last",
    "CCL, last",
)


def find_alphas(runs: Mapping[str, Run]) -> list[Run]:
    """Find runs that finetune one network of ours on its own graphs and differ in CCL and rate.

    A set with controls comes before larger ones without.
    """
    finetuned = [
        run
        for run in runs.values()
        if run.is_proposed
        and run.started_from in runs
        and runs[run.started_from].train == run.train
    ]
    groups = [
        sorted(group, key=_by_alpha)
        for group in differing_in(finetuned, "cycles", "learning_rate")
        if any(run.has_cycle_phase for run in group)
    ]
    return max(groups, key=lambda group: len(_controls(group)), default=[])


def _by_alpha(run: Run) -> tuple[float, float]:
    return run.alpha, run.settings["learning_rate"]


def _controls(group: Sequence[Run]) -> dict[str, Run]:
    """Return the controls of the runs with CCL, by name of run; of those that have one."""
    found = {run.name: control_of(run, group) for run in group if run.has_cycle_phase}
    return {name: control for name, control in found.items() if control is not None}


def write_alphas(section: Section, later: Sequence[Run], runs: Mapping[str, Run]) -> None:
    """Add the table: where all runs start, the controls, and the runs with CCL."""
    controls = _controls(later)
    base = later[0].started_from
    records: list[Record] = []
    texts = []
    # All runs were validated on the same graphs; where none knows the start on these, it is left
    # out.
    if before := next(filter(None, (start_of(run, runs) for run in later)), None):
        start: Record = {"run": base, "alpha": None, "learning_rate": None, "is_control": False}
        start |= {"easier_sets": easier_sets(later[0])}
        records.append(start | _numbers(before, before, None))
        title = "none: the network that all start from"
        texts.append([title, "", *_texts(before, MISSING, before, None)])
    for run in later:
        gain = None
        if run.name in controls:
            control = controls[run.name]
            gain = run.last["objective_ratio"] - control.last["objective_ratio"]
        is_control = not run.has_cycle_phase
        rate = run.settings["learning_rate"]
        own: Record = {
            "run": run.name,
            "alpha": run.alpha,
            "learning_rate": rate,
            "is_control": is_control,
        }
        own |= {"easier_sets": easier_sets(run)}
        records.append(own | _numbers(run.best, run.last, gain))
        name = "0, the control" if is_control else f"{run.alpha:g}"
        reached = f"{run.alpha_at(run.best['instances']):.2g}"
        texts.append([name, f"{rate:g}", *_texts(run.best, reached, run.last, gain)])
    length = max(run.settings["max_cycle_length"] for run in later)
    text = _EXPLANATION.format(
        base=base,
        length=length,
        instances=later[0].planned_instances,
        validated_on=validated_on(later[0]),
    )
    section.write(wrapped(text))
    section.tabulate("alphas", records, _COLUMNS, texts, 2)
    alone = [f"`{run.name}`" for run in later if run.has_cycle_phase and run.name not in controls]
    if not controls:
        section.write(_NO_CONTROL)
    elif alone:
        section.write(f"Without a control at the same learning rate: {', '.join(alone)}.")


def _numbers(
    best: Mapping[str, float], last: Mapping[str, float], gain: float | None
) -> dict[str, float | None]:
    return {
        "best_objective_ratio": best["objective_ratio"],
        **{f"last_{name}": last.get(name) for name in ALL_MEASURES},
        "gain_over_control": gain,
    }


def _texts(
    best: Mapping[str, float], alpha: str, last: Mapping[str, float], gain: float | None
) -> list[str]:
    return [
        ratio(best["objective_ratio"]),
        alpha,
        ratio(last["objective_ratio"]),
        MISSING if gain is None else f"{gain:+.4f}",
        ratio(last["feasible_ratio"], 3),
        ratio(last["optimal_ratio"], 3),
        f"{last['bce']:.3f}" if "bce" in last else MISSING,
        f"{last['ccl']:.1f}" if "ccl" in last else MISSING,
    ]
