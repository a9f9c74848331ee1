"""Exact solutions, block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multicut import _core
from multicut.exact.branch_and_cut import BranchAndCut, Solution
from multicut.partition import cut_of_labels, labels_of_cut, objective
from multicut.problem import Problem

if TYPE_CHECKING:
    from multicut._arrays import BoolArray, FloatArray, IntArray
    from multicut.watch import Watch

# Of a sum, what rounding may hide.
_ROUNDING = 1e-9

# What is counted, and where a block's solution has it.
_COUNTERS = {
    "linear_programs": "num_rounds",
    "cycle_inequalities": "num_cycles",
    "odd_wheels": "num_wheels",
    "branchings": "num_nodes",
    "integer_programs": "num_integer_programs",
}


class BlockwiseSearch:
    """Improves a partition block by block; each block is a problem of its own.

    Cycles stay within blocks (maximal parts without a cut vertex), and so do violated inequalities.

    Parameters
    ----------
    problem, labels
        A problem and a feasible partition to start from.
    watch
        Is told of improvements, and asked when to stop.
    offset
        What to add to objectives when they are told.

    Attributes
    ----------
    is_proven
        Whether every block was solved to proven optimality.
    """

    def __init__(self, problem: Problem, labels: IntArray, watch: Watch, offset: float) -> None:
        self._problem = problem
        self._watch = watch
        self._offset = offset
        self._cut = cut_of_labels(problem, labels).copy()
        self._objective = objective(problem, labels)
        finite = problem.costs[np.isfinite(problem.costs)]
        self._bound_of_others = float(np.minimum(finite, 0.0).sum())
        self._counts_of_others = dict.fromkeys(_COUNTERS, 0)
        self._current: Solution | None = None  # of the block at hand
        self.is_proven = False
        watch.describe = lambda: (self.lower_bound + offset, self.details)

    @property
    def lower_bound(self) -> float:
        """No partition of the problem costs less."""
        current = self._current.lower_bound if self._current else 0.0
        return self._bound_of_others + current

    @property
    def details(self) -> dict[str, int]:
        """How much work it was so far."""
        counts = dict(self._counts_of_others)
        if self._current:
            for counter, attribute in _COUNTERS.items():
                counts[counter] += getattr(self._current, attribute)
        return counts

    @property
    def labels(self) -> IntArray:
        """The best partition so far."""
        return labels_of_cut(self._problem, self._cut)

    def run(self, *, integer: bool) -> None:
        """Solve all blocks: to optimality, or only the linear relaxation with rounding."""
        block_of_edge = _core.blocks(self._problem.graph)
        sizes = np.bincount(block_of_edge)
        self._solve_bridges(sizes[block_of_edge] == 1)
        order = np.argsort(block_of_edge, kind="stable")
        blocks = np.split(order, np.cumsum(sizes)[:-1]) if len(sizes) > 0 else []
        is_proven = True
        # Small blocks first: they may be done when the time is up.
        for block in np.argsort(sizes, kind="stable")[np.count_nonzero(sizes == 1) :]:
            if self._watch.should_stop():
                return
            is_proven &= self._solve_block(blocks[block], integer=integer)
        self.is_proven = is_proven
        self._watch.report()

    def _solve_bridges(self, is_bridge: BoolArray) -> None:
        """Cut the repulsive bridges; they are on no cycle, so their trivial bound is tight."""
        costs = self._problem.costs
        bridges = np.flatnonzero(is_bridge & np.isfinite(costs))
        before = costs[bridges][self._cut[bridges]].sum()
        self._cut[bridges] = costs[bridges] < 0
        self._objective += float(np.minimum(costs[bridges], 0.0).sum() - before)
        self._watch.improved(self._objective + self._offset)

    def _solve_block(self, edges: IntArray, *, integer: bool) -> bool:
        """Improve one block; return whether that is now proven optimal."""
        costs = _with_sure_edges_as_constraints(self._problem.costs[edges], self._cut[edges])
        block = Problem(self._problem.edges[edges], costs)
        start = labels_of_cut(block, self._cut[edges])
        search = BranchAndCut(block, start, self._watch)
        solution = search.solution
        objective_of_others = self._objective - solution.objective + self._offset
        search.improved = lambda found: self._watch.improved(objective_of_others + found)
        objective_before = solution.objective
        # Ctrl-C may come between any two calls, so what belongs together changes together.
        self._bound_of_others, self._current = (
            self._bound_of_others - solution.lower_bound,
            solution,
        )
        try:
            if integer:
                search.run()
            else:
                search.solve_and_round_relaxation()
        finally:
            self._cut[edges] = search.cut
            self._objective += solution.objective - objective_before
            self._bound_of_others, self._counts_of_others, self._current = (
                self.lower_bound,
                self.details,
                None,
            )
        return solution.is_optimal


def _with_sure_edges_as_constraints(costs: FloatArray, cut: BoolArray) -> FloatArray:
    """Make constraints of edges that every better partition treats as the one at hand does.

    That one costs more than the trivial bound by the |cost| of the edges that it treats against
    their sign; treating an edge of a larger |cost| against its sign would cost more. Without such
    edges the tolerances of the search, which are relative, fit the others.
    """
    is_against = np.isfinite(costs) & np.where(cut, costs > 0, costs < 0)
    distance = float(np.abs(costs[is_against]).sum())
    is_sure = np.abs(costs) > distance * (1.0 + _ROUNDING)
    return np.where(is_sure, np.where(cut, -np.inf, np.inf), costs)
