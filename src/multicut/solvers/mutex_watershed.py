"""Mutex watershed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from multicut import _core
from multicut.solvers.protocol import native_solver

if TYPE_CHECKING:
    from multicut.problem import Problem


def task(
    problem: Problem, _options: object = None, _seconds: float = math.inf, _seed: int = 0
) -> _core.Task:
    """Take edges by descending absolute cost: join clusters, or keep them apart for good."""
    return _core.mutex_watershed(problem.graph, problem.costs)


def lifted_task(
    problem: Problem, _options: object = None, _seconds: float = math.inf, _seed: int = 0
) -> _core.Task:
    """Let repulsive lifted edges keep clusters apart, too; attractive ones have no effect."""
    if (problem.lifted_costs == np.inf).any():
        raise ValueError(
            "mutex-watershed never joins along lifted edges, so it cannot meet lifted must-links "
            "(cost +inf); use another solver, or make them edges"
        )
    return _core.lifted_mutex_watershed(
        problem.graph, problem.costs, problem.lifted_graph, problem.lifted_costs
    )


RECORD = native_solver(
    name="mutex-watershed",
    description="mutex watershed: the strongest edges decide first; agglomeration as fast as "
    "sorting, not a minimiser",
    task=task,
    lifted_task=lifted_task,
    minimises=False,
)
