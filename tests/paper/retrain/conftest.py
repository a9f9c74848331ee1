"""Small labelled graphs, and settings under which training takes a moment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from multicut.datasets import generate
from multicut.solve import solve_batch
from multicut.training.config import TrainingConfig

SETTINGS: dict[str, Any] = {
    # On a GPU sums depend on the order of threads, and two runs agree only nearly.
    "accelerator": "cpu",
    "network": {"architecture": "gcn_w", "depth": 2, "width": 8},
    "max_cycle_length": 3,
    "batch_size": 10,
    "alpha_start": 40,
    "alpha_ramp": 20,
    "instances": 80,
    "validate_every": 10,
    "log_every": 10,
    "checkpoint_every": 40,
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    graphs = generate("irismp", 20)
    folder = tmp_path_factory.mktemp("graphs")
    for split in ("train", "valid"):
        graphs.with_results(solve_batch(graphs, "gaec")).save(folder / split)
    return str(folder)


def config(data: str, output: Path, **settings: Any) -> TrainingConfig:
    own = {"train": data, "validation": data, "output": str(output)}
    return TrainingConfig().updated({**SETTINGS, **own, **settings})


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
