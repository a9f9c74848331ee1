"""Many runs at a time, stopped and taken up again."""

from __future__ import annotations

import json
import os
import tarfile
import time
from pathlib import Path

import pytest

from multicut.models import load_model
from multicut.training.curves import read_curve
from paper.retrain import pool
from paper.retrain.__main__ import left, table
from paper.retrain.jobs import Job, plan
from paper.retrain.package import pack
from paper.retrain.pool import run_jobs
from paper.retrain.processes import PRIORITY
from paper.runs.curves import name_of_run
from tests.paper.retrain.conftest import config


def test_jobs_run_side_by_side_and_are_not_run_again(
    tmp_path: Path, data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PRIORITY, "1")  # of the user
    runs = [
        config(data, tmp_path / f"run-{alpha}", alpha=alpha, alpha_start=0) for alpha in (0.1, 0.2)
    ]
    said: list[str] = []
    jobs = plan(runs, tmp_path)
    assert run_jobs(jobs, tmp_path / "graphs", tests=(), slots=2, say=said.append)
    assert [job.state for job in jobs] == ["done"] * 2
    assert os.environ[PRIORITY] == "1"
    assert len(said) == 2
    assert all(job.state == "done" for job in plan(runs, tmp_path))
    paths = pack(jobs, tmp_path, tmp_path / "out", weights=["run-0.1"], most_bytes=10**6)
    assert [path.name for path in paths] == ["histories.tar.gz", "weights-1.tar"]
    with tarfile.open(paths[1]) as archive:
        assert archive.getnames() == ["run-0.1/model.safetensors"]
    assert "run-0.2" in table(jobs)


