"""Runs that share their beginning come out as if each had been trained alone."""

from __future__ import annotations

import json
import resource
from pathlib import Path

import pytest
import torch

from multicut.models import load_model
from multicut.training.config import TrainingConfig
from multicut.training.curves import read_curve
from multicut.training.runner import train
from paper.retrain.jobs import plan
from paper.retrain.trunks import trunk_of
from tests.paper.retrain.conftest import config


def test_a_branch_is_the_run_that_was_never_cut_in_two(tmp_path: Path, data: str) -> None:
    train(config(data, tmp_path / "alone", alpha=0.5))
    runs = [
        config(data, tmp_path / "early", alpha=0.1, alpha_start=20),
        config(data, tmp_path / "branch", alpha=0.5),
    ]
    for job in plan(runs, tmp_path):
        assert job.is_ready
        job.prepare()
        train(job.config)
        job.finish()
    branch = load_model(tmp_path / "branch")
    assert branch.card["training"]["alpha"] == 0.5
    expected_weights = torch.load(tmp_path / "alone" / "last.ckpt")["state_dict"]
    found_weights = torch.load(tmp_path / "branch" / "last.ckpt")["state_dict"]
    for name, weights in expected_weights.items():
        torch.testing.assert_close(weights, found_weights[name], rtol=0, atol=0, msg=name)
    # A trunk is validated less often, so that some validations are missing, but none differs.
    expected = {row["step"]: row for row in read_curve(tmp_path / "alone" / "validation.csv")}
    found = read_curve(tmp_path / "branch" / "validation.csv")
    assert [row["step"] for row in found] == ["2", "4", "5", "6", "7", "8"]
    assert all(expected[row["step"]] == row for row in found)


def test_parts_of_a_trunk_follow_each_other_and_runs_follow_their_part(
    tmp_path: Path, data: str
) -> None:
    runs = [
        config(data, tmp_path / "late", alpha=0.1),
        config(data, tmp_path / "early", alpha=0.1, alpha_start=20),
        config(data, tmp_path / "other", alpha=0.1, seed=1),
    ]
    jobs = plan(runs, tmp_path)
    ends = [job.config.instances for job in jobs]
    assert [job.is_trunk for job in jobs] == [True, True, False, False, True, False]
    assert ends == [20, 40, 80, 80, 40, 80]
    assert [job.is_ready for job in jobs] == [True, False, False, False, True, False]
    first, second, late, early, *_ = jobs
    assert second.needs is first
    assert late.needs is second
    assert early.needs is first


def end(run: TrainingConfig) -> None:
    """Write what tells that a run has ended."""
    folder = Path(run.output)
    folder.mkdir()
    summary = {"instances": run.instances, "stopped_by": "finished"}
    (folder / "summary.json").write_text(json.dumps(summary))
    (folder / "tests.json").write_text("{}")


def test_a_trunk_whose_runs_have_ended_is_not_trained_again(tmp_path: Path, data: str) -> None:
    early = config(data, tmp_path / "early", alpha=0.1, alpha_start=20)
    late = config(data, tmp_path / "late", alpha=0.1)
    # Archives hold no trunks that nothing waits for.
    end(early)
    jobs = plan([early, late], tmp_path)
    assert [job.state for job in jobs] == ["waiting", "done", "waiting", "waiting"]
    end(late)
    jobs = plan([early, late], tmp_path)
    assert [job.state for job in jobs] == ["done"] * 4
    assert sum(job.instances_left for job in jobs) == 0


def test_a_longer_run_is_not_done_before_it_is_measured_again(tmp_path: Path, data: str) -> None:
    end(config(data, tmp_path / "run", alpha_start=0, instances=40))
    longer = config(data, tmp_path / "run", alpha_start=0)
    (job,) = plan([longer], tmp_path)
    assert job.state == "waiting"
    job.prepare()
    # Killed after training, while it is measured.
    (tmp_path / "run" / "summary.json").write_text('{"instances": 80, "stopped_by": "finished"}')
    assert [job.state for job in plan([longer], tmp_path)] == ["waiting"]


def test_a_beginning_that_was_copied_in_part_does_not_count(tmp_path: Path, data: str) -> None:
    runs = [config(data, tmp_path / "run", alpha=0.1)]
    trunk, _ = plan(runs, tmp_path)
    trunk.folder.mkdir(parents=True)
    (trunk.folder / "summary.json").write_text('{"instances": 40}')
    (trunk.folder / "last.ckpt").write_bytes(bytes(100_000))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, before[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            trunk.finish()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [job.state for job in plan(runs, tmp_path)] == ["waiting", "waiting"]
    trunk.finish()
    assert [job.state for job in plan(runs, tmp_path)] == ["done", "waiting"]


def test_what_changes_the_beginning_has_a_trunk_of_its_own(tmp_path: Path, data: str) -> None:
    base = config(data, tmp_path)
    assert trunk_of(base) == trunk_of(config(data, tmp_path / "x", alpha=0.7, ccl_edges="all"))
    assert trunk_of(base) != trunk_of(config(data, tmp_path, weight_decay=0.0))
    assert trunk_of(config(data, tmp_path, decay="cosine")) is None
    assert trunk_of(config(data, tmp_path, alpha_start=0)) is None
