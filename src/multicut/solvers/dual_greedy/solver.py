"""Greedy contraction guided by a dual."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from multicut import _core
from multicut._checks import Anything
from multicut._options import Options, initial_option, option, threads_option
from multicut._threads import check_threads
from multicut.solvers.dual_greedy.policy import Policy, load_policy
from multicut.solvers.protocol import check_labels, native_solver

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from multicut.problem import Problem


@dataclass(frozen=True)
class DualGreedyOptions(Options):
    """Options of the solver ``dual-greedy``."""

    policy: str | Path | Policy = option(
        "balanced",
        "the constants: 'fast', 'balanced' or 'best', a file of `multicut train policy`, or a "
        "Policy",
        rule=Anything(),
    )
    initial: ArrayLike | None = initial_option(
        "single nodes; clusters of the labels are contracted first"
    )
    num_threads: int | None = threads_option()

    def check_together(self) -> None:
        """Load the policy."""
        if not isinstance(self.policy, Policy):
            object.__setattr__(self, "policy", load_policy(self.policy))


def task(
    problem: Problem, options: DualGreedyOptions, _seconds: float = math.inf, _seed: int = 0
) -> _core.Task:
    """Contract what a packing of short cycles leaves most attractive, until nothing attracts."""
    policy = options.policy
    assert isinstance(policy, Policy)
    return _core.dual_greedy(
        problem.graph,
        problem.costs,
        share=policy.share,
        cost_weight=policy.cost_weight,
        triangle_sweeps=policy.triangle_sweeps,
        square_sweeps=policy.square_sweeps,
        num_threads=check_threads(options.num_threads),
        initial=check_labels(problem, options.initial),
    )


RECORD = native_solver(
    name="dual-greedy",
    description="greedy contraction guided by a packing of cycles: far better than gaec, three to "
    "four times as long",
    task=task,
    options=DualGreedyOptions,
)