def test_a_deadline_stops_runs_with_a_checkpoint(
    tmp_path: Path, data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [config(data, tmp_path / "long", alpha=0.1, alpha_start=0, instances=10**7)]
    monkeypatch.setattr(pool, "_LEAST_SECONDS", 0.0)
    monkeypatch.setattr(pool, "_PATIENCE", 300.0)
    jobs = plan(runs, tmp_path)
    run_jobs(jobs, tmp_path / "graphs", tests=(), slots=1, deadline=time.time() + 1.0)
    summary = json.loads((tmp_path / "long" / "summary.json").read_text())
    assert summary["stopped_by"] == "time limit"
    assert (tmp_path / "long" / "last.ckpt").exists()


@pytest.mark.slow
def test_the_first_failure_ends_all_runs_with_a_checkpoint(
    tmp_path: Path, data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_PATIENCE", 300.0)
    runs = [
        config(data, tmp_path / "good", alpha=0.0, alpha_start=0, instances=10**7),
        config(data, tmp_path / "bad", alpha=0.0, alpha_start=0, train=str(tmp_path / "nowhere")),
    ]

    class Late(Job):
        """Begins once the other one has logged a step."""

        @property
        def is_ready(self) -> bool:
            return super().is_ready and bool(read_curve(good.folder / "training.csv"))

    good, bad = plan(runs, tmp_path)
    jobs = [good, Late(bad.name, bad.config)]
    said: list[str] = []
    assert not run_jobs(jobs, tmp_path / "graphs", tests=(), slots=2, say=said.append)
    assert [job.state for job in jobs] == ["interrupt", "error"]
    assert (good.folder / "last.ckpt").exists()
    assert "nowhere" in "".join(said)


@pytest.mark.slow
def test_others_go_on_after_a_failure_if_told_so(tmp_path: Path, data: str) -> None:
    runs = [
        config(data, tmp_path / "bad", alpha=0.0, alpha_start=0, train=str(tmp_path / "nowhere")),
        config(data, tmp_path / "good", alpha=0.0, alpha_start=0),
    ]
    jobs = plan(runs, tmp_path)
    assert not run_jobs(jobs, tmp_path / "graphs", tests=(), slots=1, keep_going=True)
    assert [job.state for job in jobs] == ["error", "done"]


@pytest.mark.slow
@pytest.mark.parametrize("what", ["prepare", "finish"])
def test_others_go_on_if_a_run_cannot_begin_or_be_kept(
    tmp_path: Path, data: str, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    runs = [
        config(data, tmp_path / name, alpha=0.0, alpha_start=0, instances=20, seed=seed)
        for seed, name in enumerate(("bad", "good"))
    ]
    jobs = plan(runs, tmp_path)

    def fail() -> None:
        raise OSError("no room")

    monkeypatch.setattr(jobs[0], what, fail)
    said: list[str] = []
    store = tmp_path / "graphs"
    assert not run_jobs(jobs, store, tests=(), slots=1, keep_going=True, say=said.append)
    assert [job.state for job in jobs] == ["error", "done"]
    assert "OSError: no room" in said


@pytest.mark.slow
def test_archives_go_on_elsewhere(tmp_path: Path, data: str) -> None:
    here, there = tmp_path / "here", tmp_path / "there"

    def jobs_in(folder: Path) -> list[Job]:
        return plan([config(data, folder / "run", alpha=0.1, alpha_start=20)], folder)

    trunk, run = jobs_in(here)
    run_jobs([trunk], here / "graphs", tests=(), slots=1)
    for path in pack([trunk, run], here, tmp_path / "out", weights=(), most_bytes=10**7):
        with tarfile.open(path) as archive:
            archive.extractall(there, filter="data")
    trunk, run = jobs_in(there)
    assert trunk.state == "done"
    assert run_jobs([trunk, run], there / "graphs", tests=(), slots=1)
    summary = json.loads((there / "run" / "summary.json").read_text())
    assert summary["instances"] == run.config.instances


@pytest.mark.slow
def test_what_was_stopped_goes_on_elsewhere_with_its_best_model(
    tmp_path: Path, data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_LEAST_SECONDS", 0.0)
    monkeypatch.setattr(pool, "_PATIENCE", 300.0)
    here, there = tmp_path / "here", tmp_path / "there"

    def job_in(folder: Path, instances: int) -> Job:
        (job,) = plan(
            [config(data, folder / "run", alpha=0.0, alpha_start=0, instances=instances)], folder
        )
        return job

    job = job_in(here, 10**7)
    run_jobs([job], here / "graphs", tests=(), slots=1, deadline=time.time() + 1.0)
    assert job.state == "time limit"
    paths = pack([job], here, tmp_path / "out", weights=(), most_bytes=10**7)
    assert [path.name for path in paths] == ["histories.tar.gz", "checkpoints-1.tar"]
    for path in paths:
        with tarfile.open(path) as archive:
            archive.extractall(there, filter="data")
    assert (there / "run" / "model.safetensors").read_bytes() == (
        here / "run" / "model.safetensors"
    ).read_bytes()


def test_weights_that_a_record_needs_are_kept(tmp_path: Path, data: str) -> None:
    runs = [
        config(data, tmp_path / name, alpha_start=0, finetune=start)
        for name, start in (("alone", ""), ("finetuned", "lr-irismp"))
    ]
    jobs = plan(runs, tmp_path)
    for job in jobs:
        job.folder.mkdir()
        (job.folder / "model.safetensors").write_bytes(bytes(10))
        job.state = "done"
    _, path = pack(jobs, tmp_path, tmp_path / "out", weights=(), most_bytes=10**6)
    with tarfile.open(path) as archive:
        assert archive.getnames() == ["finetuned/model.safetensors"]


def test_archives_together_stay_within_a_limit(tmp_path: Path, data: str) -> None:
    jobs = plan([config(data, tmp_path / f"run-{n}", alpha_start=0) for n in range(8)], tmp_path)
    for job in jobs:
        job.folder.mkdir()
        (job.folder / "model.safetensors").write_bytes(bytes(50_000))
        (job.folder / "last.ckpt").write_bytes(bytes(50_000))
        job.state = "interrupt"
    size = 70_000  # one file each
    said: list[str] = []
    pack(jobs, tmp_path, tmp_path / "all", weights=(), most_bytes=10**7, say=said.append)
    assert said == []
    paths = pack(
        jobs, tmp_path, tmp_path / "out", weights=["run-0"], most_bytes=size, say=said.append
    )
    # Five of 16: weights of run-0 are in both kinds, since the other runs begin with them.
    assert said == ["archives of checkpoints lack 11 files, for which there is no room"]
    assert [path.name for path in paths] == [
        "histories.tar.gz",
        "weights-1.tar",
        *(f"checkpoints-{number}.tar" for number in (1, 2, 3, 4, 5)),
    ]
    paths = pack(jobs, tmp_path, tmp_path / "out", weights=["run"], most_bytes=size)
    assert [path.name for path in paths[1:]] == [f"weights-{number}.tar" for number in range(1, 7)]
    assert sorted(paths) == sorted((tmp_path / "out").iterdir())


def test_archives_hold_checkpoints_of_runs_that_wait_to_go_on(tmp_path: Path, data: str) -> None:
    # Stopped by an earlier call; this one has no slot free for it yet.
    (job,) = plan([config(data, tmp_path / "run", alpha_start=0)], tmp_path)
    job.folder.mkdir()
    (job.folder / "last.ckpt").write_bytes(bytes(10))
    assert job.state == "waiting"
    _, path = pack([job], tmp_path, tmp_path / "out", weights=(), most_bytes=10**6)
    with tarfile.open(path) as archive:
        assert archive.getnames() == ["run/last.ckpt"]


def test_a_run_that_finetunes_another_one_waits_for_it(tmp_path: Path, data: str) -> None:
    start = config(data, tmp_path / "start", alpha_start=0)
    # Settings name the start as it lies in another folder.
    own = {"alpha": 0.0, "instances": 20, "finetune": "runs/start/model"}
    then = config(data, tmp_path / "then", **own)
    elsewhere = config(data, tmp_path / "other" / "then", **own)
    waiting, first, alone = plan([then, start, elsewhere], tmp_path)
    assert waiting.needs is first
    assert waiting.config.finetune == str(tmp_path / "start" / "model")
    assert alone.needs is None
    assert alone.config.finetune == "runs/start/model"

    jobs = [waiting, first]
    assert left(jobs) == "left: 2 runs, 100 instances"
    assert [job.instances_left for job in jobs] == [20, 80]
    said: list[str] = []
    assert run_jobs(jobs, tmp_path / "graphs", tests=(), slots=2, say=said.append)
    assert [line.split()[2] for line in said] == ["start:", "then:"]
    assert [job.instances_left for job in jobs] == [0, 0]
    assert name_of_run(load_model(tmp_path / "then").card["training"]["finetune"]) == "start"


def test_runs_with_the_same_settings_are_trained_once(tmp_path: Path, data: str) -> None:
    places = (tmp_path / "first", tmp_path / "earlier" / "second")
    runs = [config(data, place, alpha_start=0) for place in places]
    first, second = plan(runs, tmp_path)
    assert (second.needs, second.starts_from) == (first, first.folder)
    assert (first.instances_left, second.instances_left) == (80, 0)

    assert run_jobs([first, second], tmp_path / "graphs", tests=("irismp",), slots=2)
    for name in ("model.safetensors", "training.csv", "validation.csv", "tests.json"):
        assert (places[0] / name).read_bytes() == (places[1] / name).read_bytes(), name
    assert [job.state for job in plan(runs, tmp_path)] == ["done"] * 2

    # Archives of a run that has ended hold no checkpoint.
    (places[0] / "last.ckpt").unlink()
    _, alone = plan(runs, tmp_path)
    assert alone.needs is None


def test_archives_hold_what_a_run_with_the_same_settings_begins_with(
    tmp_path: Path, data: str
) -> None:
    runs = [config(data, tmp_path / name, alpha_start=0) for name in ("first", "second")]
    first, second = plan(runs, tmp_path)
    run_jobs([first], tmp_path / "graphs", tests=(), slots=1)
    _, path = pack([first, second], tmp_path, tmp_path / "out", weights=(), most_bytes=10**7)
    with tarfile.open(path) as archive:
        assert {"first/last.ckpt", "first/model.safetensors"} <= set(archive.getnames())


def test_a_branch_has_its_cycle_phase_left(tmp_path: Path, data: str) -> None:
    trunk, run = plan([config(data, tmp_path / "run", alpha=0.1)], tmp_path)
    assert (trunk.instances_left, run.instances_left) == (40, 40)


def test_the_network_of_the_learned_solver_is_trained_as_well(tmp_path: Path, data: str) -> None:
    run = config(
        data,
        tmp_path / "run",
        network={"architecture": "contraction", "depth": 2, "width": 8},
        train={data: 1.0},
        validation={data: 1.0},
        loss="decisions",
        contracted=0.5,
        alpha_start=0,
    )
    jobs = plan([run], tmp_path)
    assert run_jobs(jobs, tmp_path / "graphs", tests=(), slots=1)
    assert (tmp_path / "run" / "tests.json").exists()
