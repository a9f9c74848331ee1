"""What ``learned`` does for problems with lifted edges: its classical stages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from multicut.partition import objective
from multicut.solvers import fusion, gaec, klj
from multicut.solvers.protocol import Outcome, check_device_of_lifted, check_labels
from multicut.stop import Stop, StopReason
from multicut.watch import Watch

if TYPE_CHECKING:
    from multicut._arrays import IntArray
    from multicut.problem import Problem
    from multicut.solvers.learned.solver import LearnedOptions
    from multicut.solvers.protocol import SolverRecord

# By effort: the solver, each of which begins with what the one before it finds, and its options.
_STAGES: dict[str, tuple[SolverRecord, dict[str, Any]]] = {
    "fastest": (gaec.RECORD, {}),
    "fast": (klj.RECORD, {}),
    "balanced": (fusion.RECORD, {"max_proposals": 26, "patience": 26}),
    "best": (fusion.RECORD, {"max_proposals": 1000, "patience": 40}),
}
_REASON = "not used: no network knows lifted edges"


def run_lifted(
    problems: Sequence[Problem], options: LearnedOptions, stop: Stop, seed: int
) -> list[Outcome]:
    """Solve without a network, one problem after the other; never worse than ``gaec``."""
    _check_options(options)
    watch = Watch(stop)
    outcomes = []
    for problem in problems:
        left = 0.0 if watch.is_stopped else watch.seconds_left
        outcome = _run_one(problem, options, Stop(left, stop.callback), seed)
        if outcome.stopped_by is StopReason.INTERRUPT:
            watch.stop(StopReason.INTERRUPT)
        outcomes.append(replace(outcome, details={**outcome.details, "network": _REASON}))
    return outcomes


def _check_options(options: LearnedOptions) -> None:
    """Complain about options of a network or a device: neither is used."""
    check_device_of_lifted(options.device, "learned")
    for name in ("model", "precision", "use_network"):
        value = getattr(options, name)
        if value is None or value is False:
            continue
        # A loaded model would show all of its layers.
        shown = repr(value) if isinstance(value, str | bool) else f"a {type(value).__name__}"
        raise ValueError(
            f"{name}={shown} of solver 'learned' needs problems without lifted edges: no network "
            "knows these; leave it out, or make lifted edges ordinary ones"
        )


def _run_one(problem: Problem, options: LearnedOptions, stop: Stop, seed: int) -> Outcome:
    record, given = _STAGES[options.effort]
    if "num_threads" in record.option_defaults:
        given = given | {"num_threads": options.num_threads}
    initial = check_labels(problem, options.initial)
    if initial is not None:
        watch = Watch(stop)
        greedy = _contract(problem, None, stop)
        if greedy.stopped_by is not StopReason.CONVERGED:
            own = _contract(problem, initial, Stop(0.0))
            best = min(greedy, own, key=lambda outcome: outcome.objective)
            return replace(best, stopped_by=greedy.stopped_by)
        is_better = objective(problem, initial) <= greedy.objective
        given = given | {"initial": initial if is_better else greedy.labels}
        stop = Stop(watch.seconds_left, stop.callback)
    return record.run(problem, record.parse_options(given), stop, seed)


def _contract(problem: Problem, initial: IntArray | None, stop: Stop) -> Outcome:
    return gaec.RECORD.run(problem, gaec.RECORD.parse_options({"initial": initial}), stop, 0)
