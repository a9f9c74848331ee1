"""Signals stop runs with a checkpoint, also where they reach a whole group of processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from paper.retrain.processes import PRIORITY, set_priority
from paper.retrain.shipped import as_toml
from tests.paper.retrain.conftest import config

NAMES = ("first", "second")


def start(tmp_path: Path, data: str) -> subprocess.Popen[bytes]:
    """Start to train two runs that take for ever, in a group of processes of their own."""
    configs = [tmp_path / f"{name}.toml" for name in NAMES]
    for seed, path in enumerate(configs):
        settings = {"alpha_start": 0, "instances": 10**7, "checkpoint_every": 10**6, "seed": seed}
        run = config(data, path, **settings)
        path.write_text(as_toml("A run.", run.to_dict()))
    command = [sys.executable, "-m", "paper.retrain", *configs, "-o", tmp_path / "runs"]
    return subprocess.Popen(
        [*map(str, command), "--slots", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        # Whatever the shell does with it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def wait_for(
    process: subprocess.Popen[bytes], is_there: Callable[[Path], bool], runs: Path
) -> None:
    while not all(is_there(runs / name) for name in NAMES):
        assert process.poll() is None, process.stdout and process.stdout.read().decode()
        time.sleep(0.05)


def is_training(run: Path) -> bool:
    """Whether a run has logged a few steps."""
    curve = run / "training.csv"
    return curve.exists() and len(curve.read_text().splitlines()) > 3


def is_loading(run: Path) -> bool:
    """Whether the process of a run has begun, long before it takes a step."""
    return (run / "log.txt").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("signals", "when"),
    [
        pytest.param([signal.SIGINT], is_training, id="Ctrl-C"),
        # As `timeout` does.
        pytest.param([signal.SIGTERM] * 2, is_training, id="SIGTERM"),
        pytest.param([signal.SIGTERM], is_loading, id="early"),
    ],
)
def test_a_signal_to_the_group_stops_runs_with_a_checkpoint(
    tmp_path: Path, data: str, signals: list[signal.Signals], when: Callable[[Path], bool]
) -> None:
    runs = tmp_path / "runs"
    process = start(tmp_path, data)
    try:
        wait_for(process, when, runs)
        for number in signals:
            os.killpg(process.pid, number)
            time.sleep(0.5)
        output, _ = process.communicate(timeout=60)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    said = output.decode()
    assert said.count(": interrupt\n") == 2, said
    for name in NAMES:
        assert (runs / name / "last.ckpt").exists(), name
        summary = json.loads((runs / name / "summary.json").read_text())
        assert summary["stopped_by"] == "interrupt"
        assert "KeyboardInterrupt" not in (runs / name / "log.txt").read_text()


@pytest.mark.parametrize(
    ("given", "is_urgent", "found"), [(None, True, "0"), (None, False, "1"), ("7", True, "7")]
)
def test_a_priority_that_the_user_has_set_is_kept(
    monkeypatch: pytest.MonkeyPatch, given: str | None, is_urgent: bool, found: str
) -> None:
    monkeypatch.setenv(PRIORITY, given or "")
    if given is None:
        monkeypatch.delenv(PRIORITY)
    set_priority(is_urgent)
    assert os.environ[PRIORITY] == found
