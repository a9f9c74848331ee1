"""Exact solutions, block by block."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from multicut import _core
from multicut.exact.branch_and_cut import BranchAndCut, Solution
from multicut.exact.work import Work
from multicut.partition import cut_of_labels, labels_of_cut, objective
from multicut.problem import Problem
from multicut.proof import (
    PRECISION,
    bound_below,
    excess,
    rounded_up,
    rounding_of,
    rounding_of_total,
    trivial_gap,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multicut._arrays import BoolArray, FloatArray, IntArray
    from multicut.watch import Watch

# What is counted, and where a block's solution has it.
COUNTERS = {
    "linear_programs": "num_rounds",
    "cycle_inequalities": "num_cycles",
    "odd_wheels": "num_wheels",
    "branchings": "num_nodes",
}
# How often blocks are solved, each time more precisely.
_MOST_PASSES = 3


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
    num_threads
        For what can use several.
    work
        Limits how much is computed; by default nothing does.
    """

    counters: ClassVar[dict[str, str]] = COUNTERS

    def __init__(
        self,
        problem: Problem,
        labels: IntArray,
        watch: Watch,
        offset: float = 0.0,
        error: float = 0.0,
        bound: float = -math.inf,
        num_threads: int = 1,
        work: Work | None = None,
    ) -> None:
        self._problem = problem
        self._watch = watch
        self._offset = offset
        self._cut = cut_of_labels(problem, labels).copy()
        # In two parts: what rounding takes from the first is in the second.
        self._objective, self._rest = objective(problem, labels), 0.0
        self._gaps = np.array([trivial_gap(problem.costs, self._cut)])  # of the blocks
        self._counts_of_others = dict.fromkeys(self.counters, 0)
        self._index = 0  # of the block at hand
        self._current: Solution | None = None
        self._error = error
        self._known_bound = bound
        self._num_threads = num_threads
        self._work = work or Work()
        self._total_bound = -math.inf  # the best one that was told
        self._rounding = rounding_of(problem.costs)
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
        """No partition costs less, offset included; never less than it was before."""
        total = self._objective + self._offset
        rest = self._error + max(self.gap - self._rest, 0.0)
        if self._offset != 0.0:
            rest += rounding_of_total(total)
        self._total_bound = max(self._total_bound, bound_below(total, rest))
        return self._total_bound

    def is_proof_of(self, total: float) -> bool:
        """Whether the best partition, which costs `total` with the offset, is proven optimal."""
        promise = max(PRECISION * abs(total), self._rounding)
        return self._is_done and self.gap + self._error <= promise

    @property
    def details(self) -> dict[str, int]:
        """How much work it was so far."""
        counts = dict(self._counts_of_others)
        if self._current:
            for counter, attribute in self.counters.items():
                counts[counter] += getattr(self._current, attribute)
        return counts

    @property
    def labels(self) -> IntArray:
        """The best partition so far."""
        return self._labels_of(self._cut)

    def _labels_of(self, cut: BoolArray) -> IntArray:
        return labels_of_cut(self._problem, cut)

    def _search_of_block(
        self,
        block: Problem,
        edges: IntArray,  # noqa: ARG002 - for other kinds of problems
        cut: BoolArray,
        **options: Any,
    ) -> BranchAndCut:
        """Return the search of a block, some of the edges, from a partition that cuts these."""
        return BranchAndCut(block, labels_of_cut(block, cut), self._watch, **options)

    def run(self, *, integer: bool) -> None:
        """Solve all blocks: to optimality, or only the linear relaxation with rounding."""
        if self._watch.should_stop():
            return
        block_of_edge = _core.blocks(self._problem.graph)
        sizes = np.bincount(block_of_edge)
        self._solve_bridges(sizes[block_of_edge] == 1)
        self._gaps = _gaps_of_blocks(self._problem.costs, self._cut, block_of_edge, sizes)
        self._of_blocks = _objectives_of_blocks(self._problem.costs, self._cut, block_of_edge)
        self._size = float(np.abs(self._of_blocks).sum())
        order = np.argsort(block_of_edge, kind="stable")
        blocks = np.split(order, np.cumsum(sizes)[:-1]) if len(sizes) > 0 else []
        # Small blocks first: they may be done when the time is up.
        left = np.argsort(sizes, kind="stable")[np.count_nonzero(sizes == 1) :]
        is_proven = True
        for _ in range(_MOST_PASSES):
            for block in left:
                if self._work.is_spent or self._watch.should_stop():
                    return
                is_proven &= self._solve_block(int(block), blocks[block], integer=integer)
            self._is_done = is_proven
            # Later blocks may have cancelled out what proofs of the first ones were relative to.
            if not is_proven or self.is_proof_of(self._objective + self._offset):
                break
            left = left[self._gaps[left] > 0.0]
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
        constant = math.fsum(costs[is_sure & cut & np.isfinite(costs)].tolist())
        search = self._search_of_block(
            Problem(self._problem.edges[edges], constrained),
            edges,
            cut,
            constant=constant,
            precision=self._precision,
            tolerance=self._tolerance(edges, constrained),
            num_threads=self._num_threads,
            work=self._work,
        )
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
            self._gaps[index] = min(self._gaps[index], search.solution.gap)
            now = search.solution.objective + constant
            self._size += abs(now) - abs(self._of_blocks[index])
            self._of_blocks[index] = now
            self._counts_of_others, self._current = self.details, None
        return search.solution.is_optimal

    @property
    def _precision(self) -> float:
        """What the proof of a block may leave open, relative to its objective.

        Where objectives of blocks cancel out, what is left of them is what counts.
        """
        total = abs(self._objective + self._offset)
        # The rest is for what is rounded elsewhere.
        return 0.5 * PRECISION * (total / self._size if total < self._size else 1.0)

    def _tolerance(self, edges: IntArray, costs: FloatArray) -> float:
        """Return what the proof of a block may leave open, whatever its objective is."""
        share = len(edges) / self._problem.num_edges
        of_total = 0.25 * PRECISION * share * abs(self._objective + self._offset)
        # Half of it: reduction and sums are rounded, too.
        return max(of_total, 0.5 * rounding_of(costs) if self._rounding > 0.0 else 0.0)


