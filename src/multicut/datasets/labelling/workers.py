"""Who solves the chunks: this process, or workers of Dask."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import islice

from multicut._extras import needed
from multicut.datasets.labelling.chunk import Chunk, label_chunk, label_graphs
from multicut.datasets.labelling.job import Job

# Chunks that wait at each worker, so that none of them runs dry.
_QUEUED_PER_WORKER = 3
_SECONDS_TO_CONNECT = 20


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
    needed("distributed", by="a cluster" if cluster else "more than one worker")
    from distributed import Client, LocalCluster, as_completed

    with ExitStack() as stack:
        if cluster is None:
            local = LocalCluster(
                n_workers=num_workers,
                threads_per_worker=1,
                processes=True,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            )
            client = stack.enter_context(Client(stack.enter_context(local)))
        else:
            try:
                client = stack.enter_context(Client(cluster, timeout=_SECONDS_TO_CONNECT))
            except (OSError, TimeoutError, ValueError) as error:
                raise ValueError(
                    f"cluster {cluster!r} cannot be reached ({error}); start it with `dask "
                    f"scheduler` and `dask worker`"
                ) from None
            threads = sum(client.nthreads().values())
            if threads == 0:
                raise ValueError(f"cluster {cluster!r} has no workers; start `dask worker`")
            num_workers = threads
        values = job.to_dict()
        waiting = iter(chunks)
        submitted = (
            client.submit(label_chunk, values, first, last, pure=False) for first, last in waiting
        )
        running = as_completed(list(islice(submitted, _QUEUED_PER_WORKER * num_workers)))
        for future in running:
            chunk = Chunk.of_bytes(future.result())
            assert chunk is not None
            yield chunk
            running.update(list(islice(submitted, 1)))
