"""Several runs side by side."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import multicut as mc
from multicut.training import TrainingConfig, parallel, train
from tests.training.test_train import assert_same_weights, curves


@pytest.fixture
def configs(
    settings: dict[str, Any], graphs: mc.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> list[TrainingConfig]:
    graphs.save(tmp_path / "graphs")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setattr(parallel, "_SECONDS_BETWEEN_LOOKS", 0.05)
    common = {**settings, "train": str(tmp_path / "graphs"), "validation": ""}
    return [
        TrainingConfig.from_dict({**common, "seed": seed, "output": str(tmp_path / f"run-{seed}")})
        for seed in (1, 2)
    ]


@pytest.mark.slow
def test_runs_do_what_each_does_alone(configs: list[TrainingConfig], tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    summaries = parallel.train_side_by_side(
        configs, progress=lambda which, instances, _: told.append((which, instances))
    )
    for config, summary in zip(configs, summaries, strict=True):
        assert (summary["instances"], summary["stopped_by"]) == (120, "finished")
        folder = Path(config.output)
        assert summary["folder"] == config.output
        assert json.loads((folder / "config.json").read_text())["seed"] == config.seed
        alone = train(config, output=str(tmp_path / f"alone-{config.seed}"))
        assert curves(folder) == curves(alone.folder)
        assert_same_weights(folder / "model", alone.model_path)
    assert all(which in (0, 1) and 0 < seen <= 120 for which, seen in told)


@pytest.mark.slow
def test_a_run_that_fails_is_named_with_what_it_said(configs: list[TrainingConfig]) -> None:
    good, other = configs
    bad = other.updated({"train": "nowhere"})
    with pytest.raises(RuntimeError, match=r"run-2: FileNotFoundError: nowhere: neither") as caught:
        parallel.train_side_by_side([good, bad], time_limit=0.0)
    assert "run-1" not in str(caught.value)
    # The other one has ended as it should.
    summary = json.loads((Path(good.output) / "summary.json").read_text())
    assert summary["stopped_by"] == "time limit"


@pytest.mark.slow
def test_ctrl_c_stops_all_with_a_checkpoint(configs: list[TrainingConfig]) -> None:
    long = [config.updated({"instances": 10**8, "log_every": 1000}) for config in configs]

    def interrupt() -> None:
        folders = [Path(config.output) for config in long]
        deadline = time.monotonic() + 200
        while time.monotonic() < deadline:
            if all((folder / "last.ckpt").exists() for folder in folders):
                break
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    summaries = parallel.train_side_by_side(long)
    thread.join()
    assert [summary["stopped_by"] for summary in summaries] == ["interrupt", "interrupt"]
    assert all(summary["instances"] > 0 for summary in summaries)
