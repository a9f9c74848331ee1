"""Greedy fixation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from multicut import _core
from multicut.solvers.protocol import ContractionOptions, check_labels, native_solver

if TYPE_CHECKING:
    from multicut.problem import Problem


def task(
    problem: Problem,
    options: ContractionOptions | None = None,
    _seconds: float = math.inf,
    _seed: int = 0,
) -> _core.Task:
    """Decide the edge of the largest absolute cost, again and again: contract it or keep it cut."""
    initial = None if options is None else check_labels(problem, options.initial)
    return _core.greedy_fixation(problem.graph, problem.costs, initial=initial)


RECORD = native_solver(
    name="greedy-fixation",
    description="greedy contraction that also fixes repulsive edges: fast, for strong repulsion",
    task=task,
    options=ContractionOptions,
)
