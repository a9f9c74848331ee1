"""Fusion moves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from multicut import _core
from multicut._checks import Integer
from multicut._options import Options, initial_option, option, threads_option
from multicut._threads import check_threads
from multicut.solvers.protocol import check_labels, lifted_arrays, native_solver

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from multicut.problem import Problem

# Reducing larger problems takes about as long as it saves ...
MANY_EDGES = 200_000
# ... and on smaller ones up to a fifth of this many seconds.
_LITTLE_TIME = 1.0

#: Proposals of a search that goes on as long as it finds something.
MOST_PROPOSALS = 1000
_PATIENCE = 20
# On lifted problems the first proposals bring most of the gain. To go on until none helps takes
# several times as long.
_FEW_PROPOSALS = 20


class Limits(TypedDict):
    """When a search ends."""

    max_proposals: int
    patience: int


@dataclass(frozen=True)
class FusionOptions(Options):
    """Options of the solver ``fusion``."""

    initial: ArrayLike | None = initial_option("those that `klj` finds")
    max_proposals: int | None = option(
        None,
        f"ends after this many proposals; by default {MOST_PROPOSALS}, and {_FEW_PROPOSALS} on "
        "lifted problems if neither a time limit nor `patience` is given",
        rule=Integer(0),
    )
    patience: int | None = option(
        None,
        f"ends after this many proposals in a row that did not help; by default {_PATIENCE}",
        rule=Integer(1),
    )
    noise: float = option(
        0.5, "standard deviation of the noise on costs, in units of a typical cost", least=0
    )
    num_threads: int | None = threads_option()

    def limits(self, *, is_short: bool = False) -> Limits:
        """Return when a search ends that is short unless an option says otherwise."""
        is_short = is_short and self.patience is None
        most = _FEW_PROPOSALS if is_short else MOST_PROPOSALS
        return {
            "max_proposals": most if self.max_proposals is None else self.max_proposals,
            "patience": _PATIENCE if self.patience is None else self.patience,
        }


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
        **options.limits(),
        noise=options.noise,
        num_threads=check_threads(options.num_threads),
        reduces=reduces,
        checks_initial=checks_initial,
    )


def lifted_task(problem: Problem, options: FusionOptions, seconds: float, seed: int) -> _core.Task:
    """Do the same for a lifted problem, without a reduction."""
    return _core.lifted_fusion(
        *lifted_arrays(problem),
        initial=check_labels(problem, options.initial),
        seed=seed,
        **options.limits(is_short=math.isinf(seconds)),
        noise=options.noise,
        num_threads=check_threads(options.num_threads),
    )


RECORD = native_solver(
    name="fusion",
    description="fusion moves with KLj: the best partitions, but many times slower than klj",
    task=task,
    lifted_task=lifted_task,
    options=FusionOptions,
    uses_seed=True,
)
