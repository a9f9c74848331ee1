"""Kernighan-Lin with joins."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicut import _core
from multicut._checks import check_integer, check_number
from multicut.solvers.protocol import check_labels, native_solver

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from multicut.problem import Problem


@dataclass(frozen=True)
class KljOptions:
    """Options of the solver ``klj``.

    Attributes
    ----------
    initial
        Labels to start from; by default the solution of ``gaec``.
    max_rounds
        Rounds over all clusters that a change may have put out of balance.
    patience
        A sequence of moves ends after this many that have not led to a better partition ...
    largest_loss
        ... or when it has lost this many times a typical cost since the best one; in graphs of a
        mean degree above 8, (mean degree / 8) times as much.
    """

    initial: ArrayLike | None = None
    max_rounds: int = 100
    patience: int = 50
    largest_loss: float = 6.0

    def __post_init__(self) -> None:
        check_integer(0, max_rounds=self.max_rounds)
        check_integer(1, patience=self.patience)
        check_number(0, largest_loss=self.largest_loss)


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
        max_rounds=int(options.max_rounds),
        patience=int(options.patience),
        largest_loss=float(options.largest_loss),
        checks_initial=checks_initial,
    )


RECORD = native_solver(
    name="klj",
    description="Kernighan-Lin with joins: local search from gaec or from `initial` labels",
    task=task,
    options=KljOptions,
)
