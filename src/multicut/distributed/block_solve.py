"""One block of one level: solve it, and contract what its solution joins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from multicut._arrays import BoolArray, IntArray
from multicut._threads import available_processors
from multicut.distributed.block_edges import read_block, regroup
from multicut.distributed.edges import BlockEdges, Edges, is_among
from multicut.distributed.graph_steps import has_flagged_end, is_near
from multicut.distributed.plan import Plan
from multicut.distributed.stages import Summary, map_array, save_array
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
    edges = _open_edges(place, plan, level, block)
    is_last = level == plan.node_blocks.num_levels - 1
    joins = Joins(place, plan, level)
    summary: Summary = {
        "num_inner": len(edges.inner),
        "num_cross": len(edges.cross),
        "num_lifted": len(edges.lifted),
    }
    if len(edges.inner) == 0:
        joins.write(block, np.zeros(0, np.int64), np.zeros(0, np.int64))
        _keep(place, level, block, edges)
        return summary | {"num_nodes": 0, "num_clusters": 0, "num_kept": 0}
    problem = edges.inner.to_problem(edges.lifted)
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
        near = is_near(problem.edges, _outer(problem, edges), plan.scheme.margin - 1)
        stays_cut |= has_flagged_end(near, problem.edges)
    clusters = labels_of_cut(problem, stays_cut)
    # Canonical labels: a cluster's first node is its least one.
    firsts = problem.node_ids[np.unique(clusters, return_index=True)[1]][clusters]
    changed = firsts != problem.node_ids
    joins.write(block, problem.node_ids[changed], firsts[changed])
    num_kept = 0
    if not is_last:
        contracted = BlockEdges(
            *(
                contract(part, problem.node_ids, firsts).merged()
                for contract, part in zip((_contracted, _first_contracted) * 2, edges, strict=True)
            )
        )
        kept = _still_open(contracted, plan.scheme.settles)
        _keep(place, level, block, kept)
        num_kept = len(kept.inner)
    return summary | {
        "num_nodes": problem.num_nodes,
        "num_clusters": int(clusters.max()) + 1,
        "num_kept": num_kept,
    }


def _options_for(plan: Plan, is_last: bool) -> dict[str, Any]:
    """Return the options of the solver: blocks run beside each other, the last one alone."""
    options = dict(plan.options)
    if "num_threads" in get_solver(plan.solver).option_defaults:
        options.setdefault("num_threads", available_processors() if is_last else 1)
    return options


def _open_edges(place: Path, plan: Plan, level: int, block: int) -> BlockEdges:
    """Return the edges of a block, contracted so far."""
    if level == 0:
        return read_block(place, block)
    children = [
        BlockEdges.load(_kept_file(place, level - 1, child))
        for child in plan.node_blocks.children(level, block)
    ]
    joins = Joins(place, plan, level - 1)
    ancestors = plan.node_blocks.ancestors(level)

    def put_together(inner: list[Edges], cross: list[Edges]) -> tuple[Edges, Edges]:
        current = [Edges(part.u, joins.apply(part.v), part.cost) for part in cross]
        return regroup(
            inner, current, lambda nodes: ancestors[plan.node_blocks.block_of(nodes)] == block
        )

    inner, cross, lifted, lifted_cross = map(list, zip(*children, strict=True))
    return BlockEdges(*put_together(inner, cross), *put_together(lifted, lifted_cross))


def _kept_file(place: Path, level: int, block: int) -> Path:
    return place / stage_of(level) / f"{block:05d}.npz"


def _keep(place: Path, level: int, block: int, edges: BlockEdges) -> None:
    edges.save(_kept_file(place, level, block))


def _firsts_of(nodes: IntArray, known: IntArray, firsts: IntArray) -> IntArray:
    """Return what represents nodes, some of which may be unknown and have not changed."""
    places = np.minimum(np.searchsorted(known, nodes), len(known) - 1)
    return np.where(known[places] == nodes, firsts[places], nodes)


def _contracted(edges: Edges, known: IntArray, firsts: IntArray) -> Edges:
    u, v = (_firsts_of(nodes, known, firsts) for nodes in (edges.u, edges.v))
    return Edges(u, v, edges.cost).where(u != v)


def _first_contracted(edges: Edges, known: IntArray, firsts: IntArray) -> Edges:
    return Edges(_firsts_of(edges.u, known, firsts), edges.v, edges.cost)


def _outer(problem: Problem, edges: BlockEdges) -> BoolArray:
    """Flag the nodes with an edge that leads out of the block."""
    return np.isin(problem.node_ids, edges.cross.u)


def _still_open(edges: BlockEdges, settles: int | None) -> BlockEdges:
    """Return the edges between clusters that larger blocks may still join.

    These are clusters with an edge that leads out or that attracts, and those within some steps.
    """
    inner = edges.inner
    if settles is None or len(inner) == 0:
        return edges
    problem = inner.to_problem()
    ends = problem.edges
    is_open = _outer(problem, edges)
    # Lifted edges count where they are parallel to others; the latter come first.
    costs = Edges.together([inner, edges.lifted]).merged().cost[: len(inner)]
    is_open[ends[costs > 0].ravel()] = True
    near = is_near(ends, is_open, settles)
    kept = inner.where(near[ends[:, 0]] & near[ends[:, 1]])
    if len(edges.lifted) + len(edges.lifted_cross) == 0:
        return edges._replace(inner=kept)
    # The others are never joined with anything, so their lifted edges are cut.
    alive = np.union1d(problem.node_ids[near], edges.cross.u)
    lifted, lifted_cross = edges.lifted, edges.lifted_cross
    return edges._replace(
        inner=kept,
        lifted=lifted.where(is_among(alive, lifted.u) & is_among(alive, lifted.v)),
        lifted_cross=lifted_cross.where(is_among(alive, lifted_cross.u)),
    )
