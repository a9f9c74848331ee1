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

# By effort, what finds the partition.
_SOLVERS = {"fastest": "dual-greedy", "fast": "klj", "balanced": "fusion", "best": "fusion"}
#: Fusion moves by effort: how many proposals, and after how many in vain it ends.
FUSION_MOVES = {"balanced": (26, 26), "best": (1000, 40)}


# On larger graphs, to contract once by cost and once guided by a dual is faster side by side.
_FEW_EDGES = 10_000


def is_classical(problems: Sequence[Problem], options: LearnedOptions, reason: str | None) -> bool:
    """Whether one native solver, from its own start, does all of the work.

    From labels that the caller gives, it would not look at what ``gaec`` finds.
    """
    if reason is None or reason == ON_GPU or options.initial is not None or not problems:
        return False
    return options.effort != "fastest" or all(each.num_edges < _FEW_EDGES for each in problems)


def solve_classically(
    problems: Sequence[Problem], options: LearnedOptions, stop: Stop, seed: int, reason: str
) -> list[Outcome]:
    """Run ``klj``, what it starts from, or ``fusion``: none of them is below ``gaec``.

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
        rounds = {"max_rounds": 0} if effort == "fastest" else {}
        return klj.task(problem, klj.KljOptions(num_threads=num_threads, **rounds))
    most, patience = FUSION_MOVES[effort]
    options = fusion.FusionOptions(max_proposals=most, patience=patience, num_threads=num_threads)
    return fusion.task(problem, options, seconds, seed)


def _outcome(solution: _core.Solution, effort: str, reason: str) -> Outcome:
    name = _SOLVERS[effort]
    stage = name.replace("-", "_")
    details = {
        "objectives": {stage: solution.objective},
        "seconds": {stage: solution.seconds},
        "found_by": name,
        "network": reason,
    }
    return replace(Outcome.of_native(solution), details=details)
