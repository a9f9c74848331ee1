"""A lower bound of the whole from bounds of blocks, each of which gets a share of the costs.

Cycles are packed into the edges inside a block, and prove a lower bound for these. What the packing
leaves of the costs of edges near the border goes on to the larger block that contains it, together
with the edges between its blocks, where more cycles are packed. Lifted edges count as ordinary
ones: clusters that need not be connected can only cost less. So costs are divided among all
blocks of all levels, and the sum of their bounds is a bound of the whole.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from multicut import _core
from multicut._arrays import FloatArray, IntArray
from multicut.distributed.block_edges import costs_beside_cannot_links, read_block, regroup
from multicut.distributed.edges import BlockEdges, Edges
from multicut.distributed.graph_steps import is_near
from multicut.distributed.plan import Plan
from multicut.distributed.stages import Summary, load_arrays, save_arrays

# What is left of edges within so many steps of the border goes on to the next level.
_STEPS = 1
# Cycles are packed into at most so many edges at once, which limits the memory.
_MOST_EDGES = 8_000_000


def bound_stage_of(level: int, rounds: int) -> str:
    """Return the name of the stage that bounds a level in so many rounds."""
    return f"bound level {level} in {rounds} rounds"


def bound_block(folder: str, level: int, rounds: int, block: int) -> Summary:
    """Pack cycles into a block of a level; return its share of the bound, rounded down."""
    place, plan = Path(folder), Plan.load(Path(folder))
    is_last = level == plan.node_blocks.num_levels - 1
    inner, cross, sure = _edges_of(place, plan, level, rounds, block)
    inner, penalties = _with_finite_costs(inner)
    terms = [sure, penalties]
    kept = Edges.none()
    for start in range(0, len(inner), _MOST_EDGES):
        chosen = slice(start, start + _MOST_EDGES)
        part = Edges(inner.u[chosen], inner.v[chosen], inner.cost[chosen])
        problem = part.to_problem()
        bound, left = _core.pack_and_keep(problem.graph, problem.costs, max_rounds=rounds)
        terms.append(np.array([bound]))
        if is_last:
            continue
        near = is_near(problem.edges, np.isin(problem.node_ids, cross.u), _STEPS)
        goes_on = near[problem.edges[:, 0]] & near[problem.edges[:, 1]] & (left > 0)
        # The bound counts all repulsive costs; those that go on count there.
        terms.append(left[goes_on & (part.cost < 0)])
        rest = Edges(part.u, part.v, np.copysign(left, part.cost)).where(goes_on)
        kept = Edges.together([kept, rest])
    if not is_last:
        file = place / bound_stage_of(level, rounds) / f"{block:05d}.npz"
        save_arrays(file, **kept.to_arrays("inner"), **cross.to_arrays("cross"))
    return {"lower_bound": sum_down(np.concatenate(terms)), "num_edges": len(inner)}


def sum_down(terms: FloatArray | list[float]) -> float:
    """Return a sum that is not larger than the exact one."""
    exact = math.fsum(np.asarray(terms).tolist())
    return exact if exact == 0 else math.nextafter(exact, -math.inf)


def _edges_of(
    place: Path, plan: Plan, level: int, rounds: int, block: int
) -> tuple[Edges, Edges, FloatArray]:
    """Return edges inside a block, with what is left of their costs, and those that lead out.

    Returns sure costs, too, which are not among those of the edges.
    """
    if level == 0:
        return _union(read_block(place, block))
    inner, cross = [], []
    for child in plan.node_blocks.children(level, block):
        arrays = load_arrays(place / bound_stage_of(level - 1, rounds) / f"{child:05d}.npz")
        inner.append(Edges.of_arrays(arrays, "inner"))
        cross.append(Edges.of_arrays(arrays, "cross"))
    ancestors = plan.node_blocks.ancestors(level)
    both, leading_out = regroup(
        inner, cross, lambda nodes: ancestors[plan.node_blocks.block_of(nodes)] == block
    )
    if len(both) > _MOST_EDGES:  # so that parts of them are neighbours
        order = np.argsort(both.u, kind="stable")
        both = Edges(both.u[order], both.v[order], both.cost[order])
    return both, leading_out, np.zeros(0)


def _union(edges: BlockEdges) -> tuple[Edges, Edges, FloatArray]:
    """Put ordinary and lifted edges together, since a bound of the union holds for both kinds.

    Returns those inside, those that lead out, and sure costs.
    """
    if len(edges.lifted) + len(edges.lifted_cross) == 0:
        return edges.inner, edges.cross, np.zeros(0)
    parts, terms = [], []
    for both in (
        Edges.together([edges.inner, edges.lifted]),
        Edges.together([edges.cross, edges.lifted_cross]),
    ):
        merged = both.merged()
        parts.append(merged)
        # Those that lead out come twice; the block in front counts what is sure.
        is_first = np.ones(len(both), np.bool_) if len(parts) == 1 else both.u < both.v
        terms.append(np.array(costs_beside_cannot_links(both.where(is_first))))
        # A sum of two costs is rounded by half a unit in its last place at most.
        sums = merged.cost[np.isfinite(merged.cost)] if len(merged) < len(both) else np.zeros(0)
        terms.append(-np.abs(sums) * 2.0**-53)
    return parts[0], parts[1], np.concatenate(terms)


def _with_finite_costs(edges: Edges) -> tuple[Edges, FloatArray]:
    """Replace cannot-links by repulsive costs, and return by how much that lowers the optimum.

    A cannot-link is cut in any case. So a cost of -c there lowers the objective by c, for any c; as
    much as the attractive edges of one of its ends cost is all that cycles can use.
    """
    is_link = np.isneginf(edges.cost)
    if not is_link.any():
        return edges, np.zeros(0)
    problem_nodes, ends = _numbered(edges)
    attractive = np.maximum(edges.cost, 0)
    at_node = np.bincount(ends.ravel(), np.repeat(attractive, 2), minlength=len(problem_nodes))
    penalties = np.minimum(at_node[ends[is_link, 0]], at_node[ends[is_link, 1]])
    costs = edges.cost.copy()
    costs[is_link] = -penalties
    return Edges(edges.u, edges.v, costs), penalties


def _numbered(edges: Edges) -> tuple[IntArray, IntArray]:
    """Return the nodes of edges, and the position of each end among them."""
    nodes, positions = np.unique(np.stack([edges.u, edges.v], axis=1), return_inverse=True)
    return nodes, positions.reshape(-1, 2)
