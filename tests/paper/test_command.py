from __future__ import annotations

import json

import pytest

import paper
from multicut.models import devices, registry
from paper.__main__ import main
from tests.cli.conftest import Outcome
from tests.networks import save_small_model


@pytest.fixture
def run(capsys, monkeypatch):
    monkeypatch.delenv("MULTICUT_DATA", raising=False)

    def run(*arguments):
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run


@pytest.mark.slow
def test_quick_run_in_parts(run, tmp_path, monkeypatch):
    save_small_model(tmp_path / "weights", "gcn_w_bn-randommp")
    monkeypatch.setattr(registry, "WEIGHTS", tmp_path / "weights")
    folder = tmp_path / "out"
    given = ("--quick", "--num", 2, "-o", folder, "--curves", tmp_path)
    outcome = run(*given, "--part", "table2")
    assert outcome.code == 0
    assert not (folder / "cache" / "table1.json").exists()
    outcome = run(*given, "--part", "table1")
    assert outcome.code == 0
    page = (folder / "results.md").read_text()
    assert "| 1,000 |" in page
    assert "RandomMP, 2 graphs" in page
    document = json.loads((folder / "results.json").read_text())
    assert document["command"].startswith("python -m paper --quick --num 2")
    assert document["environments"]["table2"]["command"].endswith("--part table2")
    assert {record["num_nodes"] for record in document["tables"]["table2"]} == {10, 100, 1000}


def test_devices_are_measured_one_after_the_other(run, tmp_path, monkeypatch):
    measured = []

    def note(parts, settings):
        measured.append(([part.name for part in parts], settings.device))

    monkeypatch.setattr(devices, "as_device", str)
    monkeypatch.setattr(paper, "measure_parts", note)
    given = ("-o", tmp_path / "out", "--curves", tmp_path)
    outcome = run(*given, "--part", "table2", "--device", "cpu", "--device", "cuda")
    assert outcome.code == 0
    assert measured == [(["table2"], "cpu"), (["table2"], "cuda")]
    outcome = run(*given, "--part", "cycles", "--device", "cuda")
    assert outcome.code == 2
    expected = "--part cycles has nothing to measure on cuda; leave out --device"
    assert outcome.stderr.strip().endswith(expected)


def test_bad_arguments(run, tmp_path):
    for arguments, expected in (
        (("--part", "table9"), "unknown part 'table9'"),
        (("--data", tmp_path / "nowhere"), "no such folder"),
        (("--device", "tpu"), "device must be 'cpu' or"),
    ):
        outcome = run("-o", tmp_path / "out", *arguments)
        assert outcome.code == 2
        assert expected in outcome.stderr
        assert len(outcome.stderr.strip().splitlines()) == 1
