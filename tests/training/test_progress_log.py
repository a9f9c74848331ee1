"""What happens after steps, without a network that learns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from multicut.training import Evaluation, TrainingConfig
from multicut.training.curves import open_curves, read_curve
from multicut.training.learner import Learner
from multicut.training.processes import Processes
from multicut.training.progress_log import ProgressLog
from tests.networks import small_network

CONFIG = TrainingConfig(
    instances=100,
    batch_size=10,
    log_every=20,
    validate_every=40,
    checkpoint_every=30,
    learning_rate=0.1,
    warm_up=100,
    alpha_start=0,
    alpha_ramp=100,
    alpha=1.0,
)


def result(ratio: float) -> Evaluation:
    return Evaluation(3, 0.5, None, 1.0, 0.0, ratio)


class Run:
    """Steps that learn nothing, with a log that looks at them."""

    def __init__(self, folder: Path, ratios: list[float] | None = None, **options: Any) -> None:
        self.folder = folder
        self.learner = Learner(small_network(), CONFIG, Processes(torch.device("cpu")))
        self.told: list[tuple[int, dict[str, float]]] = []
        self.log = ProgressLog(
            CONFIG,
            folder,
            options.get("time_limit"),
            lambda instances, values: self.told.append((instances, values)),
        )
        self.ratios = iter([]) if ratios is None else iter(ratios)
        self.has_validation = ratios is not None

    def steps(self, number: int) -> list[bool]:
        """Take so many steps and return what the log says of each."""
        validate = (lambda: result(next(self.ratios))) if self.has_validation else None
        said = []
        with open_curves(self.folder, self.learner.steps_done, CONFIG.batch_size) as curves:
            self.log.start(curves, validate, {"description": "a test"})
            for _ in range(number):
                self.learner.sums += torch.tensor([2.0, 1.0, 0.0, 0.0])
                for name in ("loss", "bce"):
                    self.learner.counts[name] = self.learner.counts.get(name, 0) + 1
                self.learner.steps_done += 1
                said.append(self.log.after_step(self.learner))
        return said

    @property
    def card(self) -> dict[str, Any]:
        card: dict[str, Any] = json.loads((self.folder / "model.json").read_text())
        return card


def test_everything_is_done_when_it_is_due(tmp_path: Path) -> None:
    run = Run(tmp_path, ratios=[0.5, 0.7, 0.6])
    assert run.steps(10) == [False] * 9 + [True]
    assert run.log.stopped_by == "finished"
    training = read_curve(tmp_path / "training.csv")
    assert [int(row["instances"]) for row in training] == [20, 40, 60, 80, 100]
    assert {(row["loss"], row["bce"], row["ccl"]) for row in training} == {("2.0", "1.0", "")}
    # Weights and rates are those of the step that was taken last.
    assert [float(row["cycle_weight"]) for row in training] == pytest.approx(
        [0.1, 0.3, 0.5, 0.7, 0.9]
    )
    assert float(training[0]["learning_rate"]) == pytest.approx(0.1 * 11 / 100)
    validation = read_curve(tmp_path / "validation.csv")
    assert [(int(row["step"]), float(row["objective_ratio"])) for row in validation] == [
        (4, 0.5),
        (8, 0.7),
        (10, 0.6),
    ]
    # The model is the best one, the checkpoint the newest.
    assert run.card["training"]["instances"] == 80
    assert run.card["validation"]["objective_ratio"] == 0.7
    assert run.card["description"] == "a test"
    content = torch.load(tmp_path / "last.ckpt", weights_only=True)
    assert content["global_step"] == 10
    assert content["multicut"]["best"] == 0.7
    assert content["multicut"]["last_validation"]["objective_ratio"] == 0.6
    assert run.log.instances_per_second is not None


def test_progress_is_told_with_each_row(tmp_path: Path) -> None:
    run = Run(tmp_path, ratios=[0.5, 0.7, 0.6])
    run.steps(4)
    (first, training), _, (third, validation) = run.told
    assert (first, third) == (20, 40)
    assert training["loss"] == 2.0
    assert training["instances_per_second"] > 0
    assert validation == {"objective_ratio": 0.5}


def test_without_validation_the_newest_model_is_kept(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.steps(9)
    assert run.card["training"]["instances"] == 80
    run.steps(1)
    assert run.card["training"]["instances"] == 100
    assert run.card["validation"] is None
    assert read_curve(tmp_path / "validation.csv") == []


@pytest.mark.parametrize("reason", ["interrupt", "time limit"])
def test_a_stop_leaves_a_checkpoint_and_a_model(tmp_path: Path, reason: str) -> None:
    run = Run(tmp_path, ratios=[], time_limit=0.0 if reason == "time limit" else None)
    if reason == "interrupt":
        run.log.interrupted.set()
    assert run.steps(1) == [True]
    assert run.log.stopped_by == reason
    assert torch.load(tmp_path / "last.ckpt", weights_only=True)["global_step"] == 1
    assert run.card["training"]["instances"] == 10


def test_what_was_best_before_a_stop_counts_after_it(tmp_path: Path) -> None:
    first = Run(tmp_path, ratios=[0.9])
    first.steps(6)
    content = torch.load(tmp_path / "last.ckpt", weights_only=True)
    later = Run(tmp_path, ratios=[0.8, 0.9])
    later.learner.load_state_dict(content)
    later.log.load_state_dict(content)
    assert later.log.last_validation is not None
    assert later.log.last_validation["objective_ratio"] == 0.9
    later.steps(2)
    assert later.card["training"]["instances"] == 40
    later.steps(2)  # as good, and newer
    assert later.card["training"]["instances"] == 100


def test_a_checkpoint_without_its_best_model_begins_a_new_search(tmp_path: Path) -> None:
    Run(tmp_path, ratios=[0.9]).steps(6)
    content = torch.load(tmp_path / "last.ckpt", weights_only=True)
    (tmp_path / "model.safetensors").unlink()
    later = Run(tmp_path, ratios=[0.8, 0.7])
    later.learner.load_state_dict(content)
    later.log.load_state_dict(content)
    later.steps(4)
    assert later.card["training"]["instances"] == 80
    assert (tmp_path / "model.safetensors").exists()
