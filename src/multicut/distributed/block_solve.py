"""One block of one level: solve it, and contract what its solution joins."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from multicut._arrays import BoolArray, IntArray
from multicut._threads import available_processors
from multicut.distributed.block_edges import read_block
from multicut.distributed.edges import Edges
from multicut.distributed.graph_steps import has_flagged_end, is_near
from multicut.distributed.plan import Plan
from multicut.distributed.stages import Summary, load_arrays, map_array, save_array, save_arrays
from multicut.partition import labels_of_cut
from multicut.problem import Problem
from multicut.solve import solve
from multicut.solvers import get_solver


def stage_of(level: int) -> str:
    """Return the name of the stage that solves a level."""
    return f"solve level {level}"


class Joins:
    """Which nodes of a level became part of which others, by block of that level.

    A cluster is represented by its first node. Nodes that are missing did not change.
    """

    def __init__(self, folder: Path, plan: Plan, level: int) -> None:
        self._folder = folder / stage_of(level)
        self._ancestors = plan.node_blocks.ancestors(level)
        self._node_blocks = plan.node_blocks

    def write(self, block: int, nodes: IntArray, firsts: IntArray) -> None:
        """Save the joins of a block, nodes ascending."""
        save_array(self._file(block), np.stack([nodes, firsts]))

    def _file(self, block: int) -> Path:
        return self._folder / f"{block:05d}.joins.npy"

    def apply_in(self, block: int, nodes: IntArray) -> IntArray:
        """Return what represents nodes of one block afterwards."""
        changed, firsts = map_array(self._file(block))
        if len(changed) == 0 or len(nodes) == 0:
            return nodes
        places = np.minimum(np.searchsorted(changed, nodes), len(changed) - 1)
        return np.where(changed[places] == nodes, firsts[places], nodes)

    def apply(self, nodes: IntArray) -> IntArray:
        """Return what represents any nodes afterwards."""
        blocks = self._ancestors[self._node_blocks.block_of(nodes)]
        found = nodes.copy()
        for block in np.unique(blocks).tolist():
            chosen = blocks == block
            found[chosen] = self.apply_in(block, nodes[chosen])
        return found


def solve_block(folder: str, level: int, block: int) -> Summary:
    """Solve a block of a level, contract what is joined inside it, and keep what stays open."""
    place = Path(folder)
    plan = Plan.load(place)
    inner, cross = _open_edges(place, plan, level, block)
    is_last = level == plan.node_blocks.num_levels - 1
    start = time.perf_counter()
    joins = Joins(place, plan, level)
    summary: Summary = {"num_inner": len(inner), "num_cross": len(cross)}
    if len(inner) == 0:
        joins.write(block, np.zeros(0, np.int64), np.zeros(0, np.int64))
        _keep(place, level, block, Edges.none(), cross)
        return summary | {"num_nodes": 0, "num_clusters": 0, "num_kept": 0, "seconds": 0.0}
    problem = inner.to_problem()
    result = solve(
        problem,
        plan.solver,
        plan.time_limit,
        plan.seed_of(level, block),
        **_options_for(plan, is_last),
    )
    if result.stopped_by == "interrupt":
        # Its best solution so far is not what an undisturbed run would give.
        raise KeyboardInterrupt
    stays_cut = result.cut.copy()
    if plan.scheme.margin > 0 and not is_last:
        near = is_near(problem.edges, _outer(problem, cross), plan.scheme.margin - 1)
        stays_cut |= has_flagged_end(near, problem.edges)
    clusters = labels_of_cut(problem, stays_cut)
    # Canonical labels: a cluster's first node is its least one.
    firsts = problem.node_ids[np.unique(clusters, return_index=True)[1]][clusters]
    changed = firsts != problem.node_ids
    joins.write(block, problem.node_ids[changed], firsts[changed])
    kept = Edges.none()
    if not is_last:
        left = Edges(*_contracted(inner, problem, firsts)).merged()
        cross = Edges(*_first_contracted(cross, problem, firsts)).merged()
        kept = _still_open(left, cross, plan.scheme.settles)
        _keep(place, level, block, kept, cross)
    return summary | {
        "num_nodes": problem.num_nodes,
        "num_clusters": int(clusters.max()) + 1,
        "num_kept": len(kept),
        "seconds": time.perf_counter() - start,
    }


def _options_for(plan: Plan, is_last: bool) -> dict[str, Any]:
    """Return the options of the solver: blocks run beside each other, the last one alone."""
    options = dict(plan.options)
    if "num_threads" in get_solver(plan.solver).option_defaults:
        options.setdefault("num_threads", available_processors() if is_last else 1)
    return options


def _open_edges(place: Path, plan: Plan, level: int, block: int) -> tuple[Edges, Edges]:
    """Return the edges inside a block, contracted so far, and those that lead out of it."""
    if level == 0:
        return read_block(place, block)
    inner, cross = [], []
    for child in plan.node_blocks.children(level, block):
        arrays = load_arrays(place / stage_of(level - 1) / f"{child:05d}.npz")
        inner.append(Edges.of_arrays(arrays, "inner"))
        cross.append(Edges.of_arrays(arrays, "cross"))
    leading_out = Edges.together(cross)
    others = Joins(place, plan, level - 1).apply(leading_out.v)
    edges = Edges(leading_out.u, others, leading_out.cost)
    blocks = plan.node_blocks.ancestors(level)[plan.node_blocks.block_of(edges.v)]
    is_inside = blocks == block
    # Both children know the edges between them.
    between = edges.where(is_inside & (edges.u < edges.v)).merged()
    return Edges.together([*inner, between]), edges.where(~is_inside).merged()


def _keep(place: Path, level: int, block: int, inner: Edges, cross: Edges) -> None:
    file = place / stage_of(level) / f"{block:05d}.npz"
    save_arrays(file, **inner.to_arrays("inner"), **cross.to_arrays("cross"))


def _firsts_of(nodes: IntArray, problem: Problem, firsts: IntArray) -> IntArray:
    """Return what represents nodes that may be missing in the problem."""
    ids = problem.node_ids
    places = np.minimum(np.searchsorted(ids, nodes), len(ids) - 1)
    return np.where(ids[places] == nodes, firsts[places], nodes)


def _contracted(edges: Edges, problem: Problem, firsts: IntArray) -> tuple[Any, Any, Any]:
    u, v = (_firsts_of(nodes, problem, firsts) for nodes in (edges.u, edges.v))
    kept = u != v
    return u[kept], v[kept], edges.cost[kept]


def _first_contracted(edges: Edges, problem: Problem, firsts: IntArray) -> tuple[Any, Any, Any]:
    return _firsts_of(edges.u, problem, firsts), edges.v, edges.cost


def _outer(problem: Problem, cross: Edges) -> BoolArray:
    """Flag the nodes with an edge that leads out of the block."""
    return np.isin(problem.node_ids, cross.u)


def _still_open(inner: Edges, cross: Edges, settles: int | None) -> Edges:
    """Return the edges between clusters that larger blocks may still join.

    These are clusters with an edge that leads out or that attracts, and those within some steps.
    """
    if settles is None or len(inner) == 0:
        return inner
    problem = inner.to_problem()
    ends = problem.edges
    is_open = _outer(problem, cross)
    is_open[ends[inner.cost > 0].ravel()] = True
    near = is_near(ends, is_open, settles)
    return inner.where(near[ends[:, 0]] & near[ends[:, 1]])
