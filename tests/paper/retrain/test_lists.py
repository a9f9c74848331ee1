"""`make retrain` trains everything that the page shows."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import pytest

from multicut.datasets import generate
from multicut.training.config import TrainingConfig
from paper.retrain.earlier import CONFIGS, configurations, recorded_runs
from paper.retrain.jobs import plan
from paper.retrain.lists import ALL, absent, configurations_in, explained, place_of
from paper.runs.curves import Run
from tests.paper.retrain.conftest import config

PLANNED = list(dict.fromkeys(chain.from_iterable(map(configurations_in, ALL))))
FOLDERS = [path for path in CONFIGS.iterdir() if path.is_dir()]
# Folders whose configurations are all trained. Others hold examples for users.
TRAINED = (
    "earlier",
    "finetuning",
    "other_family",
    "published",
    "readings",
    "shipped",
    "table3",
)


@pytest.mark.parametrize("path", ALL)
def test_a_list_names_its_runs(path: Path) -> None:
    runs = configurations_in(path)
    assert runs
    assert all(path.exists() for path in runs)
    assert len(set(runs)) == len(runs)
    assert configurations_in(runs[0]) == [runs[0]]


@pytest.mark.parametrize("name", ["readings/gone.toml", "gone/*.toml"])
def test_a_list_that_names_what_is_not_there_is_an_error(tmp_path: Path, name: str) -> None:
    path = tmp_path / "list.toml"
    path.write_text(f'runs = ["readings/*.toml", "{name}"]')
    with pytest.raises(ValueError, match=re.escape(f"{path}: {name} matches no configuration")):
        configurations_in(path)


@pytest.mark.parametrize("run", recorded_runs(), ids=lambda run: run.name)
def test_each_record_has_a_configuration_that_is_trained(run: Run) -> None:
    assert set(configurations(run, FOLDERS)) & set(PLANNED)


@pytest.mark.parametrize("folder", TRAINED)
def test_each_configuration_of_a_run_of_the_page_is_trained(folder: str) -> None:
    assert set((CONFIGS / folder).glob("*.toml")) <= set(PLANNED)


def test_each_run_has_a_folder_of_its_own() -> None:
    places = list(map(place_of, PLANNED))
    assert len(set(places)) == len(places)


def test_each_start_is_a_shipped_network_or_trained_as_well(tmp_path: Path) -> None:
    runs = [
        TrainingConfig.from_file(path).updated({"output": str(tmp_path / place_of(path))})
        for path in PLANNED
    ]
    for job in plan(runs, tmp_path):
        if "/" in job.config.finetune:
            assert job.needs is not None, job.name
            assert job.needs.folder == Path(job.config.finetune).parent


def test_a_run_needs_both_parts_of_its_datasets(tmp_path: Path) -> None:
    folder, file = tmp_path / "both", tmp_path / "file"
    run = config(str(folder), tmp_path)
    assert absent(run) == [str(folder)] * 2
    folder.mkdir()
    generate("irismp", 1).save(folder / "train")
    assert absent(run) == [str(folder)]
    generate("irismp", 1).save(folder / "valid")
    assert absent(run) == []
    generate("irismp", 1).save(file)
    assert absent(config(str(file), tmp_path)) == []


def test_what_is_drawn_or_shipped_is_there(tmp_path: Path) -> None:
    run = config("randommp:fresh", tmp_path, validation={"irismp": 0.5, "randommp:test": 0.5})
    assert absent(run) == []
    run = config("irismp", tmp_path, train={"irismp": 0.5, "nowhere": 0.5}, validation="")
    assert absent(run) == ["nowhere"]


def test_what_is_left_out_is_said_once_for_each_dataset() -> None:
    knott = ["build/finetuning/knott"] * 2
    lines = explained({"a": knott, "b": knott, "c": ["build/pool/voronoi", "nowhere"]})
    assert list(lines) == [
        "left out for lack of build/finetuning/knott; make it with "
        "`python -m benchmarks.finetuning_data FOLDER`: a, b",
        "left out for lack of build/pool/voronoi, nowhere; make it with `make pool`: c",
    ]
