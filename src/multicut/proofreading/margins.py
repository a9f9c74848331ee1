"""How sure each edge is: what it would cost to treat it otherwise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from multicut import _core
from multicut._arrays import frozen
from multicut._checks import check_integer
from multicut._threads import check_threads
from multicut.partition import as_labels, canonical, cut_of_labels, objective
from multicut.problem import Problem, check_problem
from multicut.proofreading.calibration import DEFAULT, frustration_of, scale_of
from multicut.result import Result
from multicut.solve import solve

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from multicut._arrays import BoolArray, FloatArray, IntArray

# The packing behind lower bounds ends by itself after a dozen rounds, or after so many steps, which
# take some ten seconds: millions of edges get weaker bounds.
_ROUNDS_OF_PACKING, _STEPS_OF_PACKING = 20, 1e10
# Sums over edges are rounded, some terms several times.
_ROUNDINGS = 8.0 * np.finfo(np.float64).eps
# Of the size of costs, what counts as no difference.
_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class EdgeMargins:
    """What it would cost to treat each edge otherwise than a partition does.

    The margin of an edge is the least cost of a partition that cuts it if the given one does not,
    and does not cut it if the given one does, less the cost of the given one. It is negative if
    there is a better partition that treats the edge otherwise.

    Attributes
    ----------
    lower
        For each edge of ``problem.edges``, a number that the margin is not below, by weak duality.
    upper
        What some partition that treats the edge otherwise costs more. Infinite where constraints
        forbid to treat it otherwise.
    cut
        Whether each edge is cut.
    scale
        The median of all |costs|, which margins are compared with.
    frustration
        The share of all |costs| that the partition treats against their sign.
    """

    lower: FloatArray
    upper: FloatArray
    cut: BoolArray
    scale: float
    frustration: float

    @property
    def is_exact(self) -> BoolArray:
        """Whether lower and upper bound agree, up to rounding."""
        is_exact: BoolArray = ~_differ(self.lower, self.upper, _TOLERANCE * self.scale)
        return is_exact

    @property
    def confidence(self) -> FloatArray:
        """The probability that each edge is treated as in the truth, from calibrated margins.

        The calibration was fitted on planted partitions and Voronoi region graphs, whose truth is
        known.
        """
        return DEFAULT.probabilities(self.upper, self.scale, self.frustration)


def edge_margins(
    problem: Problem,
    result: Result | ArrayLike,
    *,
    exact_below: int = 150,
    num_resolved: int = 5_000,
    region_size: int = 60,
    num_threads: int | None = None,
) -> EdgeMargins:
    """Bound what it would cost to treat each edge otherwise than a result does.

    Lower bounds come from a packing of cycles, the dual of the cycle relaxation: what it leaves of
    costs has to be paid. Upper bounds come from simple changes, for all edges; and from local
    search around an edge, for those that seem least sure. Small problems are solved exactly.

    Parameters
    ----------
    problem
        The problem.
    result
        A result of it, or labels.
    exact_below
        Problems of fewer edges are solved exactly for each edge that the bounds leave open.
    num_resolved
        For so many edges, those of the smallest margins, local search looks for a better bound.
    region_size
        About how many nodes that looks at.
    num_threads
        For the packing; by default as many as this process may use.
    """
    check_problem(problem)
    if problem.is_lifted:
        raise ValueError("problem must have no lifted edges, edge_margins does not take these")
    own = as_labels(result.labels if isinstance(result, Result) else result, problem.num_nodes)
    limit = check_integer(0, exact_below=exact_below)
    count = check_integer(0, num_resolved=num_resolved)
    size = check_integer(2, region_size=region_size)
    if not np.isfinite(objective(problem, own)):
        raise ValueError("result violates a must-link or cannot-link of the problem")
    labels = canonical(own)
    cut = cut_of_labels(problem, labels)
    lower = _lower_bounds(problem, labels, cut, check_threads(num_threads))
    upper = _upper_bounds(problem, labels, lower, count, size)
    lower = np.minimum(lower, upper)
    is_constrained = np.isinf(problem.costs)
    lower[is_constrained] = upper[is_constrained] = np.inf
    scale = scale_of(problem.costs)
    if problem.num_edges < limit:
        _solve_open(problem, labels, cut, lower, upper, _TOLERANCE * scale)
    frustration = frustration_of(problem.costs, cut)
    return EdgeMargins(frozen(lower), frozen(upper), frozen(cut), scale, frustration)


def _lower_bounds(
    problem: Problem, labels: IntArray, cut: BoolArray, num_threads: int
) -> FloatArray:
    """Return what the dual says: every partition costs at least what a packing leaves of costs.

    The gap between that and the given partition counts against each edge.
    """
    costs = _without_infinities(problem.costs)
    _, packed = _core.pack_and_keep(
        problem.graph,
        costs,
        num_threads=num_threads,
        max_rounds=_ROUNDS_OF_PACKING,
        max_steps=_STEPS_OF_PACKING,
    )
    left = np.maximum(packed, 0.0)
    extra = _core.flip_bounds(problem.graph, costs, left, labels)
    gap = math.fsum(costs[cut]) + math.fsum(left[costs < 0])
    rounding = _ROUNDINGS * (abs(gap) + float(np.abs(costs).max(initial=0.0)))
    lower: FloatArray = extra - (gap + rounding)
    return lower


def _upper_bounds(
    problem: Problem, labels: IntArray, lower: FloatArray, count: int, region_size: int
) -> FloatArray:
    """Return what simple changes cost, and local search where that seems worth it."""
    upper: FloatArray = _core.simple_flips(problem.graph, problem.costs, labels)
    is_free = np.isfinite(problem.costs)
    is_open = np.flatnonzero(is_free & (upper > lower) & np.isfinite(upper))
    if len(is_open) > count:
        is_open = is_open[np.argsort(upper[is_open], kind="stable")[:count]]
    # Where simple changes violate constraints, others may not.
    is_open = np.concatenate([is_open, np.flatnonzero(is_free & np.isinf(upper))])
    if len(is_open) > 0:
        live = _core.LivePartition(problem.graph, problem.costs, labels)
        found, _ = live.flips(is_open, region_size)
        upper[is_open] = np.minimum(upper[is_open], found)
        lower[is_open[np.isinf(found)]] = np.inf  # a chain of constraints forbids it
    return upper


def _solve_open(
    problem: Problem,
    labels: IntArray,
    cut: BoolArray,
    lower: FloatArray,
    upper: FloatArray,
    tolerance: float,
) -> None:
    """Solve exactly for each edge whose bounds differ, in place."""
    value = objective(problem, labels)
    for edge in np.flatnonzero(_differ(lower, upper, tolerance)):
        constrained = problem.costs.copy()
        constrained[edge] = np.inf if cut[edge] else -np.inf
        flipped = solve(Problem(problem.edges, constrained, problem.num_nodes), "ilp")
        # As a constraint its cost does not count, though it is cut.
        margin = flipped.objective + (0.0 if cut[edge] else problem.costs[edge]) - value
        upper[edge] = min(upper[edge], margin)
        if flipped.optimal:
            lower[edge] = upper[edge]


def _differ(lower: FloatArray, upper: FloatArray, tolerance: float) -> BoolArray:
    """Whether bounds differ by more than rounding; infinite ones are equal."""
    is_finite = np.isfinite(lower) & np.isfinite(upper)
    differ: BoolArray = lower != upper
    differ[is_finite] = upper[is_finite] - lower[is_finite] > tolerance
    return differ


def _without_infinities(costs: FloatArray) -> FloatArray:
    """Replace constraints by costs that outweigh all others together."""
    is_constrained = np.isinf(costs)
    if not is_constrained.any():
        return costs
    penalty = 2.0 * float(np.abs(costs[~is_constrained]).sum()) or 1.0
    return np.where(is_constrained, np.copysign(penalty, costs), costs)
