"""The relaxation as a model of HiGHS: the one place that speaks to that library."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut.exact.work import Work
from multicut.proof import excess, rounded_up

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from multicut._arrays import BoolArray, FloatArray

# Linear programs with fewer edges are solved faster than a thread could be asked to stop, until one
# takes so many seconds: the next one will have more rows.
_EDGES_FOR_THREAD = 2_000
_SECONDS_FOR_THREAD = 0.005
_SECONDS_BETWEEN_POLLS = 0.02
# Rows are dropped once there are so many times as many as edges, if their slack is at least this.
_MANY_ROWS = 3
_SLACK_TO_DROP = 0.5
# The solver's tolerances are absolute, so costs should be about 1. They are scaled anew once those
# of the variables that are not fixed are so many times smaller or larger.
_FAR_FROM_UNIT = 1_000.0
# Of a sum, what rounding may change before it is summed up exactly.
_LITTLE = 1e-6
_EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Certificate:
    """What the multipliers of a linear program prove, whatever the solver's tolerances were.

    Attributes
    ----------
    gap
        No integer solution within the bounds of the variables costs less than the given one by
        more than this.
    reduced
        Reduced costs of the variables.
    error
        What these may be wrong by.
    """

    gap: float
    reduced: FloatArray
    error: FloatArray


class HighsModel:
    """One variable per edge, 1 for cut, and inequalities that are added as they come.

    Parameters
    ----------
    costs
        Of the edges, finite.
    lower, upper
        Bounds of the variables, each 0 or 1.
    should_stop
        Asked now and then while the solver runs.
    work
        Limits the iterations of the simplex method, and is told of them; by default nothing does.
    """

    def __init__(
        self,
        costs: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        should_stop: Callable[[], bool],
        work: Work | None = None,
    ) -> None:
        import highspy

        self._highspy = highspy
        self._costs = costs
        self._lower = lower.copy()
        self._upper = upper.copy()
        self._should_stop = should_stop
        self._work = work or Work()
        self._is_quick = len(costs) < _EDGES_FOR_THREAD
        self._unit = self._typical_cost()
        self._scaled = self._scaled_costs()  # as the solver has them
        self._fixed: list[NDArray[np.int64]] = []  # edges, in the order in which they were fixed
        # The rows, one after the other: Σ coefficients · edges ≤ limit.
        self._sizes = np.zeros(0, dtype=np.int32)
        self._edges = np.zeros(0, dtype=np.int32)
        self._coefficients = np.zeros(0)
        self._limits = np.zeros(0)
        size = len(costs)
        model = highspy.HighsLp()
        model.num_col_ = size
        model.num_row_ = 0
        model.col_cost_ = self._scaled
        model.col_lower_ = lower
        model.col_upper_ = upper
        model.a_matrix_.start_ = np.zeros(size + 1, dtype=np.int32)
        self._highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        # highspy shares these two among all instances, so that solves in two threads would take
        # each other for their own: "Solver is already running."
        for name, lock in (("stopped", threading.RLock()), ("started", threading.Lock())):
            setattr(self._highs, f"_Highs__solver_{name}", lock)
        # Presolve costs more than it saves: the model has no structure that it could use.
        options: dict[str, Any] = {
            "output_flag": False,
            "threads": 1,
            "presolve": "off",
        }
        for option, value in options.items():
            self._highs.setOptionValue(option, value)
        self._highs.HandleUserInterrupt = True
        self._highs.passModel(model)

    @property
    def is_free(self) -> BoolArray:
        """Which variables are not fixed."""
        free: BoolArray = self._lower < self._upper
        return free

    @property
    def joins(self) -> BoolArray:
        """Which variables are fixed to 0."""
        joins: BoolArray = self._upper == 0.0
        return joins

    @property
    def cuts(self) -> BoolArray:
        """Which variables are fixed to 1."""
        cuts: BoolArray = self._lower == 1.0
        return cuts

    def _typical_cost(self) -> float:
        """Return a power of two, which keeps every digit, near the mean |cost| of free edges."""
        sizes = np.abs(self._costs[self.is_free & (self._costs != 0.0)])
        largest = float(sizes.max(initial=0.0))
        if largest == 0.0:
            return 1.0
        mean = largest * float((sizes / largest).mean())
        return math.ldexp(1.0, math.frexp(mean)[1] - 1)

    def _scaled_costs(self) -> FloatArray:
        """Return the costs in units; those of fixed edges, which may be huge, are left out."""
        return np.divide(
            self._costs, self._unit, out=np.zeros(len(self._costs)), where=self.is_free
        )

    @property
    def num_rows(self) -> int:
        """The number of inequalities."""
        return len(self._limits)

    def add_cycles(self, offsets: NDArray[np.int32], edges: NDArray[np.int32]) -> None:
        """Add inequalities; the first edge of each cycle is at most the sum of the others."""
        coefficients = np.full(len(edges), -1.0)
        coefficients[offsets[:-1]] = 1.0
        self._add_rows(offsets, edges, coefficients, np.zeros(len(offsets) - 1))

    def add_odd_wheels(self, offsets: NDArray[np.int32], edges: NDArray[np.int32]) -> None:
        """Add inequalities: k edges of the rim less k spokes are at most (k - 1) / 2."""
        lengths = np.diff(offsets) // 2
        coefficients = np.repeat(np.tile([1.0, -1.0], len(lengths)), np.repeat(lengths, 2))
        self._add_rows(offsets, edges, coefficients, (lengths - 1) / 2)

    def add_cuts(self, offsets: NDArray[np.int32], edges: NDArray[np.int32]) -> None:
        """Add inequalities; the first edge is cut if all others, which separate its ends, are."""
        coefficients = np.ones(len(edges))
        coefficients[offsets[:-1]] = -1.0
        self._add_rows(offsets, edges, coefficients, np.diff(offsets) - 2.0)

    def _add_rows(
        self,
        offsets: NDArray[np.int32],
        edges: NDArray[np.int32],
        coefficients: FloatArray,
        limits: FloatArray,
    ) -> None:
        count = len(limits)
        unbounded = np.full(count, -self._highspy.kHighsInf)
        self._highs.addRows(count, unbounded, limits, len(edges), offsets[:-1], edges, coefficients)
        self._sizes = np.concatenate([self._sizes, np.diff(offsets)])
        self._edges = np.concatenate([self._edges, edges])
        self._coefficients = np.concatenate([self._coefficients, coefficients])
        self._limits = np.concatenate([self._limits, limits])

    def drop_slack_rows(self) -> None:
        """Forget inequalities that are far from tight, once there are many."""
        if self.num_rows < _MANY_ROWS * len(self._costs):
            return
        activity = np.array(self._highs.getSolution().row_value)
        keep = self._limits - activity < _SLACK_TO_DROP
        dropped = np.flatnonzero(~keep).astype(np.int32)
        self._highs.deleteRows(len(dropped), dropped)
        entries = np.repeat(keep, self._sizes)
        self._sizes, self._limits = self._sizes[keep], self._limits[keep]
        self._edges, self._coefficients = self._edges[entries], self._coefficients[entries]

    @property
    def is_infeasible(self) -> bool:
        """Whether the last run has shown that the fixed variables leave no solution."""
        statuses = self._highspy.HighsModelStatus
        is_infeasible: bool = self._highs.getModelStatus() == statuses.kInfeasible
        return is_infeasible

    def solve_relaxation(self) -> FloatArray | None:
        """Return optimal values of the linear program; None if stopped."""
        if not self._run():
            return None
        if not self._is_solved:
            # Numbers have gone astray; a fresh start puts them right.
            self._highs.clearSolver()
            if not self._run():
                return None
            self._check_solved()
        values: FloatArray = np.clip(np.array(self._highs.getSolution().col_value), 0.0, 1.0)
        return values

    @property
    def _is_solved(self) -> bool:
        is_optimal = self._highs.getModelStatus() == self._highspy.HighsModelStatus.kOptimal
        return is_optimal or self.is_infeasible

    def _check_solved(self) -> None:
        if not self._is_solved:
            status = self._highs.modelStatusToString(self._highs.getModelStatus())
            raise RuntimeError(f"HiGHS ended with {status}")

    def certify(self, cut: BoolArray) -> Certificate:
        """Bound what any solution may cost less than the one that cuts these edges.

        By weak duality any non-negative multipliers λ of the inequalities bound the optimum from
        below: every edge contributes the less of what its reduced cost makes of its two bounds.
        Fixed edges contribute constants, which cancel out exactly where the given solution has
        them, too. So huge costs do no harm once they are fixed. All that is rounded counts against
        the bound.
        """
        size = len(self._costs)
        multipliers = np.maximum(-np.array(self._highs.getSolution().row_dual), 0.0) * self._unit
        multipliers[~np.isfinite(multipliers)] = 0.0
        # The factors are 1 and -1, so only the sums are rounded.
        weights = np.repeat(multipliers, self._sizes) * self._coefficients
        of_rows = np.bincount(self._edges, weights, minlength=size)
        magnitude = np.bincount(self._edges, np.abs(weights), minlength=size)
        roundings = np.bincount(self._edges[weights != 0.0], minlength=size) + 2.0
        free, cuts = self.is_free, self.cuts
        costs: FloatArray = np.where(free, self._costs, 0.0)
        reduced: FloatArray = np.add(of_rows, costs)
        error: FloatArray = np.multiply(roundings * _EPSILON, magnitude + np.abs(costs))
        lowest = reduced - error
        limits = multipliers * self._limits
        terms = np.concatenate(
            [
                self._costs[cut & ~cuts],
                -self._costs[cuts & ~cut],
                -lowest[free & (lowest < 0.0)],
                -lowest[cuts],
                limits,
                2.0 * _EPSILON * limits.sum(keepdims=True),
            ]
        )
        return Certificate(_sum_from_above(terms), reduced, error)

    def gap_without_rows(self, cut: BoolArray) -> float:
        """Bound what any solution may cost less than the given one, by the costs alone."""
        takes: BoolArray = self.cuts | (self.is_free & (self._costs < 0.0))
        return math.nextafter(excess(self._costs, cut, takes), math.inf)

    def fix_by_reduced_costs(self, certificate: Certificate, allowance: float) -> None:
        """Fix each variable whose other value leaves a gap of no more than `allowance`."""
        too_far = certificate.gap - allowance
        too_far += 4.0 * _EPSILON * (abs(certificate.gap) + allowance)
        is_sure = np.abs(certificate.reduced) - 2.0 * certificate.error > too_far
        changed = np.flatnonzero(self.is_free & is_sure)
        values = (certificate.reduced[changed] < 0.0).astype(np.float64)
        self._fix(changed, values)

    def fix(self, edge: int, value: float) -> None:
        """Fix one variable that is free."""
        self._fix(np.array([edge]), np.array([value]))

    def _fix(self, edges: NDArray[np.int64], values: FloatArray) -> None:
        if len(edges) > 0:
            self._fixed.append(edges)
            self._set_bounds(edges, values, values)

    @property
    def num_fixed(self) -> int:
        """How often variables were fixed, for `release`."""
        return len(self._fixed)

    def release(self, num_fixed: int) -> None:
        """Free all variables that were fixed since then."""
        if num_fixed < len(self._fixed):
            edges = np.concatenate(self._fixed[num_fixed:])
            del self._fixed[num_fixed:]
            self._set_bounds(edges, np.zeros(len(edges)), np.ones(len(edges)))

    def _set_bounds(self, edges: NDArray[np.int64], lower: FloatArray, upper: FloatArray) -> None:
        self._lower[edges], self._upper[edges] = lower, upper
        self._highs.changeColsBounds(len(edges), edges.astype(np.int32), lower, upper)

    def rescale(self) -> bool:
        """Scale the costs anew if those that are not fixed have become far smaller or larger.

        Costs of fixed variables, which do not matter, are left out then. Returns whether the
        solver has got other costs.
        """
        free = self.is_free
        unit = self._typical_cost()
        if not 1.0 / _FAR_FROM_UNIT < unit / self._unit < _FAR_FROM_UNIT:
            self._unit = unit
        scaled = self._scaled_costs()
        if np.array_equal(scaled[free], self._scaled[free]):
            return False
        self._scaled = scaled
        size = len(scaled)
        self._highs.changeColsCost(size, np.arange(size, dtype=np.int32), scaled)
        return True

    def _run(self) -> bool:
        """Run the solver; False if it was told to stop before the end, or has done enough."""
        most = self._work.most_iterations(len(self._edges))
        if most is not None:
            self._highs.setOptionValue("simplex_iteration_limit", most)
        is_ended = self._run_until_stopped()
        num_iterations = self._highs.getInfo().simplex_iteration_count
        self._work.add_round(len(self._costs), len(self._edges), num_iterations)
        limit = self._highspy.HighsModelStatus.kIterationLimit
        return is_ended and self._highs.getModelStatus() != limit

    def _run_until_stopped(self) -> bool:
        highs = self._highs
        if self._is_quick:
            start = time.perf_counter()
            highs.run()
            self._is_quick = time.perf_counter() - start < _SECONDS_FOR_THREAD
            return not self._should_stop()
        highs.startSolve()
        is_stopped = False
        try:
            while not highs.wait(_SECONDS_BETWEEN_POLLS)[0]:
                is_stopped = is_stopped or self._should_stop()
                if is_stopped:
                    highs.cancelSolve()
        except BaseException:
            # Ctrl-C, or an error in the callback: the model is in use until the thread ends.
            highs.cancelSolve()
            highs.wait()
            raise
        return not is_stopped


def _sum_from_above(terms: FloatArray) -> float:
    """Return a sum, rounded up: exact up to the last digit where the terms cancel out."""
    with np.errstate(over="ignore", invalid="ignore"):
        total, rounding = float(terms.sum()), rounded_up(float(np.abs(terms).sum())) * 1e-14
    if rounding < _LITTLE * abs(total):
        return total + rounding
    try:
        exact = math.nextafter(math.fsum(terms.tolist()), math.inf)
    except (OverflowError, ValueError):  # too large, or both infinities
        return math.inf
    return math.inf if math.isnan(exact) else exact
