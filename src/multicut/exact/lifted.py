"""Branch and cut for lifted problems: cycles of all edges, and cuts of ordinary ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from multicut import _core
from multicut._arrays import plain
from multicut.exact.branch_and_cut import TOLERANCE, BranchAndCut
from multicut.exact.decomposition import COUNTERS, BlockwiseSearch
from multicut.partition import cut_of_labels

if TYPE_CHECKING:
    from multicut._arrays import BoolArray, FloatArray, IntArray
    from multicut.exact.union import Union
    from multicut.problem import Problem
    from multicut.watch import Watch


class LiftedBranchAndCut(BranchAndCut):
    """Improves a partition of a lifted problem until it is proven optimal.

    Joined edges connect, be they ordinary or lifted. So all inequalities of ordinary problems hold
    for the union of both. Conversely, a lifted edge may be joined only if ordinary edges connect
    its ends: one of each cut between these has to be joined, too.

    Parameters
    ----------
    union
        Both kinds of edges; constraints become fixed variables.
    labels, watch, **options
        As for ordinary problems. Clusters of the partition are connected by ordinary edges.
    """

    def __init__(self, union: Union, labels: IntArray, watch: Watch, **options: Any) -> None:
        self._union = union
        super().__init__(union.problem, labels, watch, **options)

    def _add_violated(self, values: FloatArray) -> int:
        return self._add_cycles(values) + self._add_cuts(values)

    def _add_cuts(self, values: FloatArray) -> int:
        offsets, edges = _core.separate_cuts(
            self._union.ordinary,
            self._problem.graph,
            values,
            TOLERANCE,
            self._watch.seconds_left,
            self._num_threads,
        )
        count = len(offsets) - 1
        if count > 0:
            self._model.add_cuts(offsets, edges)
            self.solution.num_cuts += count
        return count

    def _is_contradictory(self) -> bool:
        if super()._is_contradictory():
            return True
        # A lifted edge that is joined across edges that are cut.
        components = self._union.labels_of_cut(self._model.cuts)
        return bool((self._model.joins & cut_of_labels(self._problem, components)).any())

    def _labels_of(self, cut: BoolArray) -> IntArray:
        return self._union.labels_of_cut(cut)

    def _contract(self, evidence: FloatArray) -> IntArray:
        union, count = self._union, self._union.num_ordinary
        task = _core.lifted_gaec(
            union.ordinary, evidence[:count], union.lifted, np.ascontiguousarray(evidence[count:])
        )
        return plain(task.run().labels)


class LiftedBlockwiseSearch(BlockwiseSearch):
    """Improves a partition of a lifted problem, block by block of the union of all edges.

    Paths of ordinary edges between two nodes of a block stay within it, so blocks are problems of
    their own.

    Parameters
    ----------
    union, labels
        Both kinds of edges, and a feasible partition to start from.
    total
        What that costs, with the lifted edges that the union lacks: all objectives and bounds
        include them, so that large costs that cancel out do no harm.
    watch, **options
        As for ordinary problems.
    """

    counters: ClassVar[dict[str, str]] = {**COUNTERS, "cut_inequalities": "num_cuts"}

    def __init__(
        self, union: Union, labels: IntArray, total: float, watch: Watch, **options: Any
    ) -> None:
        self._union = union
        super().__init__(union.problem, labels, watch, **options)
        self._objective = total

    def _labels_of(self, cut: BoolArray) -> IntArray:
        return self._union.labels_of_cut(cut)

    def _search_of_block(
        self, block: Problem, edges: IntArray, cut: BoolArray, **options: Any
    ) -> BranchAndCut:
        part = self._union.part(block, edges)
        return LiftedBranchAndCut(part, part.labels_of_cut(cut), self._watch, **options)
