"""A network that contracts, and classical solvers around it: never worse than ``gaec``."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from multicut._checks import check_device, check_integer, check_precision
from multicut.interrupts import obeying_interrupts
from multicut.solvers.protocol import Outcome, SolverRecord

if TYPE_CHECKING:
    from multicut.nn.model import Model
    from multicut.problem import Problem
    from multicut.stop import Stop

Item = TypeVar("Item")

EFFORTS = ("fastest", "fast", "balanced", "best")
# Problems are put side by side until they have so many edges; more would not be faster.
_EDGES_PER_PASS = 2**21


@dataclass(frozen=True)
class LearnedOptions:
    """Options of the solver ``learned``.

    Attributes
    ----------
    model
        The name of a model with a contraction network, the path of one, or a loaded model; by
        default ``universal``.
    device
        Where the network computes, such as ``"cpu"`` or ``"cuda"``; by default on a GPU, if there
        is one, or where a loaded model is.
    effort
        ``"fastest"``: the network, if it is asked, and ``gaec``. ``"fast"``: local search as well.
        ``"balanced"``: some fusion moves as well.
        ``"best"``: fusion moves until they no longer help.
    use_network
        Whether to ask the network; by default on a GPU only, and not for few edges: on a CPU it has
        been measured not to pay. Without it the classical solvers do all of the work.
    precision
        ``"float32"`` or ``"bfloat16"``, by default the latter on GPUs that have it: there the
        network takes half the time on small graphs and less than a tenth on large ones, and what
        it is sure of hardly changes.
    num_threads
        Threads for classical solvers, by default one per processor. The result does not depend on
        their number.
    """

    model: str | os.PathLike[str] | Model | None = None
    device: str | None = None
    effort: str = "balanced"
    use_network: bool | None = None
    precision: str | None = None
    num_threads: int | None = None

    def __post_init__(self) -> None:
        if self.effort not in EFFORTS:
            raise ValueError(f"effort must be one of {', '.join(EFFORTS)}, got {self.effort!r}")
        if self.precision is not None:
            check_precision(self.precision)
        check_device(self.device)
        if self.use_network is not None and not isinstance(self.use_network, bool):
            raise TypeError(f"use_network must be True, False or None, got {self.use_network!r}")
        if self.num_threads is not None:
            check_integer(1, num_threads=self.num_threads)


def run(problem: Problem, options: LearnedOptions, stop: Stop, seed: int) -> Outcome:
    """Join what the network is sure of, in rounds; improve that, and compare with ``gaec``."""
    return run_batch([problem], options, stop, seed)[0]


def run_batch(
    problems: Sequence[Problem], options: LearnedOptions, stop: Stop, seed: int
) -> list[Outcome]:
    """Solve many problems in few passes."""
    from multicut.solvers.learned.stages import LearnedSolve

    interrupted = threading.Event()
    num_edges = sum(problem.num_edges for problem in problems)
    outcomes: list[Outcome] = []
    with obeying_interrupts(interrupted):
        for group in grouped(problems, lambda problem: problem.num_edges, _EDGES_PER_PASS):
            solve = LearnedSolve(group, options, stop, seed, interrupted, num_edges)
            outcomes += solve.run()
    return outcomes


def grouped(
    items: Sequence[Item], size: Callable[[Item], int], most: float
) -> Iterator[list[Item]]:
    """Divide items, in order, into groups of at most a size in all, or of one item."""
    group: list[Item] = []
    room = most
    for item in items:
        if group and size(item) > room:
            yield group
            group, room = [], most
        group.append(item)
        room -= size(item)
    if group:
        yield group


RECORD = SolverRecord(
    name="learned",
    description="a network that contracts, with local search and fusion; never worse than gaec",
    run=run,
    options=LearnedOptions,
    needs=("torch", "safetensors"),
    uses_seed=True,
    run_batch=run_batch,
)
