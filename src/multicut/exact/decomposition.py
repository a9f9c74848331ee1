"""Exact solutions, block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multicut import _core
from multicut.exact.branch_and_cut import BranchAndCut
from multicut.partition import cut_of_labels, labels_of_cut, objective
from multicut.problem import Problem

if TYPE_CHECKING:
    from multicut._arrays import IntArray
    from multicut.exact.progress import Progress


class BlockwiseSearch:
    """Improves a partition block by block; each block is a problem of its own.

    Cycles stay within blocks (maximal parts without a cut vertex), and so do violated inequalities.

    Parameters
    ----------
    problem, labels
        A problem and a feasible partition to start from.
    progress
        Is told of improvements, and asked when to stop.
    offset
        What to add to objectives when they are told.

    Attributes
    ----------
    lower_bound
        No partition of the problem costs less.
    is_proven
        Whether every block was solved to proven optimality.
    details
        How much work it was.
    """

    def __init__(
        self, problem: Problem, labels: IntArray, progress: Progress, offset: float
    ) -> None:
        self._problem = problem
        self._progress = progress
        self._offset = offset
        self._cut = cut_of_labels(problem, labels).copy()
        self._objective = objective(problem, labels)
        finite = problem.costs[np.isfinite(problem.costs)]
        self.lower_bound = float(np.minimum(finite, 0.0).sum())
        self.is_proven = False
        self.details = {"rounds": 0, "cycle_inequalities": 0, "integer_programs": 0}

    @property
    def labels(self) -> IntArray:
        """The best partition so far."""
        return labels_of_cut(self._problem, self._cut)

    def run(self, *, integer: bool) -> None:
        """Solve all blocks: to optimality, or only the linear relaxation with rounding."""
        block_of_edge = _core.blocks(self._problem.graph)
        order = np.argsort(block_of_edge, kind="stable")
        starts = np.flatnonzero(np.diff(block_of_edge[order], prepend=-1))
        is_proven = True
        # Small blocks first: they may be done when the time is up.
        for edges in sorted(np.split(order, starts[1:]), key=len):
            if self._progress.should_stop():
                return
            if len(edges) > 1:
                is_proven &= self._solve_block(edges, integer=integer)
            elif len(edges) == 1 and np.isfinite(self._problem.costs[edges[0]]):
                # A bridge is on no cycle; the trivial bound is what it costs.
                self._cut[edges] = self._problem.costs[edges] < 0
        self.is_proven = is_proven

    def _solve_block(self, edges: IntArray, *, integer: bool) -> bool:
        """Improve one block; return whether that is now proven optimal."""
        block = Problem(self._problem.edges[edges], self._problem.costs[edges])
        start = labels_of_cut(block, self._cut[edges])
        search = BranchAndCut(block, start, self._progress)
        objective_before, bound_before = search.solution.objective, search.solution.lower_bound
        try:
            if integer:
                search.run()
            else:
                search.solve_and_round_relaxation()
        finally:
            solution = search.solution
            self._cut[edges] = search.cut
            self._objective += solution.objective - objective_before
            self.lower_bound += solution.lower_bound - bound_before
            self.details["rounds"] += solution.num_rounds
            self.details["cycle_inequalities"] += solution.num_cycles
            self.details["integer_programs"] += solution.num_integer_programs
        self._progress.improved(self._objective + self._offset)
        return solution.is_optimal
