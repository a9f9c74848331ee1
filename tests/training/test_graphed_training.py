"""Runs through recorded steps, as Lightning sees them; a recording computes its step here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from multicut.nn import NetworkConfig
from multicut.training import TrainingConfig, recording, train
from multicut.training import module as training_module
from multicut.training.capacity import Capacity
from multicut.training.graphed_step import GraphedSteps, why_not_recorded
from tests.training.test_train import (
    Killed,
    assert_same_weights,
    curves,
    kill_after,
    weights_of,
)


@pytest.fixture
def graphed(monkeypatch: pytest.MonkeyPatch) -> list[GraphedSteps]:
    """Record steps on this processor; the list tells what was made."""
    made = []

    class Kept(GraphedSteps):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            made.append(self)

    monkeypatch.setattr(recording, "capture", lambda step, *_: step)
    monkeypatch.setattr(training_module, "why_not_recorded", lambda *_: None)
    monkeypatch.setattr(training_module, "GraphedSteps", Kept)
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
    plain: Any, graphed: list[GraphedSteps], settings: dict[str, Any]
) -> None:
    result = train(**settings)
    assert [(steps.num_replayed, steps.num_left) for steps in graphed] == [(12, 0)]
    assert (result.instances, result.stopped_by) == (120, "finished")
    assert_close_curves(plain.folder, result.folder)
    expected = weights_of(plain.model_path)
    for name, tensor in weights_of(result.model_path).items():
        torch.testing.assert_close(tensor, expected[name], rtol=1e-3, atol=1e-4, msg=name)


def test_batches_that_do_not_fit_take_plain_steps(
    plain: Any,
    graphed: list[GraphedSteps],
    settings: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original = Capacity.holds
    monkeypatch.setattr(
        Capacity, "holds", lambda self, g, c: g.num_nodes % 2 == 0 and original(self, g, c)
    )
    result = train(**settings)
    (steps,) = graphed
    assert steps.num_replayed + steps.num_left == 12
    assert steps.num_replayed > 0
    assert steps.num_left > 0
    assert_close_curves(plain.folder, result.folder)


@pytest.mark.parametrize("killed_at", [60, 100])
@pytest.mark.usefixtures("graphed")
def test_a_killed_run_goes_on_exactly(
    settings: dict[str, Any], tmp_path: Path, killed_at: int
) -> None:
    straight = train(**settings)
    settings["output"] = str(tmp_path / "killed")
    with pytest.raises(Killed):
        train(**settings, progress=kill_after(killed_at))
    resumed = train(**settings)
    assert curves(resumed.folder) == curves(straight.folder)
    assert_same_weights(resumed.model_path, straight.model_path)


def test_a_run_may_go_on_without_recordings(
    plain: Any,
    graphed: list[GraphedSteps],
    settings: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    train(**{**settings, "instances": 60})
    monkeypatch.setattr(training_module, "why_not_recorded", lambda *_: "not now")
    result = train(**{**settings, "cuda_graph": False})
    assert [steps.num_replayed for steps in graphed] == [6]
    assert result.instances == 120
    assert_close_curves(plain.folder, result.folder)


@pytest.mark.usefixtures("graphed")
def test_fresh_graphs_take_plain_steps(settings: dict[str, Any]) -> None:
    result = train(**{**settings, "train": "irismp:fresh", "labels": "gaec", "instances": 20})
    assert result.instances == 20


@pytest.mark.parametrize(
    ("settings", "device", "world_size", "known", "obstacle"),
    [
        ({}, "cuda", 1, True, None),
        ({"cuda_graph": False}, "cuda", 1, True, "cuda_graph is false"),
        ({}, "cpu", 1, True, "cpu is no GPU"),
        ({}, "cuda", 2, True, "there are several processes"),
        ({"precision": "bf16-mixed"}, "cuda", 1, True, "precision is bf16-mixed"),
        ({"loss": "polynomial"}, "cuda", 1, True, "loss is polynomial"),
        ({"network": NetworkConfig("gt")}, "cuda", 1, True, "architecture gt takes no batches"),
        ({}, "cuda", 1, False, "the sizes of fresh graphs"),
    ],
)
def test_when_steps_are_recorded(
    settings: dict[str, Any], device: str, world_size: int, known: bool, obstacle: str | None
) -> None:
    config = TrainingConfig(**{"cuda_graph": True, **settings})
    found = why_not_recorded(config, torch.device(device), world_size, known)
    assert found is None if obstacle is None else str(found).startswith(obstacle)
