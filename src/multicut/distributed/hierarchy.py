"""Hierarchical solving: blocks first, then blocks of what is left, until one block is left."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._arrays import FloatArray
from multicut._checks import check_number, check_seed
from multicut.distributed import block_edges
from multicut.distributed.block_bound import bound_block, bound_stage_of, sum_down
from multicut.distributed.block_edges import LIFTED, ORDINARY, Links, Slices, read_block
from multicut.distributed.block_solve import Joins, solve_block, stage_of
from multicut.distributed.edges import Edges
from multicut.distributed.node_blocks import NodeBlocks
from multicut.distributed.plan import Plan, Scheme
from multicut.distributed.stages import Report, Summary, map_array, run_stage, save_array
from multicut.distributed.tables import EdgeTable, NodeValues
from multicut.solvers import check_takes_lifted, get_solver

if TYPE_CHECKING:
    from distributed import Client

_NUMBER = "number clusters"
_LABEL = "label nodes"
_EVALUATE = "evaluate"


class ContradictionError(ValueError):
    """Nodes that must not be linked, but are joined by must-links."""

    def __init__(self, u: int, v: int) -> None:
        super().__init__(
            f"nodes {u} and {v} must not be linked (cost -inf), but must-links (cost +inf) join "
            f"them; remove one of these constraints"
        )
        self.u, self.v = u, v

    def __reduce__(self) -> tuple[type[ContradictionError], tuple[int, int]]:
        return ContradictionError, (self.u, self.v)


@dataclass(frozen=True, eq=False)
class Hierarchical:
    """What a hierarchical solve found.

    Attributes
    ----------
    labels
        The cluster of each node, ``0 … num_clusters-1`` in order of first appearance, in files.
    objective
        The sum of the costs of cut edges, from the table and the labels.
    num_clusters, num_edges, num_lifted_edges
        Edges after contracting must-links, merging duplicates and dropping self-loops.
    num_cut
        Of the edges that are not lifted, how many are cut.
    lower_bound
        No partition costs less; None if no bound was asked for.
    levels
        For each level the summaries of its blocks, as solved.
    stages
        The summaries of all tasks, by stage.
    """

    labels: NodeValues
    objective: float
    num_clusters: int
    num_edges: int
    num_lifted_edges: int
    num_cut: int
    lower_bound: float | None
    levels: Sequence[Sequence[Summary]] = field(repr=False)
    stages: Mapping[str, Sequence[Summary]] = field(repr=False)


def solve_hierarchically(
    edges: EdgeTable,
    node_blocks: NodeBlocks,
    *,
    lifted_edges: EdgeTable | None = None,
    solver: str = "klj",
    workspace: Path,
    client: Client | None = None,
    time_limit: float | None = None,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    scheme: Scheme | None = None,
    bound_rounds: int | None = None,
    report: Report | None = None,
) -> Hierarchical:
    """Solve a problem block by block, and what is left of it level by level.

    Each block of level 0 is solved by itself, and what its solution joins is contracted. Blocks are
    then joined to larger ones, which are solved in the same way, until one block is left. The
    result does not depend on the client, on the order of work or on interruptions, unless
    a time limit ends a solver.

    Parameters
    ----------
    edges
        The graph and its costs.
    node_blocks
        Which nodes belong to which block, and how blocks are joined.
    lifted_edges
        Lifted edges, if there are any; they connect nothing. Those inside a block are part of its
        problem, others wait for a larger one.
    solver, time_limit, seed, options
        As for :func:`multicut.solve`; the limit is for each block.
    workspace
        A folder for files between stages, which is made if it does not exist. If it holds files of
        the same solve, that goes on where it was. Workers need it, and the edges, under the
        same paths.
    client
        A client of Dask; None works in this process.
    scheme
        How blocks are solved and joined.
    bound_rounds
        To compute a lower bound, too, the rounds of its search; each raises it by less.
    report
        Called as ``report(stage, done, total)`` whenever a task is done.
    """
    record = get_solver(solver)
    record.parse_options(options or {})
    check_takes_lifted(record, is_lifted=lifted_edges is not None)
    plan = Plan(
        EdgeTable(edges.folder.resolve(), edges.num_chunks),
        None
        if lifted_edges is None
        else EdgeTable(lifted_edges.folder.resolve(), lifted_edges.num_chunks),
        node_blocks,
        solver,
        None if time_limit is None else check_number(0, time_limit=time_limit),
        check_seed(seed),
        dict(options or {}),
        scheme or Scheme(),
    )
    with plan.working_in(workspace) as folder:
        stages = _Stages(folder, plan, client, report)
        absorbed = [summary["absorbed"] for summary in stages.sort_edges()]
        levels = [stages.solve(level) for level in range(node_blocks.num_levels)]
        lower_bound = None
        if bound_rounds is not None:
            bounds = [
                part["lower_bound"]
                for level in range(node_blocks.num_levels)
                for part in stages.bound(level, bound_rounds)
            ]
            # Each of these is the nearest number to an exact sum.
            sure = [math.nextafter(cost, -math.inf) for cost in absorbed if cost != 0]
            lower_bound = sum_down([*bounds, *sure])
        num_clusters = stages.label()
        parts = stages.run(_EVALUATE, evaluate_block, _blocks(node_blocks.num_blocks))
    return Hierarchical(
        labels=plan.labels(folder),
        objective=math.fsum([*(part["objective"] for part in parts), *absorbed]),
        num_clusters=num_clusters,
        num_edges=sum(part["num_edges"] for part in parts),
        num_lifted_edges=sum(part["num_lifted_edges"] for part in parts),
        num_cut=sum(part["num_cut"] for part in parts),
        lower_bound=lower_bound,
        levels=levels,
        stages=stages.taken,
    )


def _blocks(number: int, *arguments: Any) -> list[tuple[str, tuple[Any, ...]]]:
    """Return one task for each block."""
    return [(f"{block:05d}", (*arguments, block)) for block in range(number)]


@dataclass(frozen=True)
class _Stages:
    """The stages of a solve in its folder."""

    folder: Path
    plan: Plan
    client: Client | None
    report: Report | None
    taken: dict[str, list[Summary]] = field(default_factory=dict)

    def run(self, stage: str, function: Any, tasks: Any) -> list[Summary]:
        summaries = run_stage(
            self.folder, stage, function, tasks, client=self.client, report=self.report
        )
        self.taken[stage] = summaries
        return summaries

    def sort_edges(self) -> list[Summary]:
        """Divide the edges among blocks; return the summaries of blocks."""
        found = {kind: self._sort(kind, is_linked=False) for kind in self._kinds()}
        linked = [i for i, summary in enumerate(found[ORDINARY]) if summary["num_links"] > 0]
        if linked:
            self.run(block_edges.FIND_LINKS, block_edges.find_links, [("all", (linked,))])
            found = {kind: self._sort(kind, is_linked=True) for kind in self._kinds()}
            for summary in itertools.chain(*found.values()):
                if "contradiction" in summary:
                    raise ContradictionError(*summary["contradiction"])
        slices = self._slices(found[ORDINARY])
        lifted = self._slices(found.get(LIFTED, []))
        tasks = [
            (f"{block:05d}", (block, bool(linked), slices[block], lifted[block]))
            for block in range(self.plan.node_blocks.num_blocks)
        ]
        gathered = self.run(block_edges.GATHER, block_edges.gather_block, tasks)
        for folder in self.folder.glob("sort *"):
            for file in folder.glob("*.npy"):  # large, and not needed again
                file.unlink()
        return gathered

    def _kinds(self) -> list[str]:
        return [ORDINARY] if self.plan.lifted_edges is None else [ORDINARY, LIFTED]

    def _sort(self, kind: str, *, is_linked: bool) -> list[Summary]:
        """Sort the edges of a kind by block, chunk by chunk."""
        table = self.plan.edges if kind == ORDINARY else self.plan.lifted_edges
        assert table is not None
        tasks = [(f"{i:05d}", (i, kind, is_linked)) for i in range(table.num_chunks)]
        stage = block_edges.sort_stage(kind, is_linked=is_linked)
        return self.run(stage, block_edges.sort_chunk, tasks)

    def _slices(self, chunks: list[Summary]) -> list[Slices]:
        """Return for each block where its edges lie in the sorted chunks."""
        slices: list[Slices] = [[] for _ in range(self.plan.node_blocks.num_blocks)]
        for chunk, summary in enumerate(chunks):
            start = 0
            for block, count in zip(summary["blocks"], summary["counts"], strict=True):
                slices[block].append((chunk, start, start + count))
                start += count
        return slices

    def solve(self, level: int) -> list[Summary]:
        """Solve all blocks of a level."""
        number = self.plan.node_blocks.num_blocks_of(level)
        return self.run(stage_of(level), solve_block, _blocks(number, level))

    def bound(self, level: int, rounds: int) -> list[Summary]:
        """Bound all blocks of a level."""
        number = self.plan.node_blocks.num_blocks_of(level)
        tasks = _blocks(number, level, rounds)
        return self.run(bound_stage_of(level, rounds), bound_block, tasks)

    def label(self) -> int:
        """Write the labels of all nodes; return the number of clusters."""
        number = self.plan.node_blocks.num_blocks
        counted = self.run(_NUMBER, number_block, _blocks(number))
        counts = [summary["num_clusters"] for summary in counted]
        before = np.concatenate([[0], np.cumsum(counts)])
        save_array(_before_file(self.folder), before)
        self.run(_LABEL, label_block, _blocks(number))
        return int(before[-1])


def _before_file(folder: Path) -> Path:
    """Return the file with the number of clusters before each block."""
    return folder / _NUMBER / "before.npy"


def _numbers(folder: Path, plan: Plan, kind: str) -> NodeValues:
    values = NodeValues(folder / _NUMBER / kind, plan.node_blocks.offsets)
    values.folder.mkdir(exist_ok=True)
    return values


def number_block(folder: str, block: int) -> Summary:
    """Find the cluster of each node of a block, and number those whose first node lies in it."""
    place = Path(folder)
    plan = Plan.load(place)
    first, last = plan.node_blocks.offsets[block : block + 2].tolist()
    nodes = np.arange(first, last)
    clusters = Links.load(place).first_of(nodes)
    for level in range(plan.node_blocks.num_levels):
        # Must-links lead to nodes of other blocks, too.
        clusters = Joins(place, plan, level).apply(clusters)
    is_first = clusters == nodes
    for kind, values in (("first", clusters), ("rank", np.cumsum(is_first) - 1)):
        _numbers(place, plan, kind).write(block, values)
    return {"num_clusters": int(np.count_nonzero(is_first))}


def label_block(folder: str, block: int) -> Summary:
    """Write the labels of the nodes of a block."""
    place = Path(folder)
    plan = Plan.load(place)
    firsts = np.asarray(_numbers(place, plan, "first").read(block))
    ranks = _numbers(place, plan, "rank").take(firsts)
    labels = plan.labels(place)
    labels.folder.mkdir(exist_ok=True)
    before = map_array(_before_file(place))
    labels.write(block, before[plan.node_blocks.block_of(firsts)] + ranks)
    return {}


def evaluate_block(folder: str, block: int) -> Summary:
    """Add up the costs of cut edges inside a block, and of those to blocks behind it."""
    place = Path(folder)
    plan = Plan.load(place)
    edges = read_block(place, block)
    labels = plan.labels(place)
    first = plan.node_blocks.offsets[block]
    own = np.asarray(labels.read(block))

    def cut(inner: Edges, cross: Edges) -> tuple[int, FloatArray]:
        """Return how many edges there are, and what those cost that are cut."""
        ahead = cross.where(cross.u < cross.v)
        cut_inner = own[inner.u - first] != own[inner.v - first]
        cut_ahead = own[ahead.u - first] != labels.take(ahead.v)
        uncut = np.concatenate([inner.cost[~cut_inner], ahead.cost[~cut_ahead]])
        assert not np.isneginf(uncut).any(), "a cannot-link is not cut"
        costs = np.concatenate([inner.cost[cut_inner], ahead.cost[cut_ahead]])
        return len(inner) + len(ahead), costs

    num_edges, costs = cut(edges.inner, edges.cross)
    num_lifted_edges, lifted_costs = cut(edges.lifted, edges.lifted_cross)
    both = np.concatenate([costs, lifted_costs])
    return {
        "objective": math.fsum(both[np.isfinite(both)].tolist()),
        "num_edges": num_edges,
        "num_lifted_edges": num_lifted_edges,
        "num_cut": len(costs),
    }
