"""Several processes that share a run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

import multicut as mc
from multicut.training import TrainingConfig, train
from multicut.training.processes import Processes, processes_of
from tests.training.test_train import assert_same_weights, curves


def test_one_process_agrees_with_itself() -> None:
    with processes_of(TrainingConfig(accelerator="cpu"), {}) as processes:
        assert (processes.rank, processes.world_size) == (0, 1)
        assert processes.device == torch.device("cpu")
        assert processes.is_first
        values = torch.tensor([1.0, 2.0])
        total = processes.sum(values)
        assert total.tolist() == [1.0, 2.0]
        assert total is not values
        assert processes.any(True)
        assert not processes.any(False)
        processes.wait()
    assert not Processes(torch.device("cpu"), rank=1, world_size=2).is_first


class Twice(Processes):
    """One of two processes that compute the same."""

    def sum(self, values: torch.Tensor) -> torch.Tensor:
        return 2 * values


def test_gradients_add_up() -> None:
    used, unused = torch.nn.Parameter(torch.ones(2, 3)), torch.nn.Parameter(torch.ones(4))
    used.grad = torch.arange(6.0).reshape(2, 3)
    Twice(torch.device("cpu"), rank=0, world_size=1).sum_gradients([used, unused])
    assert unused.grad is None
    Twice(torch.device("cpu"), rank=0, world_size=2).sum_gradients([used, unused])
    assert used.grad.tolist() == [[0.0, 2.0, 4.0], [6.0, 8.0, 10.0]]
    assert unused.grad is not None
    assert unused.grad.tolist() == [0.0] * 4


@pytest.mark.slow
def test_graphs_that_were_given_go_to_all_processes(
    settings: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    settings = {**settings, "network": {**settings["network"], "batch_norm": False}}
    alone = train(**settings)
    told: list[int] = []
    settings |= {"devices": 2, "output": str(tmp_path / "two")}
    half = train(**{**settings, "instances": 60}, progress=lambda seen, _: told.append(seen))
    assert told == [20, 40, 40, 60, 60]
    assert half.instances == 60
    both = train(**settings)
    assert both.instances == 120
    for expected, found in zip(curves(alone.folder)[0], curves(both.folder)[0], strict=True):
        assert float(found["loss"]) == pytest.approx(float(expected["loss"]), rel=1e-4)
    # Nothing is left behind.
    assert not list(both.folder.glob("process-*"))
    assert "RANK" not in os.environ
    assert not torch.distributed.is_initialized()


@pytest.mark.slow
def test_a_process_that_fails_is_named(
    settings: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The others cannot even begin.
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['multicut'] = None\n")
    with pytest.raises(RuntimeError, match=r"process 1 of the run failed: .*multicut") as caught:
        train(**settings, devices=2)
    assert "\n" not in str(caught.value)
    (log,) = Path(settings["output"]).glob("process-*")
    assert log.name == "process-1.log"


@pytest.mark.slow
def test_torchrun_starts_the_same_run(
    settings: dict[str, Any],
    graphs: mc.Dataset,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    graphs.save(tmp_path / "graphs")
    settings |= {"train": str(tmp_path / "graphs"), "validation": "", "devices": 2}
    network = settings.pop("network")
    own = train(**settings, network=network)
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
    lines += ["[network]", *(f"{key} = {json.dumps(value)}" for key, value in network.items())]
    (tmp_path / "run.toml").write_text("\n".join(lines))
    launch = ["-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone"]
    command = ["-m", "multicut", "train", str(tmp_path / "run.toml"), "-o", str(tmp_path / "two")]
    done = subprocess.run(
        [sys.executable, *launch, *command], capture_output=True, text=True, check=True
    )
    assert done.stderr.count("Training run on") == 1  # one of them speaks
    assert curves(tmp_path / "two") == curves(own.folder)
    assert_same_weights(tmp_path / "two" / "model", own.model_path)


def test_torchrun_and_the_configuration_must_agree(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "5")
    with pytest.raises(ValueError, match="devices must be 5, the processes that were started"):
        train(**settings, devices=2)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_devices_that_are_not_there(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="devices must be at most 0, the GPUs here, got 1"):
        train(**{**settings, "accelerator": "cuda"})
