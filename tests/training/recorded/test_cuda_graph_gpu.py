"""Recorded steps on a GPU do what steps that are launched kernel by kernel do."""

from __future__ import annotations

import logging
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import torch

import multicut as mc
from multicut.training import train
from multicut.training.curves import read_curve
from tests.training.conftest import labelled

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU is at hand")
RECORDED = "training step recorded as a CUDA graph"


@pytest.fixture(scope="module")
def graphs() -> mc.Dataset:
    return labelled(60, family="randommp")


@pytest.fixture
def settings(graphs: mc.Dataset) -> dict[str, Any]:
    return {
        "network": {"architecture": "gcn_w", "width": 128, "depth": 6},
        "train": graphs,
        "instances": 200,
        "batch_size": 20,
        "alpha": 0.01,
        "alpha_start": 0,
        "alpha_ramp": 0,
        "log_every": 20,
        "validate_every": 0,
        "accelerator": "cuda",
    }


@pytest.fixture
def _exact_products(monkeypatch: pytest.MonkeyPatch) -> None:
    """Multiply in single precision, not in TF32 as training does.

    Padding changes the order of sums, and so their last digits. TF32 has ten bits, so a last digit
    may decide how a factor is rounded, and that is then one part in two thousand. Cycle consistency
    makes more of it: it counts edges from a probability of 0.5 on, and those of a new network
    are all near 0.5.
    """
    monkeypatch.setattr("multicut.training.runner._fast_products", nullcontext)


def losses(folder: Path) -> list[float]:
    return [float(row["loss"]) for row in read_curve(folder / "training.csv")]


@needs_gpu
@pytest.mark.usefixtures("_exact_products")
@pytest.mark.parametrize("alpha_start", [10**9, 0, 100])
def test_ten_steps_are_the_same(
    settings: dict[str, Any], tmp_path: Path, caplog: pytest.LogCaptureFixture, alpha_start: int
) -> None:
    settings["alpha_start"] = alpha_start
    plain = train(**settings, cuda_graph="off", output=str(tmp_path / "plain"))
    with caplog.at_level(logging.INFO, logger="multicut.training"):
        replayed = train(**settings, cuda_graph="on", output=str(tmp_path / "replayed"))
    messages = [record.getMessage() for record in caplog.records]
    recordings = [message for message in messages if message.startswith(RECORDED)]
    # With cycles from the sixth step on, there is one recording for either kind of batch.
    assert len(recordings) == (2 if alpha_start == 100 else 1), messages
    expected, found = losses(plain.folder), losses(replayed.folder)
    assert len(expected) == 10
    # Sums of other sizes are taken in another order. On a processor, where the same steps are
    # computed instead of recorded, losses then differ by a thousandth at most.
    assert found == pytest.approx(expected, rel=1e-2)
    for (name, one), other in zip(
        plain.network.state_dict().items(), replayed.network.state_dict().values(), strict=True
    ):
        if not one.is_floating_point():
            assert torch.equal(one, other), name
            continue
        # Adam's steps have the size of the learning rate, 0.001, whatever the gradient's is; so
        # where a gradient is next to nothing, weights may part by twice that in a step.
        assert float((one - other).abs().mean()) < 1e-3 + 5e-3 * float(one.abs().mean()), name


@needs_gpu
def test_it_is_the_default(
    settings: dict[str, Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings |= {"instances": 40, "output": str(tmp_path / "run")}
    with caplog.at_level(logging.INFO, logger="multicut.training"):
        train(**settings)
        train(**{**settings, "output": str(tmp_path / "half"), "precision": "bf16-mixed"})
    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == 2
    assert messages[0].startswith(RECORDED)
    assert messages[1].endswith("launched kernel by kernel: precision is bf16-mixed")


@needs_gpu
@pytest.mark.usefixtures("_exact_products")
@pytest.mark.parametrize("clip", [0.0, 0.05])
@pytest.mark.parametrize("architecture", ["gt", "mpnn", "rggcn_he", "sgcn_w"])
def test_networks_that_store_messages(
    settings: dict[str, Any], tmp_path: Path, architecture: str, clip: float
) -> None:
    settings |= {"clip": clip, "network": {"architecture": architecture, "depth": 3, "width": 32}}
    plain = train(**settings, cuda_graph="off", output=str(tmp_path / "plain"))
    replayed = train(**settings, cuda_graph="on", output=str(tmp_path / "replayed"))
    assert losses(replayed.folder) == pytest.approx(losses(plain.folder), rel=1e-2)


@needs_gpu
def test_a_stopped_run_goes_on(settings: dict[str, Any], tmp_path: Path) -> None:
    # A learning rate that goes on rising after the checkpoint, up to the ninth step.
    settings["warm_up"] = 180
    straight = train(**settings, cuda_graph="on", output=str(tmp_path / "straight"))
    train(**{**settings, "instances": 100}, cuda_graph="on", output=str(tmp_path / "stopped"))
    resumed = train(**settings, cuda_graph="on", output=str(tmp_path / "stopped"))
    assert resumed.instances == 200
    assert losses(resumed.folder) == pytest.approx(losses(straight.folder), rel=1e-3)


@needs_gpu
@pytest.mark.parametrize("accelerator", ["cpu", "cuda"])
def test_a_run_of_plain_steps_goes_on_with_recordings(
    settings: dict[str, Any], tmp_path: Path, accelerator: str
) -> None:
    settings["warm_up"] = 180
    plain = train(**settings, cuda_graph="off", output=str(tmp_path / "plain"))
    output = str(tmp_path / "stopped")
    begun = {**settings, "instances": 100, "accelerator": accelerator, "cuda_graph": "off"}
    train(**begun, output=output)
    resumed = train(**settings, cuda_graph="on", output=output)
    # A processor does not round products to TF32.
    assert losses(resumed.folder) == pytest.approx(losses(plain.folder), rel=3e-2)


@needs_gpu
def test_finetuning_of_the_classifier(settings: dict[str, Any], tmp_path: Path) -> None:
    before = train(**settings, cuda_graph="off", output=str(tmp_path / "before"))
    tuning = {**settings, "finetune": str(before.model_path), "freeze": "convolutions"}
    plain = train(**tuning, cuda_graph="off", output=str(tmp_path / "plain"))
    replayed = train(**tuning, cuda_graph="on", output=str(tmp_path / "replayed"))
    assert losses(replayed.folder) == pytest.approx(losses(plain.folder), rel=1e-2)
    weight = "convolutions.0.dense.linear.weight"
    kept = mc.load_model(before.model_path).network.state_dict()[weight]
    assert torch.equal(replayed.network.state_dict()[weight].cpu(), kept.cpu())
