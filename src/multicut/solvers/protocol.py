"""What a solver is: a frozen record, its options, and the outcome of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np

from multicut import _core
from multicut._arrays import plain
from multicut._options import Configurable, Options, initial_option
from multicut.partition import as_labels, evaluate_all
from multicut.stop import StopReason

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from multicut._arrays import BoolArray, FloatArray, IntArray
    from multicut.nn.batch import GraphBatch
    from multicut.nn.device_result import DeviceResult
    from multicut.problem import Problem
    from multicut.stop import Stop

# What all solvers take, and is sometimes spelt otherwise.
_ARGUMENTS_OF_SOLVE = ("time_limit", "seed", "callback", "bound", "initial")
#: Networks take problems side by side until these have so many edges; more would not be faster.
EDGES_PER_PASS = 2**21

TaskMaker: TypeAlias = "Callable[[Problem, Any, float, int], _core.Task]"


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a solver hands to :func:`multicut.solve`; the fields are those of a result."""

    labels: IntArray
    cut: BoolArray
    objective: float
    num_clusters: int
    trace: FloatArray
    stopped_by: StopReason = StopReason.CONVERGED
    lower_bound: float | None = None
    bound_is_quick: bool = False  # whether it came along, and time for a better one is well spent
    details: Mapping[str, Any] = field(default_factory=dict)
    solver: str | None = None  # the one that did the work, where that is not the one asked for
    # Whether it is to be kept as it is: it is known to be no worse than a trivial partition, or it
    # is that of an agglomeration, which is not meant to minimise the objective.
    is_sound: bool = False
    lifted_cut: BoolArray | None = None  # None if it is still to be derived from the labels

    @classmethod
    def of_labels(cls, problem: Problem, labels: IntArray, **others: Any) -> Self:
        """Take a partition, canonical labels, with all that does not follow from it.

        Of a lifted problem, its clusters are connected.
        """
        value, cut, lifted_cut = evaluate_all(problem, labels)
        return cls(
            labels=labels,
            cut=cut,
            lifted_cut=lifted_cut,
            objective=value,
            num_clusters=int(labels.max(initial=-1)) + 1,
            **others,
        )

    @classmethod
    def without_search(cls, problem: Problem) -> Self:
        """Return the best partition that needs no search."""
        if not problem.is_lifted:
            found = _core.trivial_partition(problem.graph, problem.costs)
            return replace(cls.of_native(found), stopped_by=StopReason.TIME_LIMIT)
        labels = _core.trivial_lifted_partition(
            problem.graph, problem.costs, problem.lifted_graph, problem.lifted_costs
        )
        return cls.of_labels(
            problem,
            plain(labels),
            trace=np.zeros((0, 2)),
            stopped_by=StopReason.TIME_LIMIT,
            is_sound=True,
        )

    @classmethod
    def of_native(cls, solution: _core.Solution) -> Self:
        """Take over what a solver of the native core found."""
        return cls(
            labels=plain(solution.labels),
            cut=solution.cut,
            objective=solution.objective,
            num_clusters=solution.num_clusters,
            trace=solution.trace,
            stopped_by=StopReason(solution.stopped_by),
            lower_bound=solution.lower_bound,
            bound_is_quick=solution.lower_bound is not None,
            lifted_cut=solution.lifted_cut,
            is_sound=True,
        )


def run_task(
    task: _core.Task,
    stop: Stop,
    *,
    every_improvement: bool = True,
    is_interrupted: Callable[[], bool] | None = None,
) -> Outcome:
    """Run a solver of the native core; the callback hears of every improvement, or now and then.

    Where a handler of signals takes note of Ctrl-C and raises nothing, `is_interrupted` tells so.
    """
    solution = task.run(
        time_limit=stop.seconds,
        callback=stop.native_callback,
        every_improvement=every_improvement,
        is_interrupted=is_interrupted,
    )
    return Outcome.of_native(solution)


@dataclass(frozen=True)
class NoOptions(Options):
    """For solvers that have none."""


@dataclass(frozen=True)
class ContractionOptions(Options):
    """Options of solvers that contract greedily, and have no others."""

    initial: ArrayLike | None = initial_option(
        "single nodes; clusters of the labels are contracted first"
    )


def _always() -> bool:
    return True


