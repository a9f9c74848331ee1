from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from multicut.nn import build_network
from multicut.training import TrainingConfig, train
from multicut.training.learner import Learner
from multicut.training.processes import Processes
from tests.networks import small_network
from tests.training.test_train import curves


class Together(Processes):
    """One of several processes whose sums are added up as their devices would do it."""

    def sum(self, values: torch.Tensor) -> torch.Tensor:  # noqa: ARG002
        return sum(each.sums for each in LEARNERS)  # type: ignore[return-value]


LEARNERS: list[Learner] = []


def learners(world_size: int) -> list[Learner]:
    LEARNERS[:] = [
        Learner(small_network(), TrainingConfig(), Together(torch.device("cpu"), rank, world_size))
        for rank in range(world_size)
    ]
    return list(LEARNERS)


def test_sums_of_all_processes_survive_a_checkpoint() -> None:
    first, second = learners(2)
    first.sums += torch.tensor([1.0, 2.0, 3.0, 4.0])
    second.sums += torch.tensor([5.0, 6.0, 7.0, 8.0])
    first.counts = second.counts = dict.fromkeys(("loss", "bce", "ccl", "objective"), 2)
    checkpoint = first.state_dict()
    assert first.sums.tolist() == [1.0, 2.0, 3.0, 4.0]
    for world_size in (1, 2):
        later = learners(world_size)
        for each in later:
            each.load_state_dict(checkpoint)
        means = later[0].take_means()
        assert means == {"loss": 3.0, "bce": 4.0, "ccl": 5.0, "objective": 6.0}


def test_gradients_are_clipped(settings: dict[str, Any], tmp_path: Path) -> None:
    # Adam makes of the first gradient a step of the same size, however long it is; unless it is
    # so short that the epsilon in the denominator counts.
    settings = {**settings, "instances": 10, "weight_decay": 0.0, "validation": None}
    runs = {
        clip: train(**{**settings, "clip": clip, "output": str(tmp_path / str(clip))})
        for clip in (0.0, 1.0, 1e-12)
    }
    torch.manual_seed(0)
    start = build_network(runs[0.0].network.config).state_dict()

    def change(clip: float) -> float:
        after = dict(runs[clip].network.named_parameters())
        return max(float((v.detach() - start[name]).abs().max()) for name, v in after.items())

    assert change(0.0) == pytest.approx(1e-3, rel=0.01)  # the learning rate
    assert change(1.0) == pytest.approx(1e-3, rel=0.01)
    assert change(1e-12) < 1e-6


def test_half_precision_rounds_but_keeps_its_weights_in_single(
    settings: dict[str, Any], tmp_path: Path
) -> None:
    single = train(**settings)
    half = train(**{**settings, "precision": "bf16-mixed", "output": str(tmp_path / "half")})
    # A CPU has no other half precision.
    other = train(**{**settings, "precision": "16-mixed", "output": str(tmp_path / "other")})
    assert curves(half.folder)[0] == curves(other.folder)[0]
    assert all(parameter.dtype == torch.float32 for parameter in half.network.parameters())
    expected, found = (float(curves(run.folder)[0][0]["loss"]) for run in (single, half))
    assert found != expected
    assert found == pytest.approx(expected, rel=0.02)


def test_a_run_that_lightning_began_goes_on(settings: dict[str, Any], tmp_path: Path) -> None:
    straight = train(**settings)
    settings["output"] = str(tmp_path / "stopped")
    folder = train(**{**settings, "instances": 60}).folder
    checkpoint = torch.load(folder / "last.ckpt", weights_only=True)
    own = checkpoint["multicut"]
    kept = {name: own.pop(name) for name in ("best", "last_validation")}
    del checkpoint["scaler"]
    torch.save({**checkpoint, "callbacks": {"Recorder": kept}}, folder / "last.ckpt")
    resumed = train(**settings)
    assert curves(resumed.folder)[0] == curves(straight.folder)[0]
    for name, tensor in straight.network.state_dict().items():
        torch.testing.assert_close(resumed.network.state_dict()[name], tensor, rtol=0, atol=0)
