"""What ``python -m paper.retrain`` and the commands beside it refuse."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from multicut._target import locked_folder
from paper.retrain import record, select
from paper.retrain.__main__ import main
from paper.retrain.jobs import Job
from paper.retrain.shipped import as_toml
from tests.paper.retrain.conftest import config


@pytest.fixture(autouse=True)
def _own_signals() -> Iterator[None]:
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def run(tmp_path: Path, data: str) -> Path:
    """The configuration of a short run."""
    path = tmp_path / "run.toml"
    settings = {"alpha_start": 0, "instances": 20}
    path.write_text(as_toml("A run.", config(data, path, **settings).to_dict()))
    return path


def test_a_second_call_stays_out_of_a_folder(
    tmp_path: Path, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "runs"
    output.mkdir()
    with locked_folder(output):
        assert main([str(run), "-o", str(output)]) == 2
    assert f"error: {output}: another process is using it" in capsys.readouterr().err
    assert not (output / "run").exists()


def test_the_folder_of_runs_is_no_setting(
    tmp_path: Path, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--set", f"output={tmp_path / 'mine'}"]
    assert main([str(run), "-o", str(tmp_path / "runs"), *given]) == 2
    expected = f"error: --set output={tmp_path / 'mine'}: use --output for the folder of runs"
    assert expected in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("state", "code", "message"),
    [
        ("error", 1, "error: not all went well; log.txt in the folder of run says why\n"),
        ("waiting", 1, "error: not all went well; see above\n"),
        ("interrupt", 130, "interrupted: the same command goes on\n"),
    ],
)
def test_a_call_that_did_not_end_well_says_why_in_one_line(
    tmp_path: Path,
    run: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    state: str,
    code: int,
    message: str,
) -> None:
    def end(jobs: list[Job], *_given: object, **_options: object) -> bool:
        for job in jobs:
            job.state = state
        return False

    monkeypatch.setattr(sys.modules[main.__module__], "run_jobs", end)
    assert main([str(run), "-o", str(tmp_path / "runs")]) == code
    assert capsys.readouterr().err == message


@pytest.mark.parametrize("command", [record, select])
@pytest.mark.parametrize(
    ("name", "message"),
    [("nowhere", "no such folder"), ("file", "no such folder"), ("empty", "holds no runs")],
)
def test_a_folder_without_runs_is_an_error(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: ModuleType,
    name: str,
    message: str,
) -> None:
    monkeypatch.setattr(record, "find_sets", None)  # nothing is solved before
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    assert command.main([str(tmp_path / name)]) == 2
    assert f"error: RUNS '{tmp_path / name}': {message}" in capsys.readouterr().err