@dataclass(frozen=True)
class SolverRecord(Configurable):
    """One registered solver.

    Attributes
    ----------
    name
        What :func:`multicut.solve` knows it by.
    description
        One line.
    run
        ``run(problem, options, stop, seed)`` solves a problem.
    options
        A frozen dataclass: its fields are the solver's options, with defaults and meanings.
    returns
        What comes back besides the labels, such as a lower bound.
    needs
        Packages that it imports when it is first used.
    uses_seed
        Whether the seed changes the result.
    minimises
        Whether it makes the objective small; then no result is worse than a trivial partition.
        Agglomeration does not: a complete run returns the partition that defines the algorithm,
        whatever that costs, and only a run that was stopped returns a trivial one if that is
        better.
    run_batch
        ``run_batch(problems, options, stop, seed)`` solves many problems together, where that is
        faster than one by one.
    run_on_device
        ``run_on_device(batch, options, stop, seed)`` partitions the graphs of a
        :class:`multicut.nn.GraphBatch` where they are; None if it takes problems alone.
    task
        ``task(problem, options, seconds, seed)`` is what the native core is to do, for a solver
        that is nothing else; many of these run side by side without Python.
    lifted_task
        The same for problems with lifted edges; None if the native solver takes none.
    takes_lifted
        Whether `run` and `run_batch` take problems with lifted edges; those of a native solver do
        if it has a `lifted_task`.
    is_ready
        Whether it runs here without any option given; a learned solver needs a model.
    """

    name: str
    description: str
    run: Callable[[Problem, Any, Stop, int], Outcome]
    options: type[Options] = NoOptions
    returns: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    uses_seed: bool = False
    minimises: bool = True
    run_batch: Callable[[Sequence[Problem], Any, Stop, int], list[Outcome]] | None = None
    run_on_device: Callable[[GraphBatch, Any, Stop, int], DeviceResult] | None = None
    task: TaskMaker | None = None
    lifted_task: TaskMaker | None = None
    takes_lifted: bool = False
    is_ready: Callable[[], bool] = _always

    @property
    def can_start_from_labels(self) -> bool:
        """Whether it takes labels to start from."""
        return "initial" in self.option_defaults

    def parse_options(self, given: Mapping[str, Any]) -> Any:
        """Turn keyword arguments into the solver's options."""
        return self.options.parse(given, f"solver {self.name!r}", _ARGUMENTS_OF_SOLVE)

    def task_for(self, problem: Problem, options: Any, seconds: float, seed: int) -> _core.Task:
        """Return what the native core is to do for an ordinary or a lifted problem."""
        maker = self.lifted_task if problem.is_lifted else self.task
        assert maker is not None
        return maker(problem, options, seconds, seed)


def native_solver(
    name: str,
    description: str,
    task: TaskMaker,
    *,
    lifted_task: TaskMaker | None = None,
    options: type[Options] = NoOptions,
    uses_seed: bool = False,
    minimises: bool = True,
) -> SolverRecord:
    """Return the record of a solver that is a task of the native core and nothing else.

    It takes problems with lifted edges if there is a `lifted_task` for them.
    """

    def run(problem: Problem, own: Any, stop: Stop, seed: int) -> Outcome:
        made = record.task_for(problem, own, stop.seconds, seed)
        return run_task(made, stop)

    record = SolverRecord(
        name,
        description,
        run,
        options,
        uses_seed=uses_seed,
        minimises=minimises,
        task=task,
        lifted_task=lifted_task,
        takes_lifted=lifted_task is not None,
    )
    return record


def check_device_of_lifted(device: str | None, solver: str) -> None:
    """Complain about a device that would have no effect: the processor solves lifted problems."""
    if device is not None and device != "cpu":
        raise ValueError(
            f"device={device!r} of solver {solver!r} has no effect on lifted problems, which the "
            "processor solves; leave it out (mc.lower_bound(problem, device=…) takes them)"
        )


def lifted_arrays(
    problem: Problem,
) -> tuple[_core.Graph, FloatArray, _core.Graph, FloatArray]:
    """Return both graphs with their costs, as tasks for lifted problems take them."""
    return problem.graph, problem.costs, problem.lifted_graph, problem.lifted_costs


def check_labels(problem: Problem, initial: ArrayLike | None) -> IntArray | None:
    """Check labels to start from."""
    return None if initial is None else as_labels(initial, problem.num_nodes, "initial")
