"""The choice of alpha: one network, finetuned with several weights of CCL and without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from multicut.benchmark.markdown import MISSING, ratio
from multicut.benchmark.paper.comparisons import control_of, differing_in
from multicut.benchmark.paper.curves import MEASURES, Run
from multicut.benchmark.paper.section import Record, Section

_EXPLANATION = """\
**alpha**, `{base}` finetuned with CCL on cycles of up to {length} edges, {instances:,} instances
each. The gain is that over the control, the run without CCL at the same learning rate, in the last
validation:"""
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


def write_alphas(section: Section, base: Run, later: Sequence[Run]) -> None:
    """Add the table: where all runs start, the controls, and the runs with CCL."""
    controls = _controls(later)
    start = {"run": base.name, "alpha": None, "learning_rate": None, "is_control": False}
    records: list[Record] = [start | _numbers(base.best, base.best, None)]
    texts = [_texts("none: the network that all start from", "", base, base.best, None)]
    for run in later:
        gain = None
        if run.name in controls:
            control = controls[run.name]
            gain = run.last["objective_ratio"] - control.last["objective_ratio"]
        is_control = not run.has_cycle_phase
        rate = run.settings["learning_rate"]
        own = {"run": run.name, "alpha": run.alpha, "learning_rate": rate, "is_control": is_control}
        records.append(own | _numbers(run.best, run.last, gain))
        name = "0, the control" if is_control else f"{run.alpha:g}"
        texts.append(_texts(name, f"{rate:g}", run, run.last, gain))
    length = max(run.settings["max_cycle_length"] for run in later)
    section.write(
        _EXPLANATION.format(base=base.name, length=length, instances=later[0].planned_instances)
    )
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
        **{f"last_{name}": last[name] for name in (*MEASURES, "bce", "ccl")},
        "gain_over_control": gain,
    }


def _texts(
    name: str, rate: str, run: Run, last: Mapping[str, float], gain: float | None
) -> list[str]:
    best = run.best
    return [
        name,
        rate,
        ratio(best["objective_ratio"]),
        f"{run.alpha_at(best['instances']):.2g}" if rate else MISSING,
        ratio(last["objective_ratio"]),
        MISSING if gain is None else f"{gain:+.4f}",
        ratio(last["feasible_ratio"], 3),
        ratio(last["optimal_ratio"], 3),
        f"{last['bce']:.3f}",
        f"{last['ccl']:.1f}",
    ]
