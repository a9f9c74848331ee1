"""Runs through recorded steps from begin to end; a recording computes its step here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from multicut.nn import NetworkConfig
from multicut.training import TrainingConfig, learner, train
from multicut.training.recorded import cuda_graph
from multicut.training.recorded.capacity import Capacity
from multicut.training.recorded.steps import RecordedSteps, why_not_recorded
from tests.training.test_train import (
    Killed,
    assert_same_weights,
    curves,
    kill_after,
    weights_of,
)


def _capture(step: cuda_graph.Step, optimizer: torch.optim.Optimizer, _: object) -> cuda_graph.Step:
    """Compute each step, with the learning rate that a recording would have.

    That is the number that was there when it was made, or the tensor, whatever this holds by now.
    """
    (group,) = optimizer.param_groups
    recorded_rate = group["lr"]

    def replay() -> torch.Tensor:
        rate, group["lr"] = group["lr"], recorded_rate
        try:
            return step()
        finally:
            group["lr"] = rate

    return replay


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> list[RecordedSteps]:
    """Record steps on this processor; the list tells what was made."""
    made = []

    class Kept(RecordedSteps):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            made.append(self)

    monkeypatch.setattr(cuda_graph, "capture", _capture)
    monkeypatch.setattr(learner, "why_not_recorded", lambda *_: None)
    monkeypatch.setattr(learner, "RecordedSteps", Kept)
    return made


@pytest.fixture
def plain(settings: dict[str, Any], tmp_path: Path) -> Any:
    """The same run, before steps are recorded."""
    return train(**{**settings, "output": str(tmp_path / "plain")})


def assert_close_curves(one: Path, other: Path) -> None:
    for expected, found in zip(curves(one)[0], curves(other)[0], strict=True):
        assert expected.keys() == found.keys()
        for name, value in expected.items():
            assert bool(value) == bool(found[name]), name
            if value:
                assert float(found[name]) == pytest.approx(float(value), rel=1e-4), name


def test_curves_and_weights_are_those_of_plain_steps(
    plain: Any, recorded: list[RecordedSteps], settings: dict[str, Any]
) -> None:
    result = train(**settings)
    assert [(steps.num_replayed, steps.num_left) for steps in recorded] == [(12, 0)]
    assert (result.instances, result.stopped_by) == (120, "finished")
    assert_close_curves(plain.folder, result.folder)
    expected = weights_of(plain.model_path)
    for name, tensor in weights_of(result.model_path).items():
        torch.testing.assert_close(tensor, expected[name], rtol=1e-3, atol=1e-4, msg=name)


def test_batches_that_do_not_fit_take_plain_steps(
    plain: Any,
    recorded: list[RecordedSteps],
    settings: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original = Capacity.holds
    monkeypatch.setattr(
        Capacity, "holds", lambda self, g, c: g.num_nodes % 2 == 0 and original(self, g, c)
    )
    result = train(**settings)
    (steps,) = recorded
    assert steps.num_replayed + steps.num_left == 12
    assert steps.num_replayed > 0
    assert steps.num_left > 0
    assert_close_curves(plain.folder, result.folder)


# With a learning rate that never stays the same.
CHANGING = {"warm_up": 60, "decay": "cosine"}


@pytest.mark.parametrize("killed_at", [60, 100])
@pytest.mark.usefixtures("recorded")
def test_a_killed_run_goes_on_exactly(
    settings: dict[str, Any], tmp_path: Path, killed_at: int
) -> None:
    settings |= CHANGING
    straight = train(**settings)
    settings["output"] = str(tmp_path / "killed")
    with pytest.raises(Killed):
        train(**settings, progress=kill_after(killed_at))
    resumed = train(**settings)
    assert curves(resumed.folder) == curves(straight.folder)
    assert_same_weights(resumed.model_path, straight.model_path)


def test_learning_rates_change_as_in_plain_steps(
    settings: dict[str, Any], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    settings |= CHANGING
    plain = train(**{**settings, "output": str(tmp_path / "plain")})
    request.getfixturevalue("recorded")
    assert_close_curves(plain.folder, train(**settings).folder)


def test_a_run_may_go_on_without_recordings(
    plain: Any,
    recorded: list[RecordedSteps],
    settings: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    train(**{**settings, "instances": 60})
    monkeypatch.setattr(learner, "why_not_recorded", lambda *_: "not now")
    result = train(**{**settings, "cuda_graph": "off"})
    assert [steps.num_replayed for steps in recorded] == [6]
    assert result.instances == 120
    assert_close_curves(plain.folder, result.folder)


@pytest.mark.parametrize("before", ["off", False, None])
def test_a_run_of_plain_steps_may_go_on_with_recordings(
    before: Any, settings: dict[str, Any], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    settings |= CHANGING
    plain = train(**{**settings, "output": str(tmp_path / "plain")})
    with pytest.raises(Killed):
        train(**settings, cuda_graph="off", progress=kill_after(60))
    # Checkpoints from when this was true or false, or was not there at all, are good, too.
    path = Path(settings["output"]) / "last.ckpt"
    checkpoint = torch.load(path, weights_only=True)
    config = checkpoint["multicut"]["config"]
    assert config.pop("cuda_graph") == "off"
    if before is not None:
        config["cuda_graph"] = before
    torch.save(checkpoint, path)
    steps: list[RecordedSteps] = request.getfixturevalue("recorded")
    resumed = train(**settings)
    assert [each.num_replayed for each in steps] == [7]
    assert_close_curves(plain.folder, resumed.folder)


def test_without_a_gpu_nothing_is_said_of_recordings(
    settings: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", logger="multicut")
    train(**{**settings, "instances": 20})
    assert not [record for record in caplog.records if record.name.startswith("multicut")]


def test_recordings_that_are_asked_for_and_impossible_are_an_error(
    settings: dict[str, Any],
) -> None:
    with pytest.raises(ValueError, match="cpu is no GPU") as caught:
        train(**settings, cuda_graph="on")
    assert str(caught.value) == (
        "cuda_graph is 'on', but steps cannot be recorded: cpu is no GPU; set it to 'auto'"
    )


@pytest.mark.usefixtures("recorded")
def test_fresh_graphs_take_plain_steps(settings: dict[str, Any]) -> None:
    result = train(**{**settings, "train": "irismp:fresh", "labels": "gaec", "instances": 20})
    assert result.instances == 20


@pytest.mark.parametrize(
    ("settings", "device", "world_size", "known", "obstacle"),
    [
        ({}, "cuda", 1, True, None),
        ({"cuda_graph": "on"}, "cuda", 1, True, None),
        ({"cuda_graph": "off"}, "cuda", 1, True, "cuda_graph is off"),
        ({}, "cpu", 1, True, "cpu is no GPU"),
        ({}, "cuda", 2, True, "there are several processes"),
        ({"precision": "bf16-mixed"}, "cuda", 1, True, "precision is bf16-mixed"),
        ({"loss": "polynomial"}, "cuda", 1, True, "loss is polynomial"),
        ({"clip": 1.0}, "cuda", 1, True, None),
        ({"network": NetworkConfig("gt")}, "cuda", 1, True, None),
        ({}, "cuda", 1, False, "the sizes of fresh graphs"),
    ],
)
def test_when_steps_are_recorded(
    settings: dict[str, Any], device: str, world_size: int, known: bool, obstacle: str | None
) -> None:
    found = why_not_recorded(TrainingConfig(**settings), torch.device(device), world_size, known)
    assert found is None if obstacle is None else str(found).startswith(obstacle)


def test_recorded_steps_clip_gradients(
    recorded: list[RecordedSteps], settings: dict[str, Any], tmp_path: Path
) -> None:
    # Weights hardly move if gradients are so short that the epsilon of Adam counts.
    settings = {**settings, "instances": 10, "weight_decay": 0.0, "validation": None}
    runs = {"whole": (0.0, 1e-3), "clipped": (1e-12, 1e-3), "still": (0.0, 1e-12)}
    after = {}
    for name, (clip, rate) in runs.items():
        changed = {"clip": clip, "learning_rate": rate, "output": str(tmp_path / name)}
        after[name] = weights_of(train(**{**settings, **changed}).model_path)
    assert len(recorded) == 3

    def change(name: str) -> float:
        parameters = (key for key in after["still"] if "running" not in key and "num_" not in key)
        return max(float((after[name][p] - after["still"][p]).abs().max()) for p in parameters)

    assert change("whole") == pytest.approx(1e-3, rel=0.01)
    assert change("clipped") < 1e-6