def _gaps_of_blocks(
    costs: FloatArray, cut: BoolArray, block_of_edge: NDArray[np.int32], sizes: IntArray
) -> FloatArray:
    """Return by how much a partition misses the trivial bound of each block, rounded up."""
    is_against = np.isfinite(costs) & np.where(cut, costs > 0, costs < 0)
    gaps = np.bincount(block_of_edge[is_against], np.abs(costs[is_against]), minlength=len(sizes))
    rounded: FloatArray = gaps * (1.0 + np.finfo(np.float64).eps * (sizes + 4.0))
    return rounded


def _objectives_of_blocks(
    costs: FloatArray, cut: BoolArray, block_of_edge: NDArray[np.int32]
) -> FloatArray:
    """Return what a partition costs in each block, roughly."""
    counts = cut & np.isfinite(costs)
    num_blocks = int(block_of_edge.max(initial=-1)) + 1
    of_blocks = np.bincount(block_of_edge[counts], costs[counts], minlength=num_blocks)
    return of_blocks.astype(np.float64)  # they are integers if nothing is cut


def _sure_edges(costs: FloatArray, cut: BoolArray) -> BoolArray:
    """Flag the edges that every better partition treats as the one at hand does.

    That one costs more than the trivial bound by the |cost| of the edges that it treats against
    their sign; treating an edge of a larger |cost| against its sign would cost more. As
    constraints, such edges do not hide differences between others.
    """
    is_sure: BoolArray = np.abs(costs) > trivial_gap(costs, cut)
    return is_sure
