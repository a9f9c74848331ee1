"""Exact solutions, block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multicut import _core
from multicut.exact.branch_and_cut import BranchAndCut, Solution
from multicut.partition import cut_of_labels, labels_of_cut, objective
from multicut.problem import Problem

if TYPE_CHECKING:
    from multicut._arrays import IntArray
    from multicut.watch import Watch

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
        order = np.argsort(block_of_edge, kind="stable")
        starts = np.flatnonzero(np.diff(block_of_edge[order], prepend=-1))
        is_proven = True
        # Small blocks first: they may be done when the time is up.
        for edges in sorted(np.split(order, starts[1:]), key=len):
            if self._watch.should_stop():
                return
            if len(edges) > 1:
                is_proven &= self._solve_block(edges, integer=integer)
            elif len(edges) == 1 and np.isfinite(self._problem.costs[edges[0]]):
                # A bridge is on no cycle; the trivial bound is what it costs.
                self._cut[edges] = self._problem.costs[edges] < 0
        self.is_proven = is_proven
        self._watch.report()

    def _solve_block(self, edges: IntArray, *, integer: bool) -> bool:
        """Improve one block; return whether that is now proven optimal."""
        block = Problem(self._problem.edges[edges], self._problem.costs[edges])
        start = labels_of_cut(block, self._cut[edges])
        search = BranchAndCut(block, start, self._watch)
        solution = self._current = search.solution
        objective_before = solution.objective
        self._bound_of_others -= solution.lower_bound
        try:
            if integer:
                search.run()
            else:
                search.solve_and_round_relaxation()
        finally:
            self._cut[edges] = search.cut
            self._objective += solution.objective - objective_before
            self._bound_of_others, self._counts_of_others = self.lower_bound, self.details
            self._current = None
        self._watch.improved(self._objective + self._offset)
        return solution.is_optimal
