"""The learned solver from the command line."""

from __future__ import annotations

import multicut as mc
from multicut.models import registry
from tests.networks import save_small_model


def test_a_model_by_its_path(multicut, tmp_path):
    file = tmp_path / "problem.txt"
    mc.write(mc.datasets.randommp(200), file)
    path = save_small_model(tmp_path)
    options = ("--option", f"model={path}", "--option", "device=cpu")
    found = multicut("solve", file, "--solver", "gnn", *options, "--json").json()
    assert found["solver"] == "gnn"
    assert found["details"]["model"] == "small"
    assert "device" in multicut("solve", file, "--solver", "gnn", *options).stdout


def test_without_a_model_one_line_says_so(multicut, tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "WEIGHTS", tmp_path)
    file = tmp_path / "problem.txt"
    mc.write(mc.datasets.randommp(20), file)
    for options, message in (
        ((), "no model is given"),
        (("--option", "model=nothing"), "unknown model 'nothing'"),
        (("--option", f"model={tmp_path}/no.safetensors"), "no model at"),
    ):
        outcome = multicut("solve", file, "--solver", "gnn", *options)
        assert outcome.code != 0
        (_,) = (line for line in outcome.stderr.splitlines() if message in line)
        assert "Traceback" not in outcome.stderr
