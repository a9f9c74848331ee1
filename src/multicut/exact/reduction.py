"""Smaller problems with the same optimum, and how to get back from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from multicut import _core
from multicut._arrays import frozen, plain
from multicut._words import count
from multicut.partition import as_labels, canonical, objective
from multicut.problem import Problem, check_problem
from multicut.proof import PRECISION, costs_of, rounding_of, size_of_most, smallest_cost
from multicut.stop import Stop, StopReason
from multicut.watch import Watch

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from multicut._arrays import IntArray

# Of what proofs are allowed to leave open, the share that the rounding of a reduction may take.
_MOST_SHARE = 0.1
_FEW_EDGES = 100_000


@dataclass(frozen=True, eq=False, repr=False)
class Reduction:
    """A smaller problem with the same optimum.

    Attributes
    ----------
    problem
        The smaller problem.
    node_of_input
        The node of the smaller problem that each node of the original became.
    offset
        What the edges that are cut for sure cost; lifted labels cost so much more than the
        smaller problem says.
    error
        What rounding may have changed, at most: no partition of the original costs less than the
        optimum of the smaller problem plus the offset, less this. It is 0 where all sums of costs
        are exact, as those of integers are.
    """

    problem: Problem
    node_of_input: IntArray
    offset: float = 0.0
    error: float = 0.0

    @classmethod
    def trivial(cls, problem: Problem) -> Self:
        """Leave a problem as it is."""
        return cls(problem, frozen(np.arange(problem.num_nodes)))

    @classmethod
    def of_native(cls, reduced: _core.Reduced) -> Self:
        """Take what the native core has found."""
        graph = reduced.graph
        problem = Problem(graph.edges(), reduced.costs, num_nodes=graph.num_nodes)
        return cls(problem, frozen(plain(reduced.node_of_input)), reduced.offset, reduced.error)

    def hides(self, original: Problem, value: float) -> bool:
        """Whether rounding has changed too much for a proof that an objective is optimal."""
        if self.error == 0.0:
            return False
        costs = costs_of(original)
        if self.error <= _MOST_SHARE * rounding_of(costs):
            return False
        if self.error > _MOST_SHARE * PRECISION * abs(value):
            return True
        # Small costs beside large ones matter, too; on large problems it takes long to tell.
        return len(costs) <= _FEW_EDGES and bool(
            self.error > _MOST_SHARE * PRECISION * size_of_most(costs, smallest_cost(costs), 0.1)
        )

    def __repr__(self) -> str:
        small = self.problem
        before = count(len(self.node_of_input), "node")
        after = f"{count(small.num_nodes, 'node')}, {count(small.num_edges, 'edge')}"
        return f"Reduction({before} to {after}; offset {self.offset:.6g})"

    def lower(self, labels: ArrayLike) -> IntArray:
        """Turn labels of the original's nodes into labels of the smaller problem's.

        Where nodes of several labels became one, it gets the label of the first.
        """
        own = as_labels(labels, len(self.node_of_input))
        lowered = np.zeros(self.problem.num_nodes, dtype=np.int64)
        lowered[self.node_of_input[::-1]] = own[::-1]
        return canonical(lowered)

    def lift(self, labels: ArrayLike) -> IntArray:
        """Turn labels of the smaller problem's nodes into labels of the original's."""
        own = as_labels(labels, self.problem.num_nodes)
        return canonical(own[self.node_of_input])


def reduce(problem: Problem) -> Reduction:
    """Contract edges that some optimal partition joins, and drop those that it cuts.

    Edges are contracted if they outweigh all others at one of their ends, if two edges of a
    triangle do so at both ends of one, or if they outweigh all others of a cut between their ends;
    edges between different components of the attractive edges are dropped. This is repeated until
    nothing changes. Optimal labels of the smaller problem, lifted, are optimal for the original.
    Problems with must-links or cannot-links come back as they are.

    If there are lifted edges, fewer edges can be told: to move a node to another cluster may
    disconnect the one that it leaves, and so cut lifted edges far from it. Then edges are
    contracted if they outweigh all others, lifted ones included, at a node that has no other edge
    or whose neighbours are all adjacent to each other. Edges are dropped between sets of nodes that
    no attractive edge joins, nor a path between the ends of an attractive lifted edge, and so are
    lifted edges between different components of the graph.
    """
    check_problem(problem)
    reduction, stopped_by = reduce_until(problem, Stop())
    if stopped_by is StopReason.INTERRUPT:
        raise KeyboardInterrupt
    return reduction


def reduce_until(problem: Problem, stop: Stop) -> tuple[Reduction, StopReason]:
    """Reduce until there is nothing more to do or it has to stop; return that and why it ended.

    Until there is a better partition, the callback hears the objective of that into single nodes.
    """
    if not can_be_reduced(problem):
        return Reduction.trivial(problem), StopReason.CONVERGED
    if problem.is_lifted:
        return _reduce_lifted_until(problem, stop)
    reduced = _core.reduce(
        problem.graph, problem.costs, time_limit=stop.seconds, callback=stop.native_callback
    )
    stopped_by = StopReason(reduced.stopped_by)
    if stopped_by in (StopReason.INTERRUPT, StopReason.CALLBACK):
        return Reduction.trivial(problem), stopped_by  # who waits has no use for a smaller problem
    return Reduction.of_native(reduced), stopped_by


def _reduce_lifted_until(problem: Problem, stop: Stop) -> tuple[Reduction, StopReason]:
    from multicut.exact.lifted_reduction import reduce_lifted

    watch = Watch(stop)
    watch.improved(objective(problem, np.arange(problem.num_nodes)))
    try:
        core = reduce_lifted(problem, watch.should_stop)
    except KeyboardInterrupt:
        return Reduction.trivial(problem), StopReason.INTERRUPT
    nodes = frozen(core.node_of_input)
    return Reduction(core.problem, nodes, core.offset, core.error), watch.stopped_by


def can_be_reduced(problem: Problem) -> bool:
    """Whether a problem has neither must-links nor cannot-links."""
    return bool(np.isfinite(costs_of(problem)).all())
