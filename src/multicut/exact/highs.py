"""The relaxation as a model of HiGHS: the one place that speaks to that library."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from multicut._arrays import BoolArray, FloatArray

# Linear programs with fewer edges are solved faster than a thread could be asked to stop.
_EDGES_FOR_THREAD = 2_000
_SECONDS_BETWEEN_POLLS = 0.02
# Rows are dropped once there are so many times as many as edges, if their slack is at least this.
_MANY_ROWS = 3
_SLACK_TO_DROP = 0.5


class HighsModel:
    """One variable per edge, 1 for cut, and inequalities that are added as they come.

    Parameters
    ----------
    costs
        Of the edges; about 1 in size, since the solver's tolerances are absolute.
    lower, upper
        Bounds of the variables.
    should_stop
        Asked now and then while the solver runs.
    """

    def __init__(
        self,
        costs: FloatArray,
        lower: FloatArray,
        upper: FloatArray,
        should_stop: Callable[[], bool],
    ) -> None:
        import highspy

        self._highspy = highspy
        self._costs = costs
        self._lower = lower.copy()
        self._upper = upper.copy()
        self._should_stop = should_stop
        # The rows, one after the other: Σ coefficients · edges ≤ limit.
        self._sizes = np.zeros(0, dtype=np.int32)
        self._edges = np.zeros(0, dtype=np.int32)
        self._coefficients = np.zeros(0)
        self._limits = np.zeros(0)
        size = len(costs)
        model = highspy.HighsLp()
        model.num_col_ = size
        model.num_row_ = 0
        model.col_cost_ = costs
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
            "mip_rel_gap": 0.0,
            "mip_abs_gap": 1e-7,
            "mip_heuristic_effort": 0.0,
            "mip_detect_symmetry": False,
        }
        for option, value in options.items():
            self._highs.setOptionValue(option, value)
        self._highs.HandleUserInterrupt = True
        self._highs.passModel(model)

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
        return self._highs.getModelStatus() in (statuses.kInfeasible, statuses.kObjectiveBound)

    def solve_relaxation(self) -> FloatArray | None:
        """Return optimal values of the linear program; None if stopped."""
        is_quick = len(self._costs) < _EDGES_FOR_THREAD
        if not self._run(is_quick=is_quick):
            return None
        if not self._is_solved:
            # Numbers have gone astray; a fresh start puts them right.
            self._highs.clearSolver()
            if not self._run(is_quick=is_quick):
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

    def reduced_costs_and_bound(self) -> tuple[FloatArray, float]:
        """Reduced costs, and a lower bound that holds whatever the solver's tolerances were.

        By weak duality any non-negative multipliers λ of the inequalities bound the optimum from
        below: every edge contributes the less of what its reduced cost makes of its two bounds.
        """
        multipliers = np.maximum(-np.array(self._highs.getSolution().row_dual), 0.0)
        weights = np.repeat(multipliers, self._sizes) * self._coefficients
        reduced = self._costs + np.bincount(self._edges, weights, minlength=len(self._costs))
        bound = np.minimum(reduced * self._lower, reduced * self._upper).sum()
        return reduced, float(bound - multipliers @ self._limits)

    def fix_by_reduced_costs(self, reduced: FloatArray, bound: float, best: float) -> None:
        """Fix each variable whose other value would make the objective worse than `best`."""
        free = self._lower < self._upper
        to_zero: BoolArray = free & (bound + reduced > best)
        to_one: BoolArray = free & (bound - reduced > best)
        self._upper[to_zero] = 0.0
        self._lower[to_one] = 1.0
        changed = np.flatnonzero(to_zero | to_one).astype(np.int32)
        if len(changed) > 0:
            self._highs.changeColsBounds(
                len(changed), changed, self._lower[changed], self._upper[changed]
            )

    def set_bounds(self, edge: int, lower: float, upper: float) -> tuple[float, float]:
        """Change the bounds of one variable; return what they were."""
        before = float(self._lower[edge]), float(self._upper[edge])
        self._lower[edge], self._upper[edge] = lower, upper
        self._highs.changeColBounds(edge, lower, upper)
        return before

    def solve_integer(self, cutoff: float) -> tuple[FloatArray | None, float]:
        """Return an optimal integer solution, None if none is below `cutoff`, and a lower bound.

        The bound is ``inf`` if there is none below `cutoff`. A solver that was stopped returns no
        solution and the bound it had.
        """
        size = len(self._costs)
        integer = np.full(size, self._highspy.HighsVarType.kInteger)
        self._highs.changeColsIntegrality(size, np.arange(size, dtype=np.int32), integer)
        self._highs.setOptionValue("objective_bound", cutoff)
        if not self._run():
            return None, float(self._highs.getInfo().mip_dual_bound)
        self._check_solved()
        if self.is_infeasible:
            return None, np.inf
        values = np.round(np.array(self._highs.getSolution().col_value))
        return values, float(self._highs.getInfo().mip_dual_bound)

    def _run(self, *, is_quick: bool = False) -> bool:
        """Run the solver; False if it was told to stop before the end."""
        highs = self._highs
        if is_quick:
            highs.run()
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
