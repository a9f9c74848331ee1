"""What a network sees of a problem: finite costs of a reasonable size, no must-links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from multicut._arrays import BoolArray, FloatArray, IntArray
from multicut.partition import canonical, labels_of_cut
from multicut.problem import Problem
from multicut.solvers import gaec
from multicut.solvers.protocol import run_task
from multicut.stop import Stop, StopReason

# Sums of so large costs still fit single precision.
_LARGEST = 2.0**90
# Powers of two with exponents up to this, and their inverses, are doubles of full precision.
_LARGEST_EXPONENT = 1000
# For each edge, what contracting must-links takes.
_SECONDS_TO_CONTRACT = 2e-7


def is_constrained(problem: Problem) -> bool:
    """Whether there are must-links or cannot-links."""
    costs = problem.costs
    return bool(costs.max(initial=0.0) == np.inf or costs.min(initial=0.0) == -np.inf)


@dataclass(frozen=True, eq=False)
class PlainProblem:
    """A problem whose must-links are contracted and whose costs are finite.

    Attributes
    ----------
    problem
        The problem after contraction; cannot-links are still infinite here.
    costs
        Its costs, finite: a cannot-link repels as much as the largest other cost.
    cannot_links
        Which edges are cannot-links.
    groups
        The contracted node that each original node became; None if nothing was contracted.
    """

    problem: Problem
    costs: FloatArray
    cannot_links: BoolArray
    groups: IntArray | None

    @staticmethod
    def seconds_to_make(problem: Problem) -> float:
        """Return about how long `of` takes, at least: it cannot be stopped."""
        has_must_links = bool((problem.costs == np.inf).any())
        return _SECONDS_TO_CONTRACT * problem.num_edges if has_must_links else 0.0

    @classmethod
    def of(cls, problem: Problem, is_scale_free: bool) -> Self:
        """Contract must-links, replace cannot-links, and scale.

        For a model that is free of scale the largest cost comes to lie below 1, by a power of two:
        so no result depends on the unit of costs, not even by rounding. For others costs stay as
        they are, unless they are too large for single precision.
        """
        groups = None
        # Most problems have no constraints, and each pass over large ones takes milliseconds.
        most = float(problem.costs.max(initial=0.0))
        if most == np.inf:
            must_links = problem.costs == np.inf
            groups = labels_of_cut(problem, ~must_links)
            problem = Problem(
                groups[problem.edges[~must_links]],
                problem.costs[~must_links],
                num_nodes=int(groups.max()) + 1,
            )
            most = float(problem.costs.max(initial=0.0))
        costs = problem.costs
        least = float(costs.min(initial=0.0))
        if least == -np.inf:
            cannot_links = costs == -np.inf
            costs = np.where(cannot_links, 0.0, costs)
            least = float(costs.min(initial=0.0))
        else:
            cannot_links = np.zeros(len(costs), dtype=np.bool_)
        largest = max(most, -least)
        if is_scale_free or largest > _LARGEST:
            _, exponent = np.frexp(largest)
            costs = _scaled(costs, -int(exponent))
            largest = float(np.ldexp(largest, -exponent))
        elif costs is problem.costs:
            costs = costs.copy()
        if cannot_links.any():
            costs[cannot_links] = -largest if largest > 0 else -1.0
        return cls(problem, costs, cannot_links, groups)

    def repaired(self, labels: IntArray, logits: FloatArray) -> tuple[IntArray, int]:
        """Split clusters that hold both ends of a cannot-link.

        Within them, edges are contracted greedily in the order of the network's certainty, except
        where a cannot-link forbids it. Returns labels, and how many clusters had to be split.
        """
        first, second = self.problem.edges.T
        inside = labels[first] == labels[second]
        violated = np.unique(labels[first[inside & self.cannot_links]])
        if len(violated) == 0:
            return labels, 0
        chosen = inside & np.isin(labels[first], violated)
        costs = np.where(self.cannot_links, -np.inf, -logits)[chosen]
        pieces = Problem(self.problem.edges[chosen], costs, num_nodes=self.problem.num_nodes)
        outcome = run_task(gaec.task(pieces), Stop())
        if outcome.stopped_by is StopReason.INTERRUPT:
            raise KeyboardInterrupt
        split = outcome.labels
        within = np.isin(labels, violated)
        return canonical(np.where(within, split + labels.max() + 1, labels)), len(violated)

    def lift(self, labels: IntArray) -> IntArray:
        """Return labels of the original nodes."""
        return labels if self.groups is None else canonical(labels[self.groups])


def _scaled(costs: FloatArray, exponent: int) -> FloatArray:
    """Return costs times a power of two; a product is several times as fast as ``np.ldexp``."""
    if abs(exponent) > _LARGEST_EXPONENT:
        return np.ldexp(costs, exponent)
    return costs * 2.0**exponent
