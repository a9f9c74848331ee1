"""What ``learned`` does on a processor without a network: one native solver does all the work."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from multicut import _core
from multicut._threads import check_threads
from multicut.interrupts import obeying_interrupts
from multicut.solvers import fusion, klj
from multicut.solvers.learned.place import ON_GPU
from multicut.solvers.protocol import Outcome
from multicut.stop import StopReason

if TYPE_CHECKING:
    from multicut.problem import Problem
    from multicut.solvers.learned.solver import LearnedOptions
    from multicut.stop import Stop

#: Fusion moves by effort: how many proposals, and after how many in vain it ends.
FUSION_MOVES = {"balanced": (26, 26), "best": (1000, 40)}


def is_classical(options: LearnedOptions, reason: str | None) -> bool:
    """Whether one native solver, from its own start, does all of the work.

    From labels that the caller gives, it would not look at what ``gaec`` finds.
    """
    is_elsewhere = reason is None or reason == ON_GPU
    return not is_elsewhere and options.effort != "fastest" and options.initial is None


def solve_classically(
    problems: Sequence[Problem], options: LearnedOptions, stop: Stop, seed: int, reason: str
) -> list[Outcome]:
    """Run ``klj``, or ``fusion`` with the proposals of the effort: neither is below ``gaec``.

    Problems run side by side if there are several.
    """
    num_threads = check_threads(options.num_threads)
    if len(problems) == 1:
        task = _task(problems[0], options.effort, num_threads, stop.seconds, seed)
        solution = task.run(time_limit=stop.seconds, callback=stop.native_callback)
        return [_outcome(solution, options.effort, reason)]
    interrupted = threading.Event()
    with obeying_interrupts(interrupted):
        solutions = _core.run_all(
            [_task(each, options.effort, 1, stop.seconds, seed) for each in problems],
            num_threads=num_threads,
            total_time_limit=stop.seconds,
            callback=lambda *_: interrupted.is_set(),
        )
    outcomes = [_outcome(solution, options.effort, reason) for solution in solutions]
    # Ctrl-C must not be lost, even if it came when all were done.
    if interrupted.is_set():
        outcomes[-1] = replace(outcomes[-1], stopped_by=StopReason.INTERRUPT)
    return outcomes


def _task(problem: Problem, effort: str, num_threads: int, seconds: float, seed: int) -> _core.Task:
    if effort not in FUSION_MOVES:
        return klj.task(problem, klj.KljOptions(num_threads=num_threads))
    most, patience = FUSION_MOVES[effort]
    options = fusion.FusionOptions(max_proposals=most, patience=patience, num_threads=num_threads)
    return fusion.task(problem, options, seconds, seed)


def _outcome(solution: _core.Solution, effort: str, reason: str) -> Outcome:
    name = "fusion" if effort in FUSION_MOVES else "klj"
    details = {
        "objectives": {name: solution.objective},
        "seconds": {name: solution.seconds},
        "found_by": name,
        "network": reason,
    }
    return replace(Outcome.of_native(solution), details=details)
