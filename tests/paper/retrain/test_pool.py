"""Many runs at a time, stopped and taken up again."""

from __future__ import annotations

import json
import tarfile
import time
from pathlib import Path

import pytest

from multicut.training.graph_store import GraphStore
from paper.retrain import pool
from paper.retrain.__main__ import listed, table
from paper.retrain.jobs import plan
from paper.retrain.package import pack
from paper.retrain.pool import run_jobs
from tests.paper.retrain.conftest import config


def test_jobs_run_side_by_side_and_are_not_run_again(
    tmp_path: Path, data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        pool, "measure", lambda folder, *_: (folder / "tests.json").write_text("{}")
    )
    runs = [config(data, tmp_path / f"run-{alpha}", alpha=alpha) for alpha in (0.1, 0.2)]
    said: list[str] = []
    jobs = plan(runs, tmp_path)
    run_jobs(jobs, GraphStore(), slots=2, say=said.append)
    assert [job.state for job in jobs] == ["done"] * 3
    assert len(said) == 3
    assert all(job.state == "done" for job in plan(runs, tmp_path))
    paths = pack(jobs, tmp_path / "out", weights=["run-0.1"], most_bytes=10**6, parts=2)
    assert [path.name for path in paths] == ["histories.tar.gz", "weights-1.tar"]
    with tarfile.open(paths[1]) as archive:
        assert archive.getnames() == ["run-0.1/model.safetensors"]
    for name in ("run-0.1", "run-0.2"):
        (tmp_path / name / "tests.json").unlink()
    assert "run-0.2" in table(jobs)


def test_a_deadline_stops_runs_with_a_checkpoint(
    tmp_path: Path, data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [config(data, tmp_path / "long", alpha=0.1, alpha_start=0, instances=10**7)]
    monkeypatch.setattr(pool, "_LEAST_SECONDS", 0.0)
    jobs = plan(runs, tmp_path)
    run_jobs(jobs, GraphStore(), slots=1, deadline=time.monotonic() + 1.0)
    summary = json.loads((tmp_path / "long" / "summary.json").read_text())
    assert summary["stopped_by"] == "time limit"
    assert (tmp_path / "long" / "last.ckpt").exists()


def test_a_failure_stops_what_needs_it_and_nothing_else(
    tmp_path: Path, data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "measure", lambda *_: None)
    runs = [
        config(data, tmp_path / "bad", alpha=0.1, train=str(tmp_path / "nowhere")),
        config(data, tmp_path / "good", alpha=0.0, alpha_start=0),
    ]
    jobs = plan(runs, tmp_path)
    run_jobs(jobs, GraphStore(), slots=2, say=[].append)
    assert {job.name: job.state for job in jobs if not job.is_trunk} == {
        "bad": "waiting",
        "good": "done",
    }
    assert "nowhere" in (jobs[0].folder / "log.txt").read_text()


def test_a_list_names_its_runs() -> None:
    runs = listed(Path("configs/retrain.toml"))
    assert all(path.exists() for path in runs)
    assert len(set(runs)) == len(runs)
    assert listed(runs[0]) == [runs[0]]
