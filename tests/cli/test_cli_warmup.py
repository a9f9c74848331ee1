from __future__ import annotations

import pytest

pytest.importorskip("torch_geometric")


def test_kernels_are_compiled_for_each_gpu(multicut, monkeypatch):
    """The processor takes the place of two GPUs."""
    monkeypatch.setattr("multicut.models.devices.all_gpus", lambda: ["cpu", "cpu"])
    outcome = multicut("warmup")
    assert outcome.code == 0
    assert outcome.stdout.count("cpu: ready after") == 2


def test_one_device(multicut):
    assert "cpu: ready after" in multicut("warmup", "--device", "cpu").stdout


def test_without_a_gpu_there_is_nothing_to_compile(multicut, monkeypatch):
    monkeypatch.setattr("multicut.models.devices.all_gpus", list)
    outcome = multicut("warmup")
    assert outcome.code == 2
    assert "torch finds no GPU" in outcome.stderr
