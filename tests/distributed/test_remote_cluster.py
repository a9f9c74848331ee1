"""``--cluster``: a scheduler and workers that were started apart, one of which is killed."""

from __future__ import annotations

import signal
import subprocess
import sys

import numpy as np
import pytest

import multicut as mc
from tests.distributed.clusters import remote_cluster
from tests.distributed.graphs import lifted_grid

pytest.importorskip("distributed")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def cluster(tmp_path):
    with remote_cluster(tmp_path / "cluster") as found:
        yield found


def killer(cluster, stage):
    """Kill a worker once when a stage has begun; return what reports go to."""

    def report(name, done, total):
        victim = cluster.workers[0]
        if name == stage and 0 < done < total and victim.poll() is None:
            victim.send_signal(signal.SIGKILL)
            victim.wait()

    return report


def test_tables(tmp_path, cluster):
    """The command line first, then the same from Python while a worker is killed."""
    problem = lifted_grid(30, 30)
    rows = np.concatenate([problem.edges, problem.lifted_edges])
    columns = {
        "u": rows[:, 0],
        "v": rows[:, 1],
        "cost": np.concatenate([problem.costs, problem.lifted_costs]),
        "lifted": np.arange(len(rows)) >= problem.num_edges,
    }
    edges = tmp_path / "edges.parquet"
    pq.write_table(pa.table(columns), edges)
    arguments = {"blocks": 8, "bound": True}
    mc.solve_distributed(edges, output=tmp_path / "here.parquet", num_workers=1, **arguments)
    expected = (tmp_path / "here.parquet").read_bytes()
    output = tmp_path / "there.parquet"
    options = ["--cluster", cluster.address, "--blocks", "8", "--bound"]
    done = subprocess.run(
        [sys.executable, "-m", "multicut", "solve", edges, "-o", output, *options],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "on 2 workers" in done.stderr
    assert output.read_bytes() == expected
    output = tmp_path / "killed.parquet"
    report = killer(cluster, "solve level 0")
    mc.solve_distributed(edges, output=output, cluster=cluster.address, report=report, **arguments)
    assert cluster.workers[0].returncode == -signal.SIGKILL
    assert output.read_bytes() == expected


@pytest.mark.parametrize("stage", ["fragments", "contacts", "labels"])
def test_volumes(tmp_path, cluster, stage):
    pytest.importorskip("tensorstore")
    from tests.distributed.volume.volumes import bytes_of, cells, write_zarr

    values, _ = cells((40, 36, 28), num_cells=8)
    source = write_zarr(tmp_path / "in.zarr", values, [8, 8, 8])
    arguments = {"block_shape": (24, 24, 16), "halo": 12}
    mc.vision.segment_blockwise(source, tmp_path / "here.zarr", **arguments)
    report = killer(cluster, stage)
    mc.vision.segment_blockwise(
        source, tmp_path / "there.zarr", cluster=cluster.address, report=report, **arguments
    )
    assert cluster.workers[0].returncode == -signal.SIGKILL
    for name in ("zarr", "regions.parquet"):
        assert bytes_of(tmp_path / f"there.{name}") == bytes_of(tmp_path / f"here.{name}")


def test_a_cluster_without_workers(tmp_path):
    edges = tmp_path / "edges.parquet"
    pq.write_table(pa.table({"u": [0], "v": [1], "cost": [1.0]}), edges)
    with (
        remote_cluster(tmp_path / "cluster", 0) as cluster,
        pytest.raises(ValueError, match="has no workers; start `dask worker`"),
    ):
        mc.solve_distributed(edges, output=tmp_path / "l.parquet", cluster=cluster.address)
