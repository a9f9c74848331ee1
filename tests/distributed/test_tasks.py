"""Tasks on Dask: workers that join late, their environment and version."""

from __future__ import annotations

import os
import time

import pytest

from multicut import _dask
from tests.distributed.clusters import remote_cluster

distributed = pytest.importorskip("distributed")


def wait(seconds: float) -> None:
    time.sleep(seconds)


def test_workers_that_join_later_get_tasks(monkeypatch):
    monkeypatch.setattr(_dask, "_SECONDS_BETWEEN_COUNTS", 0)
    options = {"threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(1, **options) as cluster, cluster.get_client() as client:
        submitted, waiting, most = client.submit, [0], [0, 0]

        def submit(*arguments, **options):
            waiting[0] += 1
            most[len(client.nthreads()) > 1] = max(most[len(client.nthreads()) > 1], waiting[0])
            return submitted(*arguments, **options)

        monkeypatch.setattr(client, "submit", submit)
        for number, _ in enumerate(_dask.run_tasks(client, wait, [(0.01,)] * 40)):
            waiting[0] -= 1
            if number == 5:
                cluster.scale(3)
                client.wait_for_workers(3)
    assert most == [3, 9]
    assert waiting == [0]


def environment(name: str) -> str | None:
    return os.environ.get(name)


def test_worker_processes_keep_memory_and_what_dask_sets():
    names = [("MALLOC_MMAP_THRESHOLD_",), ("OMP_NUM_THREADS",)]
    with _dask.open_client(None, 1, keeps_memory=True) as client:
        found = set(_dask.run_tasks(client, environment, names))
    assert found == {str(1 << 30), "1"}


def test_workers_with_another_version_are_refused(tmp_path, monkeypatch):
    with remote_cluster(tmp_path, 1) as cluster:
        with _dask.open_client(cluster.address) as client:
            assert _dask.count_threads(client) == 1
        monkeypatch.setattr(_dask, "__version__", "99.1")
        with (
            pytest.raises(ValueError, match=r"workers need multicut 99.1, but tcp.* has \d"),
            _dask.open_client(cluster.address),
        ):
            pass
