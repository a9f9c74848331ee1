"""Costs of edges, as those of the whole volume."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut.distributed.stages import Summary
from multicut.distributed.tables import EdgeTable
from multicut.distributed.volume.job import ORDINARY, Job
from multicut.distributed.volume.region_tables import graph_of, read_table
from multicut.distributed.volume.task import of_job

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multicut._arrays import FloatArray

WEIGH = "costs"


def edge_table(folder: Path, job: Job, kind: str = ORDINARY) -> EdgeTable:
    """Return the edges of a kind with their costs, one chunk for each block."""
    return EdgeTable(folder / f"{WEIGH}{kind}", len(job.grid))


@of_job
def weigh(folder: Path, job: Job, block: int, mean_samples: dict[str, float]) -> Summary:
    """Write the costs of the edges whose first node belongs to a block."""
    number = 0
    for kind in job.kinds:
        table = read_table(folder, block, kind)
        costs = costs_of(table, job, mean_samples[kind])
        target = edge_table(folder, job, kind)
        target.folder.mkdir(exist_ok=True)
        target.write(
            block, np.ascontiguousarray(table["u"]), np.ascontiguousarray(table["v"]), costs
        )
        number += len(table)
    return {"edges": number, "bytes_written": 24 * number}


def costs_of(table: NDArray[Any], job: Job, mean_samples: float) -> FloatArray:
    """Return the costs of edges.

    They are those of the whole volume, but parts of one basin that a face between blocks cuts have
    a probability of zero to be apart. `mean_samples` is the mean number of samples of all edges.
    """
    graph, costs = graph_of(table, np.zeros(0, dtype=np.int64)), job.make_costs()
    probabilities = np.where(table["overlap"] > 0, 0.0, costs.statistic_of(graph))
    return costs.weigh(probabilities, graph, job.bias, mean_samples)
