"""Small labelled graphs, and settings under which training takes a moment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import multicut as mc


def labelled(count: int, split: str = "train", family: str = "irismp") -> mc.Dataset:
    graphs = mc.datasets.generate(family, count, split=split)
    return graphs.with_results(mc.solve_batch(graphs, "gaec", num_workers=1))


@pytest.fixture(scope="session")
def graphs() -> mc.Dataset:
    return labelled(30)


@pytest.fixture(scope="session")
def validation() -> mc.Dataset:
    return labelled(10, "valid")


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def settings(graphs: mc.Dataset, validation: mc.Dataset, tmp_path: Path) -> dict[str, Any]:
    return {
        "network": {"architecture": "gcn_w", "width": 8, "depth": 2, "classifier_width": 8},
        "train": graphs,
        "validation": validation,
        "instances": 120,
        "batch_size": 10,
        "alpha": 0.01,
        "alpha_start": 40,
        "alpha_ramp": 40,
        "max_cycle_length": 3,
        "log_every": 20,
        "validate_every": 40,
        "checkpoint_every": 50,
        "accelerator": "cpu",
        "output": str(tmp_path / "run"),
    }
