"""The last stages: labels of voxels, coarser resolutions, and the table of the region graph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from multicut._extras import needed
from multicut._target import open_target
from multicut.distributed.stages import Summary
from multicut.distributed.tables import NodeValues
from multicut.distributed.volume.blocks import BlockGrid, Box
from multicut.distributed.volume.edge_costs import edge_table
from multicut.distributed.volume.fragments import Fragments, name_of
from multicut.distributed.volume.job import LIFTED, Job
from multicut.distributed.volume.region_tables import graph_of, read_table
from multicut.distributed.volume.target import Output
from multicut.distributed.volume.task import of_job

WRITE = "labels"
COARSEN = "pyramid level {}"
LIST_REGIONS = "table"


@of_job
def write_labels(
    folder: Path, job: Job, block: int, values: str, driver: str, array: str
) -> Summary:
    """Write the labels of a block: 1 … k, or 0 for voxels that belong to no region."""
    box, fragments = job.grid.box(block), Fragments(folder, job)
    labels = NodeValues(Path(values), fragments.offsets)
    own = np.concatenate([[0], labels.take(fragments.nodes_of(block)) + 1])
    found = own.astype(np.uint64)[fragments.read_local(block, box)]
    Output(driver, Path(array)).write(box, found)
    return {"voxels": box.size, "bytes_read": 4 * box.size, "bytes_written": 8 * box.size}


@of_job
def coarsen(
    folder: Path,  # noqa: ARG001
    job: Job,
    block: int,
    level: int,
    driver: str,
    finer: str,
    coarser: str,
) -> Summary:
    """Write a block of a coarser resolution: every second label along each axis."""
    before = job.grid
    for _ in range(level - 1):
        before = before.coarser()
    grid: BlockGrid = before.coarser()
    box = grid.box(block)
    twice = Box(
        tuple(2 * a for a in box.begin),
        tuple(min(2 * b, n) for b, n in zip(box.end, before.shape, strict=True)),
    )
    Output(driver, Path(coarser)).write(box, Output(driver, Path(finer)).read(twice, 2))
    return {"voxels": box.size}


@of_job
def list_regions(folder: Path, job: Job, block: int, values: str) -> Summary:
    """Write the edges whose first region belongs to a block, with their features, as Parquet."""
    needed("pyarrow", by="the table of the region graph")
    import pyarrow
    from pyarrow import parquet

    parts = [_columns(folder, job, block, values, kind) for kind in job.kinds]
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    place = folder / LIST_REGIONS / "parts"
    place.mkdir(exist_ok=True)
    with open_target(place / f"{name_of(block)}.parquet") as file:
        parquet.write_table(pyarrow.table(columns), file)
    return {"edges": len(columns["u"])}


def _columns(folder: Path, job: Job, block: int, values: str, kind: str) -> dict[str, Any]:
    """Return what the table says about the edges of a kind."""
    table, fragments = read_table(folder, block, kind), Fragments(folder, job)
    graph = graph_of(table, np.zeros(0, dtype=np.int64))
    u, v, cost = edge_table(folder, job, kind).read(block)
    labels = NodeValues(Path(values), fragments.offsets)
    segments = [labels.take(nodes) + 1 for nodes in (u, v)]
    names = [fragments.labels_of(nodes) for nodes in (u, v)]
    columns: dict[str, Any] = {
        "u": names[0],
        "v": names[1],
        "size": graph.sizes,
        "samples": graph.num_samples,
        "mean": graph.mean,
        "variance": graph.variance,
        "minimum": graph.minimum,
        "maximum": graph.maximum,
        "one_basin": table["overlap"] > 0,
        "cost": cost,
        "segment_u": segments[0],
        "segment_v": segments[1],
    }
    if graph.histogram is not None:
        for q in (0.1, 0.25, 0.5, 0.75, 0.9):
            columns[f"quantile_{q:g}"] = graph.quantile(q)
    if job.lifted:
        columns["lifted"] = np.full(len(u), kind == LIFTED)
    return columns
