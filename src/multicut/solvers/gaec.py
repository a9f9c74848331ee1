"""Greedy additive edge contraction."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from multicut import _core
from multicut.solvers.protocol import lifted_arrays, native_solver

if TYPE_CHECKING:
    from multicut.problem import Problem


def task(
    problem: Problem, _options: object = None, _seconds: float = math.inf, _seed: int = 0
) -> _core.Task:
    """Contract the most attractive edge until none attracts."""
    return _core.gaec(problem.graph, problem.costs)


def lifted_task(
    problem: Problem, _options: object = None, _seconds: float = math.inf, _seed: int = 0
) -> _core.Task:
    """Contract the ordinary edge whose clusters attract each other most, lifted edges included."""
    return _core.lifted_gaec(*lifted_arrays(problem))


RECORD = native_solver(
    name="gaec",
    description="greedy additive edge contraction: the fastest solver; good partitions of any "
    "graph",
    task=task,
    lifted_task=lifted_task,
)
