"""Dask: a client of workers, and tasks that run there."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

from multicut._extras import needed
from multicut._version import __version__

if TYPE_CHECKING:
    from distributed import Client

# Tasks that wait at each worker, so that none of them runs dry.
_QUEUED_PER_WORKER = 3
_SECONDS_TO_CONNECT = 20
_SECONDS_BETWEEN_COUNTS = 5
# Of glibc: large arrays come from memory that the process keeps. Otherwise each array is mapped
# anew, and page faults take a fifth of the time of a watershed.
_KEEPING_MEMORY = {
    "MALLOC_MMAP_THRESHOLD_": str(1 << 30),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 31),
}


@contextmanager
def open_client(
    cluster: str | None,
    num_workers: int = 1,
    *,
    memory_limit: int | None = None,
    has_dashboard: bool = False,
    keeps_memory: bool = False,
) -> Iterator[Client]:
    """Connect to a running scheduler, or start workers on this machine.

    Parameters
    ----------
    cluster
        The address of a running scheduler, such as ``tcp://10.0.0.1:8786``. None starts workers.
    num_workers
        The number of workers to start, each a process.
    memory_limit
        Bytes that a worker process may use; Dask ends one that uses more, and starts it again. By
        default Dask divides the memory of the machine among them.
    has_dashboard
        Whether to start Dask's web page along with workers.
    keeps_memory
        Whether worker processes keep memory that they have freed, for tasks that are all alike.
    """
    needed("distributed", by="a cluster" if cluster else "more than one worker")
    import dask
    from distributed import Client, LocalCluster

    with ExitStack() as stack:
        if cluster is None:
            environment = "distributed.nanny.pre-spawn-environ"
            if keeps_memory:
                kept = {**dask.config.get(environment, {}), **_KEEPING_MEMORY}
                stack.enter_context(dask.config.set({environment: kept}))
            local = LocalCluster(
                n_workers=num_workers,
                threads_per_worker=1,
                processes=True,
                memory_limit="auto" if memory_limit is None else memory_limit,
                # Any free port: None means 8787, which another cluster may have.
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": has_dashboard},
                silence_logs=logging.CRITICAL,
            )
            yield stack.enter_context(Client(stack.enter_context(local)))
            return
        try:
            client = stack.enter_context(Client(cluster, timeout=_SECONDS_TO_CONNECT))
        except (OSError, TimeoutError, ValueError) as error:
            raise ValueError(
                f"cluster {cluster!r} cannot be reached ({error}); start it with `dask "
                f"scheduler` and `dask worker`"
            ) from None
        if count_threads(client) == 0:
            raise ValueError(f"cluster {cluster!r} has no workers; start `dask worker`")
        _check_versions(client, cluster)
        yield client


def _own_version() -> str:
    return __version__


def _check_versions(client: Client, cluster: str) -> None:
    """Raise an error if workers have another version of this package, or none."""
    for worker, found in client.run(_own_version, on_error="return").items():
        if found != __version__:
            other = "lacks it" if isinstance(found, Exception) else f"has {found}"
            raise ValueError(
                f"cluster {cluster!r}: its workers need multicut {__version__}, but {worker} "
                f"{other}; install the same version there"
            )


def count_threads(client: Client) -> int:
    """Return how many tasks the workers of a client run at the same time."""
    return int(sum(client.nthreads().values()))


def run_tasks(
    client: Client, function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]
) -> Iterator[Any]:
    """Call a function on workers, once for each tuple of arguments; results come in any order.

    Only a few calls wait at each worker, so that there may be millions of tasks. Workers that join
    later get some, too. A task whose worker dies is run again by another one.
    """
    needed("distributed", by="a cluster")
    from distributed import CancelledError, KilledWorker, as_completed
    from distributed.comm import CommClosedError

    submitted = (client.submit(function, *arguments, pure=False) for arguments in tasks)
    running = as_completed(loop=client.loop)
    counted, wanted = -math.inf, _QUEUED_PER_WORKER
    while True:
        if time.monotonic() - counted > _SECONDS_BETWEEN_COUNTS:
            with suppress(OSError):  # what is lost with the connection is cancelled below
                wanted = max(_QUEUED_PER_WORKER * count_threads(client), 1)
            counted = time.monotonic()
        running.update(list(islice(submitted, max(wanted - running.count(), 0))))
        future = next(running, None)
        if future is None:
            return
        try:
            yield future.result()
        except KilledWorker:
            raise ChildProcessError(
                "workers died repeatedly during one task, maybe for lack of memory; give workers "
                "more memory or make tasks smaller"
            ) from None
        except (CancelledError, CommClosedError):
            raise ConnectionError(
                "the connection to the cluster was lost; run the same command again to resume"
            ) from None
