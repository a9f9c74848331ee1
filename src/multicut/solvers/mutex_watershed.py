"""Mutex watershed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from multicut import _core
from multicut.solvers.protocol import native_solver

if TYPE_CHECKING:
    from multicut.problem import Problem


def task(
    problem: Problem, _options: object = None, _seconds: float = math.inf, _seed: int = 0
) -> _core.Task:
    """Take edges by descending absolute cost: join clusters, or keep them apart for good."""
    return _core.mutex_watershed(problem.graph, problem.costs)


RECORD = native_solver(
    name="mutex-watershed",
    description="mutex watershed: the strongest edges decide first; agglomeration as fast as "
    "sorting, not a minimiser",
    task=task,
    minimises=False,
)
