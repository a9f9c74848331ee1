"""Each record of a training run has a configuration that says what the record says."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from multicut.training.config import TrainingConfig
from paper.retrain.earlier import (
    CONFIGS,
    FOLDER,
    RECORDS,
    as_text,
    configurations,
    is_of,
    recorded_runs,
    texts,
)
from paper.retrain.lists import place_of
from paper.runs.curves import Run, name_of_run
from tests.paper.made_runs import write_run

RUNS = recorded_runs()
FOLDERS = [path for path in CONFIGS.iterdir() if path.is_dir()]


def test_no_record_is_left_out() -> None:
    assert sorted(run.name for run in RUNS) == sorted(path.stem for path in RECORDS.rglob("*.json"))


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_each_record_has_a_configuration_with_its_name_and_its_settings(run: Run) -> None:
    assert configurations(run, FOLDERS), "run `python -m paper.retrain.earlier`"


def test_generated_files_are_those_of_the_records_without_another_configuration() -> None:
    found = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.toml")}
    assert found == texts(RUNS)


def test_a_run_that_finetunes_begins_with_an_earlier_run() -> None:
    names = {run.name for run in RUNS}
    starts = [tomllib.loads(text).get("finetune", "") for text in texts(RUNS).values()]
    starts = [start for start in starts if start]
    assert {name_of_run(start) for start in starts} <= names
    # Shipped runs of the same name lie in `runs` itself.
    places = {f"runs/{place_of(path)}/model" for path in FOLDER.glob("*.toml")}
    assert set(starts) <= places


def made_run(folder: Path, name: str = "run", **changes: object) -> Run:
    """Return a recorded run, which was validated after 50 and after 100 instances."""
    rows = [(50, 0, 0, 0.8), (100, 0, 0, 0.9)]
    write_run(folder, name, rows, decay="cosine", **changes)
    (run,) = [run for run in recorded_runs(folder) if run.name == name]
    return run


def test_a_generated_file_holds_what_differs_from_the_defaults(tmp_path: Path) -> None:
    run = made_run(tmp_path, started_from="other", scale_free=True)
    first, *lines = as_text(run).splitlines()
    assert first.startswith("# Generated from the record")
    settings = tomllib.loads("\n".join(lines))
    assert settings.pop("network") == run.network
    assert settings == {
        "decay": "cosine",
        "alpha": 0.0,
        "alpha_start": 100,
        "alpha_ramp": 100,
        "validation": "randommp",
        "num_validation": 500,
        "instances": 100,
        "finetune": "runs/earlier/other/model",
        "scale_free": True,
        "validate_every": 50,
    }


@pytest.mark.parametrize(
    "change", [{"seed": 1}, {"instances": 200}, {"network": {"depth": 3}}, {"finetune": "other"}]
)
def test_a_file_with_other_settings_is_not_that_of_a_run(
    tmp_path: Path, change: dict[str, object]
) -> None:
    run = made_run(tmp_path / "records")
    config = TrainingConfig.from_dict(tomllib.loads(as_text(run)))
    assert is_of(config, run)
    assert not is_of(config.updated(change), run)


def test_a_record_without_a_configuration_gets_one(tmp_path: Path) -> None:
    run = made_run(tmp_path / "records")
    configs = tmp_path / "configs"
    (configs / "other").mkdir(parents=True)
    (configs / FOLDER.name).mkdir()
    assert texts([run], configs) == {"run": as_text(run)}

    path = configs / FOLDER.name / "run.toml"
    path.write_text(as_text(run))
    assert texts([run], configs), "generated files do not replace themselves"

    path.rename(configs / "other" / "run.toml")
    assert texts([run], configs) == {}
