"""Files that released versions have written are read for ever."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import multicut as mc
from multicut.cli.solve.start import read_labels
from multicut.solvers.dual_greedy.policy import Policy, load_policy
from tests.golden.write import LABELS, LIFTED, PLAIN, PROBLEMS, SEGMENTS, logistic_regression

VERSIONS = sorted(Path(__file__).parent.glob("v*"))
every_version = pytest.mark.parametrize("folder", VERSIONS, ids=lambda path: path.name)


def files(folder: Path) -> list[str]:
    names: list[str] = json.loads((folder / "files.json").read_text())
    return names


@every_version
def test_all_are_there(folder: Path) -> None:
    assert len(files(folder)) > 30
    for name in files(folder):
        assert (folder / name).exists(), name


@every_version
def test_problems(folder: Path) -> None:
    read = 0
    for name in files(folder):
        problem, _, rest = name.partition(".")
        if problem in PROBLEMS and "/" not in name:
            found = mc.read(folder / name)
            expected = PROBLEMS[problem]
            if rest.startswith("cplib"):  # pairs without an edge become edges of cost 0
                assert mc.solve(found, "ilp").objective == mc.solve(expected, "ilp").objective
            else:
                assert found == expected, name
            read += 1
    assert read >= 20


@every_version
def test_results(folder: Path) -> None:
    labels = mc.solve(PLAIN, "ilp").labels
    for suffix in (".json", ".csv", ".npy"):
        np.testing.assert_array_equal(read_labels(folder / f"result{suffix}", PLAIN), labels)


@every_version
def test_datasets(folder: Path) -> None:
    dataset = mc.Dataset.load(folder / "dataset", verify=True)
    assert [dataset[0], dataset[1]] == [PLAIN, LIFTED]
    assert dataset.optimal.all()


@every_version
@pytest.mark.parametrize("suffix", SEGMENTS)
def test_segments(folder: Path, suffix: str) -> None:
    np.testing.assert_array_equal(mc.vision.read_image(folder / f"segments{suffix}"), LABELS)


@every_version
def test_models(folder: Path) -> None:
    ours, written = mc.load_model(folder / "model"), logistic_regression()
    assert ours.card["description"] == "golden"
    assert ours.network.config == written.config
    expected = written.state_dict()
    for name, tensor in ours.network.state_dict().items():
        assert tensor.equal(expected[name]), name


@every_version
def test_policies(folder: Path) -> None:
    assert load_policy(folder / "policy.json") == Policy(share=0.25)


@every_version
def test_corrections(folder: Path) -> None:
    proof = mc.Proofreader.load(folder / "corrections.jsonl", PLAIN)
    assert [correction.kind for correction in proof.history] == ["join", "set_cost", "separate"]
