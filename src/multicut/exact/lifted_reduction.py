"""Smaller lifted problems with the same optimum.

What is right for ordinary problems may be wrong here: a node that moves to another cluster may
disconnect the one that it leaves, and so cut lifted edges far from it. These rules are right:

- Edges of both kinds are cut between sets of nodes that no attractive edge joins, if every path
  between the ends of an attractive lifted edge stays within one set. To split all clusters along
  the sets then cuts edges that cost nothing or less.
- Lifted edges between different components of the graph are cut.
- A node that has one edge only leaves or joins the cluster beyond it without harm to others.
- So does a node whose neighbours are all adjacent: what it leaves stays connected. If one of its
  edges outweighs all others at it, lifted ones included, it joins the cluster beyond that edge.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from multicut import _core
from multicut.problem import Problem
from multicut.proof import costs_of, rounded_up, step_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from multicut._arrays import BoolArray, FloatArray, IntArray

# Of sums of costs, what rounding may hide.
_ROUNDING = 1e-12
_EXACT_SUMS = 2.0**52
# Neighbourhoods of more nodes are hardly ever cliques.
_MANY_NEIGHBOURS = 20


@dataclass(frozen=True)
class LiftedCore:
    """What is left of a lifted problem; the attributes are those of a reduction."""

    problem: Problem
    node_of_input: IntArray
    offset: float
    error: float


def reduce_lifted(problem: Problem, should_stop: Callable[[], bool]) -> LiftedCore:
    """Apply all rules until none of them changes anything, or it has to stop.

    Costs are finite.
    """
    work = _Work(problem)
    while not should_stop() and (work.cut() or work.cut_leaves() or work.join()):
        pass
    return work.finish()


class _Work:
    """A lifted problem that gets smaller: edges of both kinds, ordinary ones first."""

    def __init__(self, problem: Problem) -> None:
        self._num_nodes = problem.num_nodes
        self._node_of_input: IntArray = np.arange(problem.num_nodes)
        self._edges = np.concatenate([problem.edges, problem.lifted_edges])
        self._costs = costs_of(problem).copy()
        self._is_lifted = np.arange(len(self._edges)) >= problem.num_edges
        self._dropped: list[float] = []  # costs of edges that are cut
        self._error = 0.0
        self._total = float(np.abs(self._costs).sum())
        self._is_exact = self._total < _EXACT_SUMS * step_of(self._costs)

    def finish(self) -> LiftedCore:
        """Return what is left."""
        lifted = self._is_lifted
        problem = Problem(
            self._edges[~lifted],
            self._costs[~lifted],
            self._num_nodes,
            lifted_edges=self._edges[lifted],
            lifted_costs=self._costs[lifted],
        )
        offset = math.fsum(self._dropped)
        rounding = abs(math.fsum([*self._dropped, -offset]))
        return LiftedCore(problem, self._node_of_input, offset, rounded_up(self._error + rounding))

    def cut(self) -> bool:
        """Drop edges between sets that no attractive edge joins; return whether there were any."""
        ordinary = self._edges[~self._is_lifted]
        attracts = self._costs > 0.0
        # Paths between the ends of an attractive lifted edge stay within the block that has it.
        known = ~self._is_lifted | attracts
        graph = Problem(self._edges[known], np.zeros(int(known.sum())), self._num_nodes)
        block = np.asarray(_core.blocks(graph.graph))[graph.edge_of_input]
        is_whole = np.zeros(int(block.max(initial=-1)) + 1, dtype=np.bool_)
        components = self._components(np.ones(len(ordinary), dtype=np.bool_), ordinary)
        is_connected = components[self._edges[:, 0]] == components[self._edges[:, 1]]
        is_whole[block[(self._is_lifted & attracts & is_connected)[known]]] = True
        # Edges of such a block connect all of its nodes, those that repel included.
        joins = (attracts & ~self._is_lifted)[known] | (is_whole[block] & ~self._is_lifted[known])
        sets = self._components(joins, self._edges[known])
        is_cut = sets[self._edges[:, 0]] != sets[self._edges[:, 1]]
        return self._drop((is_cut & ~attracts) | (self._is_lifted & ~is_connected))

    def cut_leaves(self) -> bool:
        """Drop the edges of nodes that have one edge only, if they would rather be alone."""
        degree, _, attraction = self._at_nodes()
        ordinary = np.flatnonzero(~self._is_lifted)
        is_cut = np.zeros(len(self._edges), dtype=np.bool_)
        for side in range(2):
            ends = self._edges[ordinary, side]
            others = attraction[ends] - np.maximum(self._costs[ordinary], 0.0)
            is_alone = self._is_less(others, -self._costs[ordinary])
            is_cut[ordinary[(degree[ends] == 1) & is_alone]] = True
        return self._drop(is_cut)

    def join(self) -> bool:
        """Contract edges that outweigh all others at a node that may move."""
        degree, sizes, _ = self._at_nodes()
        repulsion = self._sum_at_nodes(np.maximum(-self._costs, 0.0))
        neighbourhoods = _Neighbourhoods(self._edges[~self._is_lifted], self._num_nodes)
        chosen: list[int] = []
        is_taken = np.zeros(self._num_nodes, dtype=np.bool_)
        moves = np.zeros(self._num_nodes, dtype=np.bool_)
        candidates = np.flatnonzero(~self._is_lifted & (self._costs > 0.0))
        totals = self._costs_of_pairs()[candidates]
        for side in range(2):
            node, target = self._edges[candidates, side], self._edges[candidates, 1 - side]
            # A leaf is alone if it is not with its neighbour, so attraction to others is in vain.
            others = np.where(
                degree[node] == 1,
                repulsion[node] - np.maximum(-totals, 0.0),
                sizes[node] - np.abs(totals),
            )
            for i in np.flatnonzero(self._is_less(others, totals)).tolist():
                u, v = int(node[i]), int(target[i])
                # Nodes that move, and those that they move to, must not move themselves.
                if is_taken[u] or moves[v] or not neighbourhoods.is_clique(u):
                    continue
                is_taken[u] = is_taken[v] = moves[u] = True
                chosen.append(int(candidates[i]))
        if not chosen:
            return False
        self._contract(np.array(chosen))
        return True

    def _is_less(self, small: FloatArray, large: FloatArray) -> BoolArray:
        """Whether sums are no more than others, which are positive, whatever rounding did."""
        margin = 0.0 if self._is_exact else _ROUNDING * self._total + self._error
        is_less: BoolArray = np.maximum(small, 0.0) + margin <= large
        return is_less & (large > 0.0)

    def _at_nodes(self) -> tuple[IntArray, FloatArray, FloatArray]:
        """Return degrees, and sums of |costs| and of attraction of edges of both kinds."""
        ordinary = self._edges[~self._is_lifted].ravel()
        degree = np.bincount(ordinary, minlength=self._num_nodes).astype(np.int64)
        sizes = self._sum_at_nodes(np.abs(self._pair_shares()))
        return degree, sizes, self._sum_at_nodes(np.maximum(self._costs, 0.0))

    def _sum_at_nodes(self, values: FloatArray) -> FloatArray:
        sums = np.bincount(self._edges.ravel(), np.repeat(values, 2), self._num_nodes)
        return sums.astype(np.float64)

    def _pair_shares(self) -> FloatArray:
        """Return costs whose |sum| over parallel edges is what the pair of nodes counts for."""
        totals = self._costs_of_pairs()
        is_first = np.zeros(len(totals), dtype=np.bool_)
        is_first[np.unique(self._keys(), return_index=True)[1]] = True
        return np.where(is_first, totals, 0.0)

    def _keys(self) -> IntArray:
        keys: IntArray = self._edges.min(axis=1) * self._num_nodes + self._edges.max(axis=1)
        return keys

    def _costs_of_pairs(self) -> FloatArray:
        """Return, for each edge, what all edges between its ends cost together."""
        _, pair = np.unique(self._keys(), return_inverse=True)
        totals = np.bincount(pair, self._costs).astype(np.float64)
        return totals[pair]

    def _components(self, joins: BoolArray, edges: IntArray) -> IntArray:
        graph = Problem(edges[joins], np.zeros(int(joins.sum())), self._num_nodes).graph
        return np.asarray(_core.connected_components(graph, np.zeros(graph.num_edges, np.bool_)))

    def _drop(self, is_cut: BoolArray) -> bool:
        if not is_cut.any():
            return False
        self._dropped += self._costs[is_cut].tolist()
        self._keep(~is_cut)
        return True

    def _keep(self, keeps: BoolArray) -> None:
        self._edges, self._costs = self._edges[keeps], self._costs[keeps]
        self._is_lifted = self._is_lifted[keeps]

    def _contract(self, chosen: IntArray) -> None:
        joins = np.zeros(len(self._edges), dtype=np.bool_)
        joins[chosen] = True
        node_of = self._components(joins, self._edges)
        self._node_of_input = node_of[self._node_of_input]
        self._num_nodes = int(node_of.max()) + 1
        self._edges = np.sort(node_of[self._edges], axis=1)
        self._keep(self._edges[:, 0] != self._edges[:, 1])
        # Edges of one kind are merged; the two kinds stay apart.
        keys = self._keys() * 2 + self._is_lifted
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        totals = np.bincount(group, self._costs).astype(np.float64)
        order = np.argsort(group, kind="stable")
        of_groups = np.split(self._costs[order], np.cumsum(np.bincount(group))[:-1])
        for i in np.flatnonzero(np.bincount(group) > 1).tolist():
            terms = of_groups[i].tolist()
            totals[i] = math.fsum(terms)
            self._error += abs(math.fsum([*terms, -float(totals[i])]))
        order = np.argsort(first, kind="stable")
        self._edges, self._is_lifted = self._edges[first][order], self._is_lifted[first][order]
        self._costs = totals[order]


class _Neighbourhoods:
    """The neighbours of each node."""

    def __init__(self, edges: IntArray, num_nodes: int) -> None:
        ends = np.concatenate([edges, edges[:, ::-1]])
        ends = ends[np.argsort(ends[:, 0], kind="stable")]
        self._neighbours = ends[:, 1]
        self._offsets = np.searchsorted(ends[:, 0], np.arange(num_nodes + 1))

    def is_clique(self, node: int) -> bool:
        """Whether all neighbours of a node are adjacent to each other; False if these are many."""
        near = self._of(node)
        if len(near) <= 1 or len(near) > _MANY_NEIGHBOURS:
            return len(near) <= 1
        adjacent = sum(int(np.isin(self._of(other), near).sum()) for other in near.tolist())
        return adjacent == len(near) * (len(near) - 1)

    def _of(self, node: int) -> IntArray:
        return self._neighbours[self._offsets[node] : self._offsets[node + 1]]
