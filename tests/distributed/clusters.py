"""A Dask cluster as users start it: a scheduler and workers that are processes of their own."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_SECONDS_TO_START = 60


class RemoteCluster:
    """A scheduler on this machine, and its workers."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        self.workers: list[subprocess.Popen[bytes]] = []
        self.address = ""

    def start(self, num_workers: int) -> None:
        """Start the scheduler, then workers, and wait until all are there."""
        file = self._folder / "scheduler.json"
        self._launch("scheduler", "--scheduler-file", str(file), "--port", "0")
        self._wait(file.exists)
        for _ in range(num_workers):
            options = ("--scheduler-file", str(file), "--nthreads", "1", "--no-nanny")
            self.workers.append(self._launch("worker", *options))
        from distributed import Client

        with Client(scheduler_file=str(file), timeout=_SECONDS_TO_START) as client:
            if num_workers > 0:
                client.wait_for_workers(num_workers, timeout=_SECONDS_TO_START)
            self.address = client.scheduler.address

    def _launch(self, command: str, *options: str) -> subprocess.Popen[bytes]:
        place = ("--host", "127.0.0.1", "--no-dashboard")
        with (self._folder / f"{command}.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", command, *place, *options],
                stdout=log,
                stderr=log,
                cwd=self._folder,
            )
        self._processes.append(process)
        return process

    def _wait(self, is_there: Callable[[], bool]) -> None:
        end = time.monotonic() + _SECONDS_TO_START
        while not is_there():
            assert time.monotonic() < end, (self._folder / "scheduler.log").read_text()
            time.sleep(0.05)

    def stop(self) -> None:
        """End all processes."""
        for process in reversed(self._processes):
            process.kill()
            process.wait()


@contextmanager
def remote_cluster(folder: Path, num_workers: int = 2) -> Iterator[RemoteCluster]:
    """Start a cluster for a test."""
    folder.mkdir(exist_ok=True)
    cluster = RemoteCluster(folder)
    try:
        cluster.start(num_workers)
        yield cluster
    finally:
        cluster.stop()
