"""Fusion moves."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicut import _core
from multicut._checks import check_integer, check_number
from multicut.solvers.protocol import check_labels, native_solver

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from multicut.problem import Problem

# Reducing larger problems takes about as long as it saves ...
MANY_EDGES = 200_000
# ... and on smaller ones up to a fifth of this many seconds.
_LITTLE_TIME = 1.0


@dataclass(frozen=True)
class FusionOptions:
    """Options of the solver ``fusion``.

    Attributes
    ----------
    initial
        Labels to start from; by default the solution of ``klj``.
    max_proposals
        Ends after this many proposals ...
    patience
        ... or after this many in a row that did not help.
    noise
        Standard deviation of the noise on costs, in units of a typical cost.
    num_threads
        Threads that work on proposals, by default one per processor. The result does not depend on
        their number.
    """

    initial: ArrayLike | None = None
    max_proposals: int = 1000
    patience: int = 20
    noise: float = 0.5
    num_threads: int | None = None

    def __post_init__(self) -> None:
        check_integer(0, max_proposals=self.max_proposals)
        check_integer(1, patience=self.patience)
        check_number(0, noise=self.noise)
        if self.num_threads is not None:
            check_integer(1, num_threads=self.num_threads)


def reduction_pays(problem: Problem, seconds: float) -> bool:
    """Whether to reduce a problem before a search of so many seconds."""
    return problem.num_edges <= MANY_EDGES and seconds >= _LITTLE_TIME


def task(problem: Problem, options: FusionOptions, seconds: float, seed: int) -> _core.Task:
    """Fuse the best partition with greedy solutions for noisy costs, until none helps.

    Where that pays, the problem is reduced first, as by :func:`multicut.reduce`.
    """
    reduces = reduction_pays(problem, seconds) and options.initial is None
    return search_task(problem, options, seed, reduces=reduces)


def search_task(
    problem: Problem,
    options: FusionOptions,
    seed: int,
    *,
    reduces: bool,
    checks_initial: bool = True,
) -> _core.Task:
    """Search for a good partition, of the reduced problem if it `reduces`.

    Labels to start from that a solver found need no check: their clusters are connected and meet
    the constraints.
    """
    return _core.fusion(
        problem.graph,
        problem.costs,
        initial=check_labels(problem, options.initial),
        seed=seed,
        max_proposals=int(options.max_proposals),
        patience=int(options.patience),
        noise=float(options.noise),
        num_threads=int(options.num_threads or os.cpu_count() or 1),
        reduces=reduces,
        checks_initial=checks_initial,
    )


RECORD = native_solver(
    name="fusion",
    description="fusion moves with KLj: the best partition of all, at many times the time of klj",
    task=task,
    options=FusionOptions,
    uses_seed=True,
)
