"""The stages of a segmentation."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multicut.distributed.hierarchy import Hierarchical, solve_hierarchically
from multicut.distributed.node_blocks import NodeBlocks
from multicut.distributed.stages import Report, Summary, run_stage, save_array
from multicut.distributed.volume import edge_costs, fragments, region_tables, writing
from multicut.distributed.volume.blocks import BlockGrid
from multicut.distributed.volume.fragments import name_of
from multicut.distributed.volume.job import LIFTED, ORDINARY, Job
from multicut.distributed.volume.report import BlockwiseReport, StageReport, summarise
from multicut.distributed.volume.source import VolumeSource
from multicut.distributed.volume.target import Output, Target, create

if TYPE_CHECKING:
    from distributed import Client

_SOLVE = "solve"
#: A file that is there while results are put into their places.
PUBLISHING = "publishing.json"


@dataclass(frozen=True, eq=False)
class Run:
    """The stages of a job in its folder."""

    job: Job
    source: VolumeSource
    target: Target
    folder: Path
    client: Client | None
    report: Report | None
    taken: dict[str, StageReport] = field(default_factory=dict)

    def all_stages(self) -> BlockwiseReport:
        """Do everything up to labels and table in the workspace."""
        job, target = self.job, self.target
        levels = [job.grid]
        for _ in range(job.pyramid):
            levels.append(levels[-1].coarser())
        if not (self.folder / PUBLISHING).exists():
            create(target, self.source, self.folder, levels)
        offsets = self.divide()
        num_edges = self.build_graph()
        found = self.solve(offsets)
        values = str(found.labels.folder)
        array = str(Output.of(target, self.folder).folder)
        each = range(len(job.grid))
        self.run(
            writing.WRITE,
            writing.write_labels,
            [(name_of(b), (b, values, target.driver, array)) for b in each],
        )
        for level, grid in enumerate(levels[1:], start=1):
            self.coarsen(level, grid)
        self.run(
            writing.LIST_REGIONS,
            writing.list_regions,
            [(name_of(b), (b, values)) for b in each],
        )
        assert found.lower_bound is not None
        top = found.levels[-1][0]
        return BlockwiseReport(
            target=str(target),
            table=str(target.table),
            shape=job.shape,
            block_shape=job.block_shape,
            num_blocks=len(job.grid),
            num_regions=int(offsets[-1]),
            num_edges=num_edges[ORDINARY],
            num_lifted_edges=num_edges.get(LIFTED, 0),
            num_segments=found.num_clusters,
            objective=found.objective,
            lower_bound=found.lower_bound,
            top_nodes=top["num_nodes"],
            top_edges=top["num_inner"],
            stages=self.taken,
            job=job.to_dict(),
        )

    def run(self, stage: str, function: Any, tasks: Any) -> list[Summary]:
        """Do what is left of a stage, and note what all of it took."""
        summaries = run_stage(
            self.folder, stage, function, tasks, client=self.client, report=self.report
        )
        self.taken[stage] = summarise(summaries)
        return summaries

    def divide(self) -> Any:
        """Make fragments; return the first node of each block."""
        job = self.job
        tasks = [(name_of(b), (b,)) for b in range(len(job.grid))]
        divide = fragments.divide if job.superpixels is None else fragments.list_labels
        ranges = fragments.plan_owners(self.folder, self.run(fragments.DIVIDE, divide, tasks))
        owners = self.run(fragments.FIND_OWNERS, fragments.find_owners, ranges)
        offsets = fragments.count_owned(self.folder, job, owners)
        files = [
            [summary["file"], *limits] for summary, (_, limits) in zip(owners, ranges, strict=True)
        ]
        self.run(
            fragments.NUMBER,
            fragments.number,
            [(name_of(b), (b, files)) for b in range(len(job.grid))],
        )
        save_array(self.folder / "offsets.npy", offsets)
        return offsets

    def build_graph(self) -> dict[str, int]:
        """Build the region graph and its costs; return the number of edges of each kind."""
        number = len(self.job.grid)
        found = self.run(
            region_tables.FIND_CONTACTS,
            region_tables.find_contacts,
            [(name_of(b), (b,)) for b in range(number)],
        )
        merged = self.run(
            region_tables.MERGE, region_tables.merge, region_tables.plan_merge(found, number)
        )
        totals = {
            key: {kind: sum(summary[key][kind] for summary in merged) for kind in self.job.kinds}
            for key in ("edges", "samples")
        }
        num_edges: dict[str, int] = totals["edges"]
        mean_samples = {
            kind: totals["samples"][kind] / max(num_edges[kind], 1) for kind in num_edges
        }
        self.run(
            edge_costs.WEIGH,
            edge_costs.weigh,
            [(name_of(b), (b, mean_samples)) for b in range(number)],
        )
        return num_edges

    def solve(self, offsets: Any) -> Hierarchical:
        """Find the segment of each node."""
        job = self.job
        found = solve_hierarchically(
            edge_costs.edge_table(self.folder, job),
            NodeBlocks.of_grid(offsets, job.grid.counts),
            lifted_edges=edge_costs.edge_table(self.folder, job, LIFTED) if job.lifted else None,
            solver=job.solver,
            workspace=self.folder / _SOLVE,
            client=self.client,
            time_limit=job.time_limit,
            seed=job.seed,
            options=job.options,
            bound_rounds=job.bound_rounds,
            report=self.report,
        )
        for stage, summaries in found.stages.items():
            self.taken[stage] = summarise(summaries)
        return found

    def coarsen(self, level: int, grid: BlockGrid) -> None:
        """Write a coarser resolution."""
        target = self.target
        finer, coarser = (
            str(Output.of(target, self.folder, number).folder) for number in (level - 1, level)
        )
        self.run(
            writing.COARSEN.format(level),
            writing.coarsen,
            [(name_of(b), (b, level, target.driver, finer, coarser)) for b in range(len(grid))],
        )
