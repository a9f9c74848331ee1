"""Who does the work: this process, processes of this machine, or a running cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from multicut._dask import open_client
from multicut._threads import check_threads
from multicut._words import count

if TYPE_CHECKING:
    from distributed import Client


@contextmanager
def connected(
    cluster: str | None = None,
    *,
    num_workers: int | None = None,
    memory_limit: int | None = None,
    keeps_memory: bool = False,
) -> Iterator[Client | None]:
    """Yield a client of Dask; None if this process is to do all work by itself.

    Parameters
    ----------
    cluster
        The address of a running scheduler, such as ``tcp://10.0.0.1:8786``. Its workers need this
        package, and the files under the same paths.
    num_workers
        Without `cluster`, the number of workers on this machine, by default as many as this process
        may use processors. One worker is this process, which needs no Dask. Several are processes
        that Dask starts afresh, so a script needs ``if __name__ == "__main__":``.
    memory_limit
        Bytes for each worker process of this machine; Dask ends one that uses more.
    keeps_memory
        Whether these processes keep memory that they have freed, for tasks that are all alike.
    """
    if cluster is not None:
        if num_workers is not None or memory_limit is not None:
            name = "num_workers" if num_workers is not None else "memory_limit"
            raise ValueError(f"{name} is for workers of this machine; leave it or cluster out")
        with open_client(cluster) as client:
            yield client
        return
    workers = check_threads(num_workers, "num_workers")
    if workers == 1 and memory_limit is None:
        yield None
        return
    with open_client(
        None,
        workers,
        memory_limit=memory_limit,
        has_dashboard=True,
        keeps_memory=keeps_memory,
    ) as client:
        yield client


def describe_workers(client: Client | None) -> str:
    """Say in one line who does the work, and where its progress can be watched."""
    if client is None:
        return "in this process"
    workers = client.nthreads()
    number = count(len(workers), "worker")
    if client.cluster is not None and find_spec("bokeh") is None:
        return f"on {number}, without Dask's dashboard, which needs bokeh"
    link = client.dashboard_link
    return f"on {number}" + (f", dashboard at {link}" if link else "")
