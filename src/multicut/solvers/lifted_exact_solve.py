"""The stages of an exact solve of a lifted problem."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from multicut.exact.union import Union
from multicut.partition import objective
from multicut.problem import Problem
from multicut.proof import WIDE, costs_of, rounded_up, smallest_cost
from multicut.solvers import fusion, gaec
from multicut.solvers.exact_solve import ExactSolve
from multicut.solvers.protocol import Outcome, run_task
from multicut.stop import Stop, StopReason
from multicut.watch import Watch

if TYPE_CHECKING:
    from multicut._arrays import FloatArray, IntArray
    from multicut.exact.decomposition import BlockwiseSearch


class LiftedExactSolve(ExactSolve):
    """As for ordinary problems, on the union of both kinds of edges.

    Lifted must-links may be hard to meet. If no heuristic meets all constraints, a search of its
    own finds a partition that does, or proves that there is none.
    """

    @cached_property
    def _union(self) -> Union:
        """Both kinds of edges of the core; not to be asked for before there is a start."""
        return Union.of(self._reduction.problem)

    def reduce(self) -> None:
        """Make the problem smaller, unless that rounds costs of very different size."""
        super().reduce()
        costs = costs_of(self._problem)
        largest = np.abs(costs[np.isfinite(costs)]).max(initial=0.0)
        if self._reduction.error > 0.0 and largest > WIDE * smallest_cost(costs):
            self._reduction = type(self._reduction).trivial(self._problem)

    def find_start(self, seed: int, *, integer: bool) -> None:
        """Find a partition to start from that meets all constraints.

        Raises ValueError if there is none.
        """
        super().find_start(seed, integer=integer)
        if self._start.objective == np.inf and not self._watch.should_stop():
            self._meet_constraints()

    def _run_heuristic(self, core: Problem, stop: Stop, seed: int, *, integer: bool) -> Outcome:
        record = fusion.RECORD if integer else gaec.RECORD
        given = {}
        if integer:
            given = {"num_threads": self._num_threads, "max_proposals": fusion.MOST_PROPOSALS}
        options = record.parse_options({**given, "initial": self._lowered_initial()})
        return run_task(record.task_for(core, options, stop.seconds, seed), stop)

    def _meet_constraints(self) -> None:
        """Find a partition that meets all constraints, whatever it costs."""
        from multicut.exact.lifted import LiftedBlockwiseSearch

        core = self._reduction.problem
        counted = Problem(
            core.edges,
            _violations(core.costs),
            core.num_nodes,
            lifted_edges=core.lifted_edges,
            lifted_costs=_violations(core.lifted_costs),
        )
        union = Union.of(counted)
        inner = Watch(Stop(self._watch.seconds_left, lambda _: self._watch.should_stop()))
        search = LiftedBlockwiseSearch(
            union,
            union.extend(self._labels),
            objective(counted, self._labels),
            inner,
            num_threads=self._num_threads,
        )
        try:
            search.run(integer=True)
        except KeyboardInterrupt:
            self._watch.stop(StopReason.INTERRUPT)
        labels = union.restrict(search.labels)
        found = objective(core, labels)
        if found < np.inf:
            self._labels = labels
            self._start = Outcome.of_labels(core, labels, trace=self._start.trace, is_sound=True)
            self._watch.improved(found + self._reduction.offset)
        elif search.is_proof_of(objective(counted, labels)):
            raise ValueError(
                "no partition meets all must-links (cost +inf) and cannot-links (cost -inf), as "
                "clusters have to be connected by edges; remove some of these constraints"
            )
        else:
            self._watch.stop(StopReason.TIME_LIMIT)

    def _blockwise_search(self) -> BlockwiseSearch:
        from multicut.exact.lifted import LiftedBlockwiseSearch

        union, reduction = self._union, self._reduction
        return LiftedBlockwiseSearch(
            union,
            union.extend(self._labels),
            objective(reduction.problem, self._labels),
            self._watch,
            offset=reduction.offset,
            error=rounded_up(union.error + reduction.error),
            bound=self._bound,
            num_threads=self._num_threads,
            work=self._work,
        )

    def _labels_of(self, search: BlockwiseSearch) -> IntArray:
        return self._union.restrict(search.labels)

    def _no_details(self) -> dict[str, int]:
        from multicut.exact.lifted import LiftedBlockwiseSearch

        return dict.fromkeys(LiftedBlockwiseSearch.counters, 0)


def _violations(costs: FloatArray) -> FloatArray:
    """Return costs that count which constraints a partition violates; others do not count."""
    return np.where(np.isinf(costs), np.sign(costs), 0.0)
