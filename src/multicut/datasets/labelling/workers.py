"""Who solves the chunks: this process, or workers of Dask."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from multicut._dask import open_client, run_tasks
from multicut.datasets.labelling.chunk import Chunk, label_chunk, label_graphs
from multicut.datasets.labelling.job import Job


def label_here(job: Job, chunks: Sequence[tuple[int, int]]) -> Iterator[Chunk]:
    """Solve chunks one after the other."""
    for first, last in chunks:
        yield label_graphs(job, first, last)


def label_on_dask(
    job: Job, chunks: Sequence[tuple[int, int]], num_workers: int, cluster: str | None
) -> Iterator[Chunk]:
    """Solve chunks on Dask's workers; they come back in any order.

    Parameters
    ----------
    job, chunks
        What to do.
    num_workers
        The number of processes on this machine, without `cluster`.
    cluster
        The address of a running scheduler, such as ``tcp://10.0.0.1:8786``.
    """
    values = job.to_dict()
    with open_client(cluster, num_workers) as client:
        for content in run_tasks(client, label_chunk, ((values, *chunk) for chunk in chunks)):
            chunk = Chunk.of_bytes(content)
            assert chunk is not None
            yield chunk
