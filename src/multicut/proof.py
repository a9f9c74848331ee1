"""What counts as a proof that a partition is optimal: one definition for all solvers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from multicut._arrays import BoolArray, FloatArray
    from multicut.problem import Problem

# Of the objective, how much less another partition may cost where one is called optimal.
PRECISION = 1e-9
# Beside costs so many times larger, differences between small ones may be less than that.
WIDE = 1e8
# Of the sum of all |costs|, what proofs leave to rounding where costs are of similar size: the
# largest is at most so many times the smallest.
_ROUNDING, _SIMILAR = 1e-14, 1e4
_LARGEST_INTEGER = 2.0**52


def certify(problem: Problem, objective: float, bound: float) -> float:
    """Return the objective if a lower bound proves it optimal, else the bound.

    It does if it comes within 1e-9 of the objective, relative to that; beside huge costs, within
    1e-9 of what the others add up to. It also does if all costs are multiples of some step, such as
    1 where they are integers, and it comes within less than that: there is no objective in between.
    Where the objective is zero, or almost, it has to come within what `rounding_of` leaves open.
    The bound itself must contain in exact arithmetic.
    """
    if bound >= objective:
        return objective
    gap = math.nextafter(objective - bound, math.inf)
    costs = costs_of(problem)
    is_close = gap <= PRECISION * abs(objective)
    # Most are far apart, which some costs show: to look at all takes long if they are many.
    if not is_close and gap >= smallest_cost(costs[:1000]):
        return bound
    smallest = smallest_cost(costs)
    if gap <= rounding_of(costs):
        return objective
    # The step takes a while to find, and is no larger than any cost.
    if gap < smallest and gap < step_of(costs):
        return objective
    return objective if is_close and gap <= PRECISION * size_of_most(costs, smallest) else bound


def costs_of(problem: Problem) -> FloatArray:
    """Return the costs of all edges, lifted ones included."""
    if not problem.is_lifted:
        return problem.costs
    return np.concatenate([problem.costs, problem.lifted_costs])


def next_objective(bound: float, step: float) -> float:
    """Return a bound, rounded up to the next multiple of a power of two if that is exact."""
    multiple = bound / step
    is_exact = math.isfinite(step) and abs(multiple) < _LARGEST_INTEGER
    return math.ceil(multiple) * step if is_exact else bound


def size_of_most(costs: FloatArray, smallest: float, share: float = 0.5) -> float:
    """Return the sum of all |costs|, or where they differ widely, what the smaller ones suggest.

    These are a `share` of all.
    """
    sizes = np.abs(costs[np.isfinite(costs) & (costs != 0)])
    if float(sizes.max(initial=0.0)) <= WIDE * smallest:
        return float(sizes.sum())
    return len(sizes) * float(np.quantile(sizes, share))


def rounding_of(costs: FloatArray) -> float:
    """Return what any proof may leave open: 1e-14 of the sum of all |costs|.

    Multipliers of linear programs are rounded, so that an objective of zero would never be proven
    by them. It is 0 where costs differ by a factor of more than 1e4: sums of the large ones must
    not hide the small ones.
    """
    sizes = np.abs(costs[np.isfinite(costs) & (costs != 0)])
    if len(sizes) == 0 or float(sizes.max()) > _SIMILAR * float(sizes.min()):
        return 0.0
    return _ROUNDING * float(sizes.sum())


def smallest_cost(costs: FloatArray) -> float:
    """Return the least absolute value that is neither zero nor infinite, inf if there is none."""
    sizes = np.abs(costs)
    return float(sizes.min(where=sizes > 0, initial=np.inf))


def step_of(costs: FloatArray) -> float:
    """Return the largest power of two that all finite costs are multiples of.

    Objectives of two partitions differ by a multiple of it. It is infinite if all costs are zero.
    """
    digits_of_double = 53
    sizes = np.abs(costs[np.isfinite(costs) & (costs != 0)])
    if len(sizes) == 0:
        return math.inf
    mantissas, exponents = np.frexp(sizes)
    digits = np.ldexp(mantissas, digits_of_double).astype(np.int64)
    _, positions = np.frexp((digits & -digits).astype(np.float64))
    return math.ldexp(1.0, int((exponents + positions).min()) - digits_of_double - 1)


def rounding_of_total(total: float) -> float:
    """Return what is lost at most when an offset is added to an objective or a bound."""
    return 1e-15 * abs(total)


def bound_of_total(bound: float, offset: float, error: float) -> float:
    """Return a bound plus an offset, less an error and what adding the two may have lost."""
    total = bound + offset
    return bound_below(total, error + (rounding_of_total(total) if offset != 0.0 else 0.0))


def bound_below(objective: float, gap: float) -> float:
    """Return an objective less a gap, rounded down."""
    return math.nextafter(objective - gap, -math.inf) if gap > 0 else objective


def excess(costs: FloatArray, cut: BoolArray, other: BoolArray) -> float:
    """Return by how much one set of edges costs more than another, rounded only once.

    So its sign is right, however the costs differ in size. Costs are finite.
    """
    return math.fsum([*costs[cut & ~other].tolist(), *(-costs[other & ~cut]).tolist()])


def trivial_gap(costs: FloatArray, cut: BoolArray) -> float:
    """Return by how much a partition misses the bound that takes every edge as it likes best.

    That is the sum of the |cost| of the edges that it treats against their sign, rounded up.
    Infinite costs do not count.
    """
    is_against = np.isfinite(costs) & np.where(cut, costs > 0, costs < 0)
    return rounded_up(float(np.abs(costs[is_against]).sum()))


def rounded_up(total: float) -> float:
    """Return no less than the sum of non-negative numbers that numpy has added up to `total`."""
    # numpy adds pairwise, so that rounding grows with the logarithm of their number.
    return total * (1.0 + 1e-14)
