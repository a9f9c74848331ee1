"""Kernighan-Lin with joins."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicut import _core
from multicut._checks import Number
from multicut._options import Options, initial_option, option, threads_option
from multicut._threads import check_threads
from multicut.solvers.protocol import check_labels, lifted_arrays, native_solver

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from multicut.problem import Problem


@dataclass(frozen=True)
class KljOptions(Options):
    """Options of the solver ``klj``."""

    initial: ArrayLike | None = initial_option(
        "the better of `gaec` and `dual-greedy`, region by region"
    )
    max_rounds: int = option(
        100, "rounds over all clusters that a change may have put out of balance", least=0
    )
    patience: int = option(
        50,
        "a sequence of moves between two clusters ends after this many without a better partition",
        least=1,
    )
    largest_loss: float = option(
        3.0,
        "such a sequence ends when it has lost this many typical costs since the best partition; "
        "more where nodes have many neighbours in the other cluster",
        rule=Number(0, is_finite=False),
    )
    chain_patience: int = option(
        7,
        "a chain of moves through any clusters ends after this many without a better partition; "
        "0: no chains",
        least=0,
    )
    chain_loss: float = option(
        2.0,
        "a chain ends when it has lost this many typical costs since the best partition; up to "
        "three times as many in dense graphs",
        rule=Number(0, is_finite=False),
    )
    num_threads: int | None = threads_option()


def task(
    problem: Problem,
    options: KljOptions,
    _seconds: float = math.inf,
    _seed: int = 0,
    *,
    checks_initial: bool = True,
) -> _core.Task:
    """Move nodes between clusters, join and split clusters, until nothing improves.

    Labels to start from that a solver found need no check: their clusters are connected and meet
    the constraints.
    """
    return _core.klj(
        problem.graph,
        problem.costs,
        initial=check_labels(problem, options.initial),
        max_rounds=options.max_rounds,
        patience=options.patience,
        largest_loss=options.largest_loss,
        chain_patience=options.chain_patience,
        chain_loss=options.chain_loss,
        num_threads=check_threads(options.num_threads),
        checks_initial=checks_initial,
    )


def lifted_task(
    problem: Problem, options: KljOptions, _seconds: float = math.inf, _seed: int = 0
) -> _core.Task:
    """Do the same for a lifted problem, with clusters that stay connected.

    It works on one thread; `num_threads` says how many there may be at most.
    """
    check_threads(options.num_threads)
    return _core.lifted_klj(
        *lifted_arrays(problem),
        initial=check_labels(problem, options.initial),
        max_rounds=options.max_rounds,
        patience=options.patience,
        largest_loss=options.largest_loss,
        chain_patience=options.chain_patience,
        chain_loss=options.chain_loss,
    )


RECORD = native_solver(
    name="klj",
    description="Kernighan-Lin with joins: local search from dual-greedy and gaec, or from "
    "`initial` labels",
    task=task,
    lifted_task=lifted_task,
    options=KljOptions,
)
