"""Branch and cut for one problem: linear programs first, integer programs for what is left."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from multicut import _core
from multicut._arrays import plain
from multicut.exact.highs import HighsModel
from multicut.partition import cut_of_labels, labels_of_cut, objective

if TYPE_CHECKING:
    from collections.abc import Callable

    from multicut._arrays import BoolArray, FloatArray, IntArray
    from multicut.problem import Problem
    from multicut.watch import Watch

# Violations of a cycle inequality below this are the solver's rounding.
_TOLERANCE = 1e-6
# Objectives that differ by less than this, relative to a typical cost and to the objective, are
# equal.
_EQUAL = 1e-9
# What rounding may add to a bound where objectives are integers: so much, or more where the sum of
# all |costs| is large.
_INTEGER_SLACK, _ROUNDING = 1e-6, 1e-12
# Odd wheels that are violated by less do not pay.
_LEAST_WHEEL_VIOLATION = 0.01
# After so many branchings the rest is left to HiGHS.
_MAX_NODES = 100
_NUM_THREADS = os.cpu_count() or 1


@dataclass
class Solution:
    """The best partition of a problem so far, and what is known of the optimum.

    Attributes
    ----------
    labels, objective
        The best partition.
    lower_bound
        No partition costs less.
    num_rounds, num_cycles, num_wheels, num_nodes, num_integer_programs
        How much work it was: linear programs, inequalities of both kinds, branchings, and calls of
        the integer solver.
    """

    labels: IntArray
    objective: float
    lower_bound: float
    num_rounds: int = 0
    num_cycles: int = 0
    num_wheels: int = 0
    num_nodes: int = 0
    num_integer_programs: int = 0

    @property
    def is_optimal(self) -> bool:
        """Whether the partition is proven to be optimal."""
        return self.lower_bound >= self.objective


class BranchAndCut:
    """Improves a partition of a problem until it is proven optimal.

    Parameters
    ----------
    problem
        Any problem; constraints become fixed variables.
    labels
        A feasible partition to start from.
    watch
        Asked now and then whether to stop.

    Attributes
    ----------
    solution
        What is known so far.
    improved
        Called with the objective of each better partition.
    """

    def __init__(self, problem: Problem, labels: IntArray, watch: Watch) -> None:
        self._problem = problem
        self._watch = watch
        finite = np.isfinite(problem.costs)
        costs = np.where(finite, problem.costs, 0.0)
        # The solver's tolerances are absolute, so costs should be about 1; a power of two keeps
        # every digit.
        sizes = np.abs(costs[costs != 0.0])
        largest = float(sizes.max(initial=0.0))
        mean = largest * float((sizes / largest).mean()) if largest > 0 else 1.0
        self._unit = 2.0 ** math.floor(math.log2(mean))
        self._costs: FloatArray = costs / self._unit
        self._lower = np.where(problem.costs == -np.inf, 1.0, 0.0)
        self._upper = np.where(problem.costs == np.inf, 0.0, 1.0)
        self._integer_slack = max(_INTEGER_SLACK, float((_ROUNDING * np.abs(costs)).sum()))
        is_integral = bool(np.all(costs == np.round(costs)))
        self._is_integral = is_integral and self._integer_slack < 1.0
        trivial = float(np.minimum(costs, 0.0).sum())
        self.solution = Solution(labels, objective(problem, labels), trivial)
        self.improved: Callable[[float], None] = lambda _: None

    def solve_relaxation(self, *, tightens: bool) -> FloatArray | None:
        """Solve the cycle relaxation; return the values of the edges, None if stopped.

        If it `tightens`, odd wheels are cut off, too, edges that no better partition could treat
        otherwise are fixed on the way, and it ends once nothing can be better.
        """
        self._model = HighsModel(self._costs, self._lower, self._upper, self._watch.should_stop)
        start = np.clip((self._costs < 0) * 1.0, self._lower, self._upper)
        return self._cut_off(start, tightens=tightens, is_root=True)

    def run(self) -> None:
        """Solve to optimality, unless stopped."""
        values = self.solve_relaxation(tightens=True)
        if values is None or self.solution.is_optimal:
            return
        self.round(values)
        self._nodes_left = _MAX_NODES
        if self._branch(values):
            self.solution.lower_bound = self.solution.objective
        else:
            self._solve_integer_programs()

    def _cut_off(self, values: FloatArray, *, tightens: bool, is_root: bool) -> FloatArray | None:
        """Add violated inequalities and solve again, until there are none.

        Returns None if stopped, or if nothing within the bounds of the variables can be better.
        """
        while not (tightens and self.solution.is_optimal):
            num_violated = self._add_cycles(values, _TOLERANCE)
            if num_violated == 0 and tightens:
                num_violated = self._add_odd_wheels(values)
            if self._watch.should_stop():
                return None
            if num_violated == 0:
                return values
            relaxed = self._solve_linear_program(fixes=tightens, is_root=is_root)
            if relaxed is None:
                return None
            values = relaxed
        return None

    def _solve_linear_program(self, *, fixes: bool, is_root: bool) -> FloatArray | None:
        """Return the values of the edges, None if stopped or if nothing can be better."""
        values = self._model.solve_relaxation()
        self.solution.num_rounds += 1
        if values is None:
            return None
        if self._model.is_infeasible:
            # What is fixed leaves room for better partitions only, and there is none.
            if is_root:
                self._raise_bound(np.inf)
            return None
        reduced, bound = self._model.reduced_costs_and_bound()
        if is_root:
            before = self.solution.lower_bound
            self._raise_bound(bound)
            if fixes:
                self._model.fix_by_reduced_costs(reduced, bound, self._cutoff)
            # Only after progress: rows that come and go at the same bound might do so for ever.
            if self.solution.lower_bound > before:
                self._model.drop_slack_rows()
        elif bound > self._cutoff:
            return None
        return values

    def _branch(self, values: FloatArray) -> bool:
        """Search below a solution of the relaxation; False if stopped or if it takes too long."""
        fractionality = np.minimum(values, 1.0 - values)
        if fractionality.max() < _TOLERANCE:
            self.try_cut(values > 0.5)
            return True
        if self._nodes_left == 0:
            return False
        self._nodes_left -= 1
        self.solution.num_nodes += 1
        # Edges that cost much move the bound.
        is_fractional = fractionality >= _TOLERANCE
        edge = int(np.argmax(is_fractional * fractionality * (np.abs(self._costs) + _EQUAL)))
        likely = float(self.cut[edge])
        for value in (1.0 - likely, likely):
            before = self._model.set_bounds(edge, value, value)
            child = self._solve_linear_program(fixes=False, is_root=False)
            if child is not None:
                child = self._cut_off(child, tightens=True, is_root=False)
            is_done = child is None or self._branch(child)
            self._model.set_bounds(edge, *before)
            if not is_done or self._watch.should_stop():
                return False
        return True

    def _solve_integer_programs(self) -> None:
        """Let HiGHS search, until its solution is a partition."""
        while not self.solution.is_optimal and not self._watch.should_stop():
            values, bound = self._model.solve_integer(self._cutoff)
            self.solution.num_integer_programs += 1
            self._raise_bound(bound)
            if values is None or self.solution.is_optimal:
                return
            self.try_cut(values > 0.5)
            is_complete = self._add_cycles(values, 0.5) == 0
            if self._watch.should_stop():
                return
            if is_complete:
                # An integer solution that is feasible, and as cheap as the bound.
                self.solution.lower_bound = self.solution.objective
                return

    def solve_and_round_relaxation(self) -> None:
        """Solve the cycle relaxation for its bound, and make a partition of its solution."""
        values = self.solve_relaxation(tightens=False)
        if values is not None:
            self.round(values)

    def round(self, values: FloatArray) -> None:
        """Make partitions of fractional values; keep one that is better than the best so far.

        One takes edges below one half as joined; the other contracts greedily, least cut first.
        """
        self.try_cut(values > 0.5)
        evidence = np.where(np.isfinite(self._problem.costs), 0.5 - values, self._problem.costs)
        self.try_labels(plain(_core.gaec(self._problem.graph, evidence).run().labels))

    def try_cut(self, cut: BoolArray) -> None:
        """Make a partition of edges that may not be a multicut; keep it if it is better."""
        self.try_labels(labels_of_cut(self._problem, cut))

    def try_labels(self, labels: IntArray) -> None:
        """Keep a partition if it is better than the best one."""
        found = objective(self._problem, labels)
        if found < self.solution.objective:
            self.solution.labels, self.solution.objective = labels, found
            self._raise_bound(-np.inf)
            self.improved(found)

    @property
    def cut(self) -> BoolArray:
        """The edges that the best partition cuts."""
        return cut_of_labels(self._problem, self.solution.labels)

    @property
    def _cutoff(self) -> float:
        """What a partition must cost less than to be better, in the model's unit."""
        best = self.solution.objective / self._unit
        difference = _EQUAL * max(1.0, abs(best))
        if self._is_integral:
            difference = max(difference, (1.0 - self._integer_slack) / self._unit)
        return best - difference

    def _raise_bound(self, bound: float) -> None:
        """Take over a bound in the model's unit. Once nothing can be better, the proof is done."""
        best = self.solution.objective
        if bound > self._cutoff or self.solution.lower_bound > self._cutoff * self._unit:
            self.solution.lower_bound = best
        else:
            self.solution.lower_bound = max(self.solution.lower_bound, bound * self._unit)

    def _add_cycles(self, values: FloatArray, tolerance: float) -> int:
        offsets, edges = _core.separate_cycles(
            self._problem.graph, values, tolerance, self._watch.seconds_left, _NUM_THREADS
        )
        count = len(offsets) - 1
        if count > 0:
            self._model.add_cycles(offsets, edges)
            self.solution.num_cycles += count
        return count

    def _add_odd_wheels(self, values: FloatArray) -> int:
        offsets, edges = _core.separate_odd_wheels(
            self._problem.graph, values, _LEAST_WHEEL_VIOLATION, self._watch.seconds_left
        )
        count = len(offsets) - 1
        if count > 0:
            self._model.add_odd_wheels(offsets, edges)
            self.solution.num_wheels += count
        return count
