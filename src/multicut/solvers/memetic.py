"""Memetic search: populations of partitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicut import _core
from multicut._options import Options, initial_option, option, threads_option
from multicut._threads import check_threads
from multicut.solvers.fusion import reduction_pays
from multicut.solvers.protocol import check_labels, native_solver

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from multicut.problem import Problem


@dataclass(frozen=True)
class MemeticOptions(Options):
    """Options of the solver ``memetic``."""

    initial: ArrayLike | None = initial_option("those that `fusion` starts from")
    max_rounds: int = option(1000, "ends after this many rounds", least=0)
    patience: int = option(6, "ends after this many rounds in a row that did not help", least=1)
    noise: float = option(
        0.5, "standard deviation of the noise on costs, in units of a typical cost", least=0
    )
    num_threads: int | None = threads_option()


def task(problem: Problem, options: MemeticOptions, seconds: float, seed: int) -> _core.Task:
    """Recombine partitions that were found independently, until no round helps.

    Where that pays, the problem is reduced first, as by :func:`multicut.reduce`.
    """
    reduces = reduction_pays(problem, seconds) and options.initial is None
    return search_task(problem, options, seed, reduces=reduces)


def search_task(
    problem: Problem,
    options: MemeticOptions,
    seed: int,
    *,
    reduces: bool,
    checks_initial: bool = True,
) -> _core.Task:
    """Search for a good partition, of the reduced problem if it `reduces`.

    Labels to start from that a solver found need no check: their clusters are connected and meet
    the constraints.
    """
    return _core.memetic(
        problem.graph,
        problem.costs,
        initial=check_labels(problem, options.initial),
        seed=seed,
        max_rounds=options.max_rounds,
        patience=options.patience,
        noise=options.noise,
        num_threads=check_threads(options.num_threads),
        reduces=reduces,
        checks_initial=checks_initial,
    )


RECORD = native_solver(
    name="memetic",
    description="populations of partitions: better than fusion, for whoever has a minute",
    task=task,
    options=MemeticOptions,
    uses_seed=True,
)
