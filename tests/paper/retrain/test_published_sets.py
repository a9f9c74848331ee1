"""`make published-graphs` trains on the sets whose published graphs are there."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from paper.retrain.published_sets import configurations, main
from tests.paper.imitations import write_published, write_stand_ins

ROOT = Path(__file__).parents[3]


def test_sets_with_published_graphs_alone_are_named(tmp_path: Path) -> None:
    write_published(tmp_path, "knott")
    write_stand_ins(tmp_path, "cremi")
    paths = configurations(tmp_path)
    assert paths == sorted(Path("configs/finetuning").glob("knott-*.toml"))
    assert "knott-from-scratch" in [path.stem for path in paths]


def test_a_folder_with_stand_ins_alone_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_stand_ins(tmp_path, "cremi")
    assert main([str(tmp_path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "none of BSDS300, CREMI, Knott" in captured.err


def made(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Ask make what it would run."""
    if shutil.which("make") is None:
        pytest.skip("needs make")
    return subprocess.run(
        ["make", "-n", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_one_target_makes_datasets_finetunes_records_and_renders() -> None:
    lines = made("published-graphs", "DATA=FOLDER", "SLOTS=3").stdout.splitlines()
    modules = [line.partition(" -m ")[2].split()[0] for line in lines if "python -m" in line]
    # A fresh checkout installs the package first.
    modules = [name for name in modules if name.startswith(("paper", "benchmarks"))]
    assert modules == [
        "paper.retrain.published_sets",
        "benchmarks.finetuning_data",
        "paper.retrain",
        "paper.retrain.record",
        "paper",
    ]


def test_the_folder_has_to_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MULTICUT_DATA", raising=False)
    found = made("published-graphs")
    assert found.returncode != 0
    assert "make published-graphs DATA=FOLDER" in found.stderr


@pytest.mark.parametrize(("arguments", "with_data"), [((), False), (("DATA=FOLDER",), True)])
def test_retraining_finetunes_where_the_data_is_named(
    monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], with_data: bool
) -> None:
    monkeypatch.delenv("MULTICUT_DATA", raising=False)
    text = made("retrain", *arguments).stdout
    assert ("benchmarks.finetuning_data" in text) == with_data
    assert ("--data" in text) == with_data


@pytest.mark.parametrize(("name", "is_taken"), [("DATA", False), ("MULTICUT_DATA", True)])
def test_of_the_environment_only_the_name_of_this_package_is_taken(
    monkeypatch: pytest.MonkeyPatch, name: str, is_taken: bool
) -> None:
    monkeypatch.delenv("MULTICUT_DATA", raising=False)
    monkeypatch.setenv(name, "FOLDER")
    assert ('--data "FOLDER"' in made("retrain").stdout) == is_taken
