"""Greedy fixation."""

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
    """Decide the edge of the largest absolute cost, again and again: contract it or keep it cut."""
    return _core.greedy_fixation(problem.graph, problem.costs)


def lifted_task(
    problem: Problem, _options: object = None, _seconds: float = math.inf, _seed: int = 0
) -> _core.Task:
    """Decide edges of both kinds; what repels, lifted or not, keeps its clusters apart."""
    return _core.lifted_greedy_fixation(*lifted_arrays(problem))


RECORD = native_solver(
    name="greedy-fixation",
    description="greedy contraction that also fixes repulsive edges: fast, for strong repulsion",
    task=task,
    lifted_task=lifted_task,
)
