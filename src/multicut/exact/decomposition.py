"""Exact solutions, block by block."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from multicut import _core
from multicut.exact.branch_and_cut import BranchAndCut, Solution
from multicut.partition import cut_of_labels, labels_of_cut, objective
from multicut.problem import Problem
from multicut.proof import PRECISION, bound_below, excess, rounded_up, trivial_gap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multicut._arrays import BoolArray, FloatArray, IntArray
    from multicut.watch import Watch

# What is counted, and where a block's solution has it.
_COUNTERS = {
    "linear_programs": "num_rounds",
    "cycle_inequalities": "num_cycles",
    "odd_wheels": "num_wheels",
    "branchings": "num_nodes",
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
        What to add to objectives and bounds when they are told.
    error
        What to take from bounds when they are told.
    bound
        A lower bound of the problem that is known already.
    """

    def __init__(
        self,
        problem: Problem,
        labels: IntArray,
        watch: Watch,
        offset: float = 0.0,
        error: float = 0.0,
        bound: float = -math.inf,
    ) -> None:
        self._problem = problem
        self._watch = watch
        self._offset = offset
        self._cut = cut_of_labels(problem, labels).copy()
        # In two parts: what rounding takes from the first is in the second.
        self._objective, self._rest = objective(problem, labels), 0.0
        self._gaps = np.array([trivial_gap(problem.costs, self._cut)])  # of the blocks
        self._counts_of_others = dict.fromkeys(_COUNTERS, 0)
        self._index = 0  # of the block at hand
        self._current: Solution | None = None
        self._error = error
        self._known_bound = bound
        self._is_done = False
        watch.describe = lambda: (self.total_bound, self.details)

    @property
    def gap(self) -> float:
        """No partition of the problem costs less than the best one by more than this."""
        if self._current:
            self._gaps[self._index] = min(self._gaps[self._index], self._current.gap)
        distance = math.nextafter(self._objective - self._known_bound + self._rest, math.inf)
        return min(rounded_up(float(self._gaps.sum())), max(distance, 0.0))

    def take_bound(self, bound: float) -> None:
        """Take over a lower bound of the problem from elsewhere."""
        self._known_bound = max(self._known_bound, bound)

    @property
    def total_bound(self) -> float:
        """No partition costs less, offset included."""
        rest = self._error + 1e-15 * abs(self._offset) + max(self.gap - self._rest, 0.0)
        return bound_below(self._objective + self._offset, rest)

    def is_proof_of(self, total: float) -> bool:
        """Whether the best partition, which costs `total` with the offset, is proven optimal."""
        return self._is_done and self.gap + self._error <= PRECISION * abs(total)

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
        self._gaps = _gaps_of_blocks(self._problem.costs, self._cut, block_of_edge, sizes)
        order = np.argsort(block_of_edge, kind="stable")
        blocks = np.split(order, np.cumsum(sizes)[:-1]) if len(sizes) > 0 else []
        is_proven = True
        # Small blocks first: they may be done when the time is up.
        for block in np.argsort(sizes, kind="stable")[np.count_nonzero(sizes == 1) :]:
            if self._watch.should_stop():
                return
            is_proven &= self._solve_block(int(block), blocks[block], integer=integer)
        self._is_done = is_proven
        self._watch.report()

    def _solve_bridges(self, is_bridge: BoolArray) -> None:
        """Cut the repulsive bridges; they are on no cycle, so their trivial bound is tight."""
        costs = self._problem.costs
        bridges = np.flatnonzero(is_bridge & np.isfinite(costs))
        better = costs[bridges] < 0
        difference = excess(costs[bridges], better, self._cut[bridges])
        self._cut[bridges] = better
        self._improve(difference)

    def _improve(self, difference: float) -> None:
        """Add to the objective; what rounding takes is kept."""
        total = math.fsum([self._objective, self._rest, difference])
        self._rest = math.fsum([self._objective, self._rest, difference, -total])
        self._objective = total
        self._watch.improved(total + self._offset)

    def _solve_block(self, index: int, edges: IntArray, *, integer: bool) -> bool:
        """Improve one block; return whether that is now proven optimal."""
        costs, cut = self._problem.costs[edges], self._cut[edges]
        is_sure = _sure_edges(costs, cut)
        constrained = np.where(is_sure, np.where(cut, -np.inf, np.inf), costs)
        block = Problem(self._problem.edges[edges], constrained)
        constant = math.fsum(costs[is_sure & cut & np.isfinite(costs)].tolist())
        share = len(edges) / self._problem.num_edges
        tolerance = 0.25 * PRECISION * share * abs(self._objective)
        search = BranchAndCut(block, labels_of_cut(block, cut), self._watch, constant, tolerance)
        search.improved = self._improve
        # Ctrl-C may come between any two calls, so what belongs together changes together.
        self._index, self._current = index, search.solution
        try:
            if integer:
                search.run()
            else:
                search.solve_and_round_relaxation()
        finally:
            self._cut[edges] = search.cut
            self._gaps[index] = search.solution.gap
            self._counts_of_others, self._current = self.details, None
        return search.solution.is_optimal


def _gaps_of_blocks(
    costs: FloatArray, cut: BoolArray, block_of_edge: NDArray[np.int32], sizes: IntArray
) -> FloatArray:
    """Return by how much a partition misses the trivial bound of each block, rounded up."""
    is_against = np.isfinite(costs) & np.where(cut, costs > 0, costs < 0)
    gaps = np.bincount(block_of_edge[is_against], np.abs(costs[is_against]), minlength=len(sizes))
    rounded: FloatArray = gaps * (1.0 + np.finfo(np.float64).eps * (sizes + 4.0))
    return rounded


def _sure_edges(costs: FloatArray, cut: BoolArray) -> BoolArray:
    """Flag the edges that every better partition treats as the one at hand does.

    That one costs more than the trivial bound by the |cost| of the edges that it treats against
    their sign; treating an edge of a larger |cost| against its sign would cost more. As
    constraints, such edges do not hide differences between others.
    """
    is_sure: BoolArray = np.abs(costs) > trivial_gap(costs, cut)
    return is_sure
