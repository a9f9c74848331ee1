"""Networks that contract, trained on mixtures of datasets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

import multicut as mc
from multicut.nn import ContractionConfig, ContractionNetwork
from multicut.training import TrainingConfig, train
from tests.training.conftest import labelled
from tests.training.test_train import Killed, assert_same_weights, curves, kill_after


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pool")
    for family in ("irismp", "planted"):
        (folder / family).mkdir()
        for split, count in (("train", 20), ("valid", 6)):
            labelled(count, split, family).save(folder / family / split)
    return folder


@pytest.fixture
def mixed(pool: Path, tmp_path: Path) -> dict[str, Any]:
    return {
        "network": {"architecture": "contraction", "width": 8, "depth": 2},
        "train": {str(pool / "irismp"): 3, str(pool / "planted"): 1},
        "validation": {str(pool / "irismp"): 1, str(pool / "planted"): 3},
        "loss": "decisions",
        "cost_exponent": 0.5,
        "contracted": 0.5,
        "instances": 120,
        "batch_size": 10,
        "learning_rate": 0.01,
        "warm_up": 20,
        "decay": "cosine",
        "clip": 1.0,
        "log_every": 20,
        "validate_every": 40,
        "checkpoint_every": 50,
        "accelerator": "cpu",
        "output": str(tmp_path / "run"),
    }


def test_it_learns_and_leaves_a_model_for_the_solver(mixed: dict[str, Any]) -> None:
    result = train(**{**mixed, "instances": 600})
    training, validation = curves(result.folder)
    first, last = (
        sum(float(row["loss"]) for row in rows) for rows in (training[:5], training[-5:])
    )
    assert last < 0.8 * first
    rates = [float(row["learning_rate"]) for row in training]
    assert max(rates) <= 0.01
    assert rates[-1] < 0.01 * max(rates)
    assert float(validation[-1]["objective_ratio"]) > 0.9

    assert result.validation is not None
    by_dataset = result.validation["by_dataset"]
    assert len(by_dataset) == 2
    weighted = sum(w * by_dataset[name] for name, w in mixed["validation"].items()) / 4
    assert result.validation["objective_ratio"] == pytest.approx(weighted)

    model = mc.load_model(result.model_path)
    assert isinstance(model.network, ContractionNetwork)
    assert model.card["description"] == "contraction trained on 2 datasets"
    problem = mc.datasets.generate("planted", 1, split="test")[0]
    solved = mc.solve(problem, "learned", model=result.model_path, device="cpu")
    assert solved.objective <= mc.solve(problem, "gaec").objective + 1e-9


@pytest.mark.parametrize("killed_at", [40, 100])
def test_a_killed_run_goes_on_exactly(
    mixed: dict[str, Any], tmp_path: Path, killed_at: int
) -> None:
    straight = train(**{**mixed, "output": str(tmp_path / "straight")})
    with pytest.raises(Killed):
        train(**mixed, progress=kill_after(killed_at))
    resumed = train(**mixed)
    assert curves(straight.folder) == curves(resumed.folder)
    assert_same_weights(straight.model_path, resumed.model_path)


def test_the_order_of_a_table_means_nothing(mixed: dict[str, Any], tmp_path: Path) -> None:
    first = train(**{**mixed, "output": str(tmp_path / "first")})
    turned = {**mixed, "train": dict(reversed(mixed["train"].items()))}
    assert_same_weights(first.model_path, train(**turned).model_path)


def test_a_table_of_one_dataset_is_enough(mixed: dict[str, Any]) -> None:
    (name, _), *_ = mixed["train"].items()
    result = train(**{**mixed, "instances": 20, "train": {name: 2}, "validation": {name: 5}})
    assert result.validation is not None
    assert result.validation["objective_ratio"] == result.validation["by_dataset"][name]


def test_a_trained_one_is_taken_further(mixed: dict[str, Any], tmp_path: Path) -> None:
    first = train(**mixed)
    further = train(
        **{**mixed, "output": str(tmp_path / "further"), "network": {}},
        finetune=str(first.model_path),
        freeze="convolutions",
    )
    before, after = (mc.load_model(r.model_path).network.state_dict() for r in (first, further))
    changed = {name for name, value in after.items() if not torch.equal(value, before[name])}
    assert changed
    assert all(name.startswith("readout") for name in changed)


def test_a_share_of_zero_leaves_a_dataset_out() -> None:
    config = TrainingConfig(train={"randommp": 0.5, "irismp": 0.5})
    assert config.updated({"train": {"irismp": 0}}).train == {"randommp": 0.5}
    assert config.updated({"train": "irismp"}).train == "irismp"


def test_a_file_and_back(tmp_path: Path) -> None:
    path = tmp_path / "mixed.toml"
    path.write_text(
        'loss = "decisions"\n[network]\narchitecture = "contraction"\nwidth = 16\n'
        '[train]\nrandommp = 2\n"pool/planted" = 1\n'
    )
    config = TrainingConfig.from_file(path)
    assert config.network == ContractionConfig(width=16)
    assert config.learns_from == "pool/planted (1), randommp (2)"
    assert TrainingConfig.from_dict(config.to_dict()) == config


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"contracted": 0.5}, "contracted = 0.5 is for loss = 'decisions', got 'bce'; omit it"),
        (
            {"network": {"architecture": "contraction"}},
            "architecture 'contraction' is trained with loss = 'decisions', got 'bce'",
        ),
        ({"loss": "decisions", "contracted": 1.5}, "contracted is a share, at most 1, got 1.5"),
        ({"train": {}}, "train needs shares that are positive and finite"),
        ({"train": {"randommp": 0}}, "train needs shares that are positive and finite"),
        ({"train": {"randommp": "much"}}, "train.randommp must be a number"),
        ({"train": {"randommp:fresh": 1}}, "train cannot mix an endless stream"),
        ({"train": 3}, "train must be text or a table of shares, got 3"),
        ({"decay": "linear"}, "decay must be one of none, cosine; got 'linear'"),
    ],
)
def test_what_does_not_go_together(settings: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        TrainingConfig().updated(settings)
