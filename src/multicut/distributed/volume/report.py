"""What a block-wise segmentation has found, and what each stage took."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from multicut._words import block, count, image_size
from multicut.distributed.stages import Summary
from multicut.stop import relative_gap

_GIBIBYTE = 2**30


@dataclass(frozen=True)
class StageReport:
    """What the tasks of a stage took together.

    Attributes
    ----------
    tasks
        Their number.
    seconds, processor_seconds
        The sum of their times, and of the processors' work in them. The former includes waiting for
        the disk and, on a busy machine, for a processor.
    voxels
        The voxels of the volume that they are about, 0 for stages about graphs.
    bytes_read, bytes_written
        Before compression.
    peak_memory
        The most bytes that a process held by the end of one of them.
    """

    tasks: int
    seconds: float
    processor_seconds: float
    voxels: int
    bytes_read: int
    bytes_written: int
    peak_memory: int

    @property
    def voxels_per_second(self) -> float:
        """Voxels per second of a processor's work."""
        return self.voxels / self.processor_seconds if self.processor_seconds > 0 else math.inf


def summarise(summaries: Sequence[Summary]) -> StageReport:
    """Add up the summaries of all tasks of a stage."""

    def total(key: str) -> Any:
        return sum(summary.get(key, 0) for summary in summaries)

    return StageReport(
        len(summaries),
        float(total("seconds")),
        float(total("processor_seconds")),
        int(total("voxels")),
        int(total("bytes_read")),
        int(total("bytes_written")),
        max((int(summary.get("peak_memory", 0)) for summary in summaries), default=0),
    )


@dataclass(frozen=True)
class BlockwiseReport:
    """The result of :func:`multicut.vision.segment_blockwise`.

    Attributes
    ----------
    target, table
        Where the labels are, and the table of the region graph.
    shape, block_shape, num_blocks
        Of the volume and its blocks.
    num_regions, num_edges, num_lifted_edges
        Of the region graph of the whole volume.
    num_segments
        The number of labels, 1 … `num_segments`.
    objective
        The cost of the cut edges of the whole region graph.
    lower_bound
        No partition of the region graph costs less.
    top_nodes, top_edges
        The size of the last problem, which is solved at once.
    stages
        What each stage took.
    job
        The arguments of the run.
    """

    target: str
    table: str
    shape: tuple[int, ...]
    block_shape: tuple[int, ...]
    num_blocks: int
    num_regions: int
    num_edges: int
    num_lifted_edges: int
    num_segments: int
    objective: float
    lower_bound: float
    top_nodes: int
    top_edges: int
    stages: Mapping[str, StageReport] = field(repr=False)
    job: Mapping[str, Any] = field(repr=False)

    @property
    def gap(self) -> float:
        """By how much the objective may exceed the optimum, relative to the bound."""
        return relative_gap(self.objective, self.lower_bound) or 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, of which :meth:`of_dict` makes the report again."""
        return asdict(self) | {"gap": self.gap}

    @classmethod
    def of_dict(cls, values: Mapping[str, Any]) -> BlockwiseReport:
        """Make a report again from plain values."""
        stages = {name: StageReport(**stage) for name, stage in values["stages"].items()}
        shapes = {key: tuple(values[key]) for key in ("shape", "block_shape")}
        own = {key: value for key, value in values.items() if key != "gap"}
        return cls(**{**own, **shapes, "stages": stages})

    def rows(self) -> dict[str, str]:
        """Return the lines of :meth:`summary` as a mapping of names to values."""
        lifted = f", {count(self.num_lifted_edges, 'lifted edge')}" if self.num_lifted_edges else ""
        return {
            "volume": image_size(self.shape),
            "blocks": f"{self.num_blocks:,} of {image_size(self.block_shape)}",
            "regions": f"{self.num_regions:,}, {count(self.num_edges, 'edge')}{lifted}",
            "segments": f"{self.num_segments:,}",
            "objective": f"{self.objective:,.6f}",
            "bound": f"{self.lower_bound:,.6f}, gap {self.gap:.3%}",
            "last problem": f"{count(self.top_nodes, 'node')}, {count(self.top_edges, 'edge')}",
            "labels": self.target,
            "table": self.table,
        }

    def summary(self) -> str:
        """Return a description of a few lines."""
        return block(self.rows())

    def stage_rows(self) -> list[tuple[str, str, str, str, str]]:
        """Return for each stage name, seconds, processor time, speed and memory, as texts."""
        return [
            (
                name,
                f"{stage.seconds:.1f}",
                f"{stage.processor_seconds:.1f}",
                f"{stage.voxels_per_second / 1e6:.2f}" if stage.voxels else "",
                f"{stage.peak_memory / _GIBIBYTE:.2f}" if stage.peak_memory else "",
            )
            for name, stage in self.stages.items()
        ]
