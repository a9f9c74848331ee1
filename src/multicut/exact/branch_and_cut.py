"""Branch and cut for one problem: linear programs, and branching for what they leave open."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from multicut import _core
from multicut._arrays import plain
from multicut.exact.highs import HighsModel
from multicut.exact.work import Work
from multicut.partition import cut_of_labels, labels_of_cut, objective
from multicut.proof import (
    PRECISION,
    WIDE,
    excess,
    size_of_most,
    smallest_cost,
    step_of,
    trivial_gap,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from multicut._arrays import BoolArray, FloatArray, IntArray
    from multicut.problem import Problem
    from multicut.watch import Watch

# Violations of a cycle inequality below this are the solver's rounding.
TOLERANCE = 1e-6
# What makes edges of cost zero worth branching on, relative to the largest cost.
_LEAST_WEIGHT = 1e-9
# Odd wheels that are violated by less do not pay.
_LEAST_WHEEL_VIOLATION = 0.01
# Of the sum of the |costs| of edges that are not fixed, what rounding may hide.
_ROUNDING = 5e-14
# Where costs differ widely, proofs are as precise as the smallest ones ask for. That may take many
# branchings: problems of more edges, or that take more branchings, do with what is promised.
_SMALL_SHARE = 0.1
_MAX_EDGES_FOR_PRECISION, _MAX_NODES_FOR_PRECISION = 1_000, 200


@dataclass
class Solution:
    """The best partition of a problem so far, and what is known of the optimum.

    Attributes
    ----------
    labels, objective
        The best partition.
    gap
        No partition costs less than the best one by more than this.
    is_optimal
        Whether that is so little that the partition is proven to be optimal.
    num_rounds, num_cycles, num_wheels, num_cuts, num_nodes
        How much work it was: linear programs, inequalities of each kind, and branchings.
    """

    labels: IntArray
    objective: float
    gap: float
    is_optimal: bool = False
    num_rounds: int = 0
    num_cycles: int = 0
    num_wheels: int = 0
    num_cuts: int = 0  # of lifted edges
    num_nodes: int = 0


@dataclass
class _OpenNode:
    """A node of the search whose second child is still to come."""

    edge: int
    value: float
    num_fixed: int
    gap: float


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
    constant
        What to add to objectives before the precision of proofs is taken relative to them.
    precision
        What a proof may leave open, relative to the objective.
    tolerance
        What a proof may leave open, even if the objective is zero.
    num_threads
        For the separation of cycles; HiGHS gets one, as its simplex method is serial.
    work
        Limits how much is computed; by default nothing does.

    Attributes
    ----------
    solution
        What is known so far.
    improved
        Called with each better partition's difference to the one before, which is negative.
    """

    def __init__(
        self,
        problem: Problem,
        labels: IntArray,
        watch: Watch,
        constant: float = 0.0,
        precision: float = 0.5 * PRECISION,
        tolerance: float = 0.0,
        num_threads: int = 1,
        work: Work | None = None,
    ) -> None:
        self._problem = problem
        self._watch = watch
        self._constant = constant
        self._precision = precision
        self._tolerance = tolerance
        self._num_threads = num_threads
        self._work = work or Work()
        self._costs: FloatArray = np.where(np.isfinite(problem.costs), problem.costs, 0.0)
        self._lower = np.where(problem.costs == -np.inf, 1.0, 0.0)
        self._upper = np.where(problem.costs == np.inf, 0.0, 1.0)
        self._step = step_of(self._costs)
        smallest = smallest_cost(self._costs)
        self._is_wide = bool(np.abs(self._costs).max(initial=0.0) > WIDE * smallest)
        self._size = size_of_most(self._costs, smallest, _SMALL_SHARE)
        self.cut = cut_of_labels(problem, labels)  # the edges that the best partition cuts
        gap = trivial_gap(self._costs, self.cut)
        self._gap = gap  # of the node at hand
        self._open: list[_OpenNode] = []
        self._left_open = 0.0  # the largest gap of a node that counts as done
        self.solution = Solution(labels, objective(problem, labels), gap)
        self.improved: Callable[[float], None] = lambda _: None
        self._update_gap()

    def _should_stop(self) -> bool:
        return self._work.is_spent or self._watch.should_stop()

    def solve_relaxation(self, *, tightens: bool) -> FloatArray | None:
        """Solve the cycle relaxation; return the values of the edges, None if stopped.

        If it `tightens`, odd wheels are cut off, too, edges that no better partition could treat
        otherwise are fixed on the way, and it ends once nothing can be better.
        """
        self._model = HighsModel(
            self._costs, self._lower, self._upper, self._watch.should_stop, self._work
        )
        start = np.clip((self._costs < 0) * 1.0, self._lower, self._upper)
        return self._cut_off(start, tightens=tightens, is_root=True)

    def run(self) -> None:
        """Solve to optimality, unless stopped."""
        values = self.solve_relaxation(tightens=True)
        if values is None or self.solution.is_optimal:
            return
        self.round(values)
        self._search(values)

    def _cut_off(self, values: FloatArray, *, tightens: bool, is_root: bool) -> FloatArray | None:
        """Add violated inequalities and solve again, until there are none.

        Returns None if stopped, or if nothing within the bounds of the variables can be better.
        Values are not to be relied on where the solver fails: then branching has to help.
        """
        while not (tightens and self.solution.is_optimal):
            # No solution, though there is one: rounding. These values would be cut off for ever.
            if self._model.is_infeasible:
                return values
            num_violated = self._add_violated(values)
            if num_violated == 0 and tightens:
                num_violated = self._add_odd_wheels(values)
            if self._should_stop():
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
        is_solved = False
        while not is_solved:
            values = self._model.solve_relaxation()
            self.solution.num_rounds += 1
            if values is None:
                return None
            if self._model.is_infeasible and self._is_contradictory():
                # What is fixed leaves room for better partitions only, and there is none.
                self._gap = 0.0
                if is_root:
                    self._update_gap()
                return None
            certificate = self._model.certify(self.cut)
            gap_before = self._gap
            self._gap = min(self._gap, certificate.gap)
            if is_root:
                self._update_gap()
            if not self._is_negligible(self._gap) and (self._is_wide or (fixes and is_root)):
                self._model.fix_by_reduced_costs(certificate, self._allowance)
            # Once large costs are fixed, small ones count.
            is_solved = not (self._is_wide and self._model.rescale())
            # Only after progress: rows that come and go at the same bound might do so for ever.
            if is_root and self._gap < gap_before:
                self._model.drop_slack_rows()
        return None if fixes and self._is_done() else values

    def _is_contradictory(self) -> bool:
        """Whether no partition has all edges as they are fixed."""
        joined = labels_of_cut(self._problem, ~self._model.joins)
        return bool((self._model.cuts & ~cut_of_labels(self._problem, joined)).any())

    def _labels_of(self, cut: BoolArray) -> IntArray:
        """Return the clusters that are left if these edges are cut, and perhaps others."""
        return labels_of_cut(self._problem, cut)

    def _search(self, values: FloatArray | None) -> None:
        """Search below a solution of the relaxation, depth first, until everything is proven."""
        while not self._should_stop() and not self.solution.is_optimal:
            edge = None if values is None else self._choose_edge(values)
            if edge is not None:
                self.solution.num_nodes += 1
                likely = float(self.cut[edge])
                self._open.append(_OpenNode(edge, likely, self._model.num_fixed, self._gap))
                self._model.fix(edge, 1.0 - likely)
            elif self._open:
                node = self._open.pop()
                self._model.release(node.num_fixed)
                self._model.fix(node.edge, node.value)
                self._gap = node.gap
            else:
                self._gap = 0.0
                self._update_gap()
                return
            values = self._solve_child()
            self._update_gap()
            if (
                self.solution.num_nodes >= _MAX_NODES_FOR_PRECISION
                and self.solution.gap <= self._promise
            ):
                self._left_open = max(self._left_open, self.solution.gap)
                self._gap = 0.0
                self._open.clear()
                self._update_gap()

    def _solve_child(self) -> FloatArray | None:
        """Solve the relaxation of a node; None if stopped or if it has nothing better."""
        if self._is_wide:
            if self._is_contradictory():
                self._gap = 0.0
                return None
            self._model.rescale()
        values = self._solve_linear_program(fixes=True, is_root=False)
        if values is not None:
            values = self._cut_off(values, tightens=True, is_root=False)
        return values

    def _choose_edge(self, values: FloatArray) -> int | None:
        """Choose the edge to branch on, None if the node at hand has nothing better."""
        sizes = np.abs(self._costs)
        sizes = sizes / (sizes.max() or 1.0) + _LEAST_WEIGHT
        fractionality = np.minimum(values, 1.0 - values)
        is_free = self._model.is_free
        is_fractional = is_free & (fractionality >= TOLERANCE)
        if is_fractional.any():
            # Edges that cost much move the bound.
            return int(np.argmax(is_fractional * fractionality * sizes))
        self.try_cut(values > 0.5 if is_free.any() else self._model.cuts)
        self._gap = min(self._gap, self._model.gap_without_rows(self.cut))
        # Values that look integral prove nothing while the bound does not say so, too.
        if self._is_done() or not is_free.any():
            return None
        return int(np.argmax(is_free * sizes))

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
        self.try_labels(self._contract(evidence))

    def _contract(self, evidence: FloatArray) -> IntArray:
        """Return the clusters of a greedy contraction by other costs."""
        return plain(_core.gaec(self._problem.graph, evidence).run().labels)

    def try_cut(self, cut: BoolArray) -> None:
        """Make a partition of edges that may not be a multicut; keep it if it is better."""
        self.try_labels(self._labels_of(cut))

    def try_labels(self, labels: IntArray) -> None:
        """Keep a partition if it is better than the best one."""
        found = objective(self._problem, labels)
        if found == np.inf:
            return
        cut = cut_of_labels(self._problem, labels)
        difference = excess(self._costs, cut, self.cut)
        if difference < 0.0:
            self.solution.labels, self.solution.objective, self.cut = labels, found, cut
            # Gaps come last: whatever comes in between, they are not too small.
            self.improved(difference)
            self.solution.gap = max(_less(self.solution.gap, -difference), 0.0)
            self._gap = _less(self._gap, -difference)
            for node in self._open:
                node.gap = _less(node.gap, -difference)
            self._update_gap()

    @property
    def _promise(self) -> float:
        """What a proof may leave open."""
        own = self._precision * abs(self.solution.objective + self._constant)
        return max(own, self._tolerance)

    @property
    def _allowance(self) -> float:
        """What to leave open: less than the promise where small costs are beside large ones."""
        return max(min(self._promise, 0.5 * PRECISION * self._size), (1.0 - 1e-6) * self._step)

    def _is_negligible(self, gap: float) -> bool:
        return gap <= self._allowance

    def _is_done(self) -> bool:
        """Whether the node at hand has nothing better, as far as that can be told."""
        if self._is_negligible(self._gap):
            return True
        is_small = len(self._costs) <= _MAX_EDGES_FOR_PRECISION
        if is_small and self.solution.num_nodes < _MAX_NODES_FOR_PRECISION:
            return False
        sizes = np.abs(self._costs[self._model.is_free])
        if self._gap > min(self._promise, _ROUNDING * float(sizes.sum())):
            return False
        self._left_open = max(self._left_open, self._gap)
        self._gap = 0.0
        self._update_gap()
        return True

    def _update_gap(self) -> None:
        """Take over what the node at hand and the open ones leave possible."""
        gap = max([self._gap, *(node.gap for node in self._open)])
        solution = self.solution
        solution.is_optimal = solution.is_optimal or self._is_negligible(gap)
        # Where objectives have a step, none is less by less than that.
        least = self._allowance if self._allowance > self._step else 0.0
        least = max(least, self._left_open)
        # Before anything was fixed for good, the gap may have been less than that.
        solution.gap = min(solution.gap, least if solution.is_optimal else max(gap, least))

    def _add_violated(self, values: FloatArray) -> int:
        """Add violated inequalities of the relaxation; return how many there were."""
        return self._add_cycles(values)

    def _add_cycles(self, values: FloatArray) -> int:
        offsets, edges = _core.separate_cycles(
            self._problem.graph, values, TOLERANCE, self._watch.seconds_left, self._num_threads
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


def _less(gap: float, gain: float) -> float:
    """Return what a better partition leaves of a gap; both are rounded."""
    return math.nextafter(gap - math.nextafter(gain, 0.0), math.inf)
