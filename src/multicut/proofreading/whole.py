"""Solving the whole problem, at the beginning and after corrections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut import _core
from multicut._arrays import plain
from multicut.partition import evaluate
from multicut.solve import solve
from multicut.solvers import get_solver

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from multicut.problem import Problem
    from multicut.result import Result


@dataclass(frozen=True)
class WholeSolver:
    """A solver for whole problems, and its arguments."""

    name: str
    time_limit: float | None
    seed: int
    options: Mapping[str, Any]

    def solve(self, problem: Problem, initial: ArrayLike | None) -> Result:
        """Solve a problem."""
        return solve(
            problem, self.name, self.time_limit, self.seed, initial=initial, **self.options
        )

    def improve(self, live: _core.LivePartition, problem: Problem) -> float | None:
        """Solve the corrected problem, and take what is better; return the lower bound, if any."""
        labels = live.labels.astype(np.int64)
        is_exact = "optimal" in get_solver(self.name).returns
        # A proof is found sooner from a good partition; others are to find what a search around
        # the correction does not.
        result = self.solve(problem, labels if is_exact else None)
        best = result.labels
        if not is_exact:
            best = plain(_core.better_regions(problem.graph, problem.costs, labels, best).labels)
        if evaluate(problem, best)[0] < evaluate(problem, labels)[0]:
            live.adopt(best)
        return result.lower_bound
