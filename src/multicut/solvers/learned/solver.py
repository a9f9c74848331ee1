"""A network that contracts, and classical solvers around it: never worse than ``gaec``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from multicut._checks import Flag
from multicut._groups import grouped
from multicut._options import (
    Options,
    device_option,
    initial_option,
    model_option,
    option,
    precision_option,
    threads_option,
)
from multicut._threads import check_threads
from multicut.interrupts import InterruptEvent, obeying_interrupts
from multicut.models.devices import all_gpus
from multicut.solvers.learned.classical import is_classical, solve_classically
from multicut.solvers.learned.place import why_without_network
from multicut.solvers.protocol import EDGES_PER_PASS, Outcome, SolverRecord
from multicut.stop import Stop, StopReason
from multicut.watch import Watch

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from multicut.nn.batch import GraphBatch
    from multicut.nn.device_result import DeviceResult
    from multicut.nn.model import Model
    from multicut.problem import Problem

EFFORTS = ("fastest", "fast", "balanced", "best")
#: Fusion moves on a GPU by effort, for all problems together.
PROPOSALS_ON_GPU = {"fastest": 0, "fast": 1, "balanced": 4, "best": 24}


@dataclass(frozen=True)
class LearnedOptions(Options):
    """Options of the solver ``learned``."""

    model: str | os.PathLike[str] | Model | None = model_option(
        "`universal`; it must have a contraction network; not for lifted problems"
    )
    device: str | None = device_option(
        "where to search, or where the network computes; by default on a GPU, if there is one, or "
        "where a loaded model is; of lifted problems only 'cpu'"
    )
    effort: str = option(
        "balanced",
        "fastest: the network, if it is used, or `dual-greedy`, with 10,000 edges and more by its "
        "policy `fast`, on a GPU without a comparison with `gaec`; fast: local search as well; "
        "balanced: some fusion moves as well; best: fusion moves until they no longer help",
        choices=EFFORTS,
    )
    use_network: bool | None = option(
        None,
        "whether to use the network; by default not: on a GPU a packing of short cycles finds more "
        "in less time, if there are not too few edges for it; without either "
        "classical solvers do all of the work, as they do on lifted problems",
        rule=Flag(),
    )
    precision: str | None = precision_option(
        None,
        "numbers that the network computes with; by default bfloat16 on GPUs that have it: much "
        "faster, and what the network is sure of hardly changes; not for lifted problems",
    )
    initial: ArrayLike | None = initial_option("those that `gaec` finds")
    num_threads: int | None = threads_option()


def run(problem: Problem, options: LearnedOptions, stop: Stop, seed: int) -> Outcome:
    """Join what the network is sure of, in rounds; improve that, and compare with ``gaec``."""
    return run_batch([problem], options, stop, seed)[0]


def run_batch(
    problems: Sequence[Problem], options: LearnedOptions, stop: Stop, seed: int
) -> list[Outcome]:
    """Solve many problems in few passes; those with lifted edges one by one."""
    lifted = [problem for problem in problems if problem.is_lifted]
    if not lifted:
        return _run_ordinary(problems, options, stop, seed)
    from multicut.solvers.learned.lifted import run_lifted

    watch = Watch(stop)
    found = run_lifted(lifted, options, stop, seed)
    ordinary = [problem for problem in problems if not problem.is_lifted]
    others: list[Outcome] = []
    if ordinary:
        is_over = any(outcome.stopped_by is StopReason.INTERRUPT for outcome in found)
        rest = Stop(0.0 if is_over else watch.seconds_left, stop.callback)
        others = _run_ordinary(ordinary, options, rest, seed)
    both = {True: iter(found), False: iter(others)}
    return [next(both[problem.is_lifted]) for problem in problems]


def _run_ordinary(
    problems: Sequence[Problem], options: LearnedOptions, stop: Stop, seed: int
) -> list[Outcome]:
    num_edges = sum(problem.num_edges for problem in problems)
    reason = why_without_network(options, num_edges)
    if is_classical(problems, options, reason):
        assert reason is not None
        return solve_classically(problems, options, stop, seed, reason)
    from multicut.solvers.learned.stages import LearnedSolve

    interrupted = InterruptEvent()
    groups = list(grouped(problems, lambda problem: problem.num_edges, EDGES_PER_PASS))
    # Groups do not depend on the number of GPUs, so labels do not either.
    places = all_gpus(options.device) if len(groups) > 1 else []
    shares = [options]
    if len(places) > 1:
        threads = max(check_threads(options.num_threads) // len(places), 1)
        shares = [replace(options, device=place, num_threads=threads) for place in places]

    def solve_some(first: int) -> list[list[Outcome]]:
        return [
            LearnedSolve(group, shares[first], stop, seed, interrupted, reason).run()
            for group in groups[first :: len(shares)]
        ]

    with obeying_interrupts(interrupted):
        if len(shares) == 1:
            found = [solve_some(0)]
        else:
            with ThreadPoolExecutor(len(shares)) as pool:
                found = list(pool.map(solve_some, range(len(shares))))
    return [
        outcome
        for number in range(len(groups))
        for outcome in found[number % len(shares)][number // len(shares)]
    ]


def run_on_device(
    batch: GraphBatch, options: LearnedOptions, stop: Stop, seed: int
) -> DeviceResult:
    """Partition graphs that are on a device already."""
    from multicut.solvers.learned.tensors import solve_tensors

    return solve_tensors(batch, options, stop, seed)


RECORD = SolverRecord(
    name="learned",
    description="a network that contracts, with local search and fusion; never worse than gaec",
    run=run,
    options=LearnedOptions,
    needs=("torch", "safetensors"),
    uses_seed=True,
    run_batch=run_batch,
    run_on_device=run_on_device,
    takes_lifted=True,
)
