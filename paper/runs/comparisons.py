"""Which runs may be compared: those that differ in what is studied, and in nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from paper.runs.curves import VALIDATION, Run


def differing_in(runs: Iterable[Run], *names: str) -> list[list[Run]]:
    """Group runs that differ in nothing but some settings.

    Parameters
    ----------
    runs
        The runs.
    names
        As for :meth:`Run.recipe`.

    Returns
    -------
    list of list of Run
        The largest group first; of groups of one size, the one whose runs were longer.
    """
    groups: dict[str, list[Run]] = {}
    for run in sorted(runs, key=lambda run: run.name):
        groups.setdefault(run.recipe(without=names), []).append(run)
    return sorted(
        groups.values(), key=lambda group: (-len(group), -group[0].planned_instances, group[0].name)
    )


def control_of(run: Run, runs: Iterable[Run]) -> Run | None:
    """Return the run without CCL that is the same in everything else, the seed included."""
    wanted = run.recipe(without=("cycles",))
    found = [
        other
        for other in runs
        if not other.has_cycle_phase and other.recipe(without=("cycles",)) == wanted
    ]
    return min(found, key=lambda other: other.name, default=None)


def start_of(run: Run, runs: Mapping[str, Run]) -> dict[str, float] | None:
    """Return what the network that a run finetunes was on the validation graphs of that run.

    That is what its record says; otherwise the best validation of the run that it started from, if
    that was on the same graphs.
    """
    if run.before is not None:
        return run.before
    start = runs.get(run.started_from)
    if start is None or any(run.settings[name] != start.settings[name] for name in VALIDATION):
        return None
    # CCL is a sum over cycles of up to this length.
    has_same_cycles = run.settings["max_cycle_length"] == start.settings["max_cycle_length"]
    return {name: value for name, value in start.best.items() if name != "ccl" or has_same_cycles}
