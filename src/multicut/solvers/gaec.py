"""Greedy additive edge contraction."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from multicut import _core
from multicut.solvers.protocol import (
    ContractionOptions,
    check_labels,
    lifted_arrays,
    native_solver,
)

if TYPE_CHECKING:
    from multicut.problem import Problem


def task(
    problem: Problem,
    options: ContractionOptions | None = None,
    _seconds: float = math.inf,
    _seed: int = 0,
) -> _core.Task:
    """Contract the most attractive edge until none attracts."""
    initial = None if options is None else check_labels(problem, options.initial)
    return _core.gaec(problem.graph, problem.costs, initial=initial)


def lifted_task(
    problem: Problem,
    options: ContractionOptions | None = None,
    _seconds: float = math.inf,
    _seed: int = 0,
) -> _core.Task:
    """Contract the ordinary edge whose clusters attract each other most, lifted edges included."""
    initial = None if options is None else check_labels(problem, options.initial)
    return _core.lifted_gaec(*lifted_arrays(problem), initial=initial)


RECORD = native_solver(
    name="gaec",
    description="greedy additive edge contraction: the fastest solver; good partitions of any "
    "graph",
    task=task,
    options=ContractionOptions,
    lifted_task=lifted_task,
)
