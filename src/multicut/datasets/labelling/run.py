"""From a job to a dataset on disk."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from multicut._checks import check_integer
from multicut.datasets.dataset import Dataset
from multicut.datasets.labelling.job import Job
from multicut.datasets.labelling.store import Store
from multicut.datasets.labelling.workers import label_here, label_on_dask


def run_job(
    job: Job,
    path: str | os.PathLike[str],
    *,
    num_workers: int = 1,
    cluster: str | None = None,
    report: Callable[[int, int], None] | None = None,
) -> Dataset:
    """Generate a dataset, label it, and write it to a folder.

    A run that was stopped, even killed, is taken up where it was when the same job is run again.
    The bytes that are written do not depend on the number of workers or on interruptions, as long
    as no time limit is hit.

    Parameters
    ----------
    job
        What to generate, and how to solve it.
    path
        The folder for the dataset; while it grows, it is in a folder ``<path>.partial``.
    num_workers
        Processes on this machine; more than one need Dask. As Dask starts them afresh, a script
        that calls this must do so under ``if __name__ == "__main__":``.
    cluster
        The address of a Dask scheduler, to work there instead.
    report
        Called as ``report(labelled, not_proven)`` with the numbers of graphs so far.
    """
    workers = check_integer(1, num_workers=num_workers)
    store = Store(job, Path(path))
    if store.is_complete():
        store.remove()
        return Dataset.load(path)
    with store.opened():
        if not store.is_complete():  # else another process has just finished it
            if job.solver is not None:
                _label(store, workers, cluster, report)
            store.pack()
        # While the lock is held, so that nobody begins to work in a folder that goes away.
        store.remove()
    return Dataset.load(path)


def _label(
    store: Store,
    num_workers: int,
    cluster: str | None,
    report: Callable[[int, int], None] | None,
) -> None:
    job, missing = store.job, []
    labelled = unproven = 0
    for first, last in job.chunks():
        chunk = store.get(first, last)
        if chunk is None:
            missing.append((first, last))
        else:
            labelled += last - first
            unproven += chunk.num_unproven
    if report is not None:
        report(labelled, unproven)
    if not missing:
        return
    is_local = cluster is None and num_workers == 1
    done = (
        label_here(job, missing) if is_local else label_on_dask(job, missing, num_workers, cluster)
    )
    for chunk in done:
        store.put(chunk)
        labelled += chunk.last - chunk.first
        unproven += chunk.num_unproven
        if report is not None:
            report(labelled, unproven)
