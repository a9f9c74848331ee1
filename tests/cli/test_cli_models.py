from __future__ import annotations

import json
from pathlib import Path

import pytest

import multicut as mc


def test_the_list_is_that_of_the_library(multicut):
    entries = multicut("models", "--json").json()
    printed = multicut("models").stdout
    assert [entry["name"] for entry in entries] == [record.name for record in mc.list_models()]
    for record, entry in zip(mc.list_models(), entries, strict=True):
        assert entry["description"] == record.description
        assert Path(entry["path"]).stat().st_size == entry["bytes"]
        assert record.name in printed
    solvers = {entry["name"]: entry["solver"] for entry in entries}
    assert solvers["universal"] == "learned"
    assert solvers["gcn_w_bn-randommp"] == "gnn"


def test_the_list_needs_no_torch(multicut, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    assert multicut("models").code == 0
    assert multicut("models", "universal").code == 0


def test_a_card(multicut):
    record = mc.list_models("universal")[0]
    printed = multicut("models", "universal").stdout
    assert record.description in printed
    assert str(record.path) in printed
    assert f"ratio {record.card['test']['irismp:test']['objective_ratio']:.4f}" in printed
    document = multicut("models", "universal", "--json").json()
    assert document["card"] == record.card
    for other in mc.list_models():
        assert multicut("models", other.name).code == 0


def test_a_path(multicut):
    record = mc.list_models("lr-irismp")[0]
    assert multicut("models", "lr-irismp", "--path").stdout == f"{record.path}\n"
    lines = multicut("models", "--path").stdout.splitlines()
    assert lines == [str(record.path) for record in mc.list_models()]


def test_mistakes(multicut, tmp_path):
    outcome = multicut("models", "univrsal")
    assert outcome.code == 2
    assert "did you mean 'universal'" in outcome.stderr
    assert multicut("models", "universal", "--path", "--json").code == 2
    outcome = multicut("models", tmp_path)
    assert outcome.code == 2
    assert "the folder has no model.safetensors" in outcome.stderr


@pytest.fixture
def run(tmp_path):
    """A folder as training leaves it."""
    from multicut.nn import MulticutNetwork, NetworkConfig

    network = MulticutNetwork(NetworkConfig("gcn_w", width=8, depth=1, classifier_width=8))
    mc.save_model(network.eval(), tmp_path / "runs" / "small" / "model", {"description": "small"})
    return tmp_path / "runs" / "small"


def test_a_training_folder_stands_for_its_model(multicut, run, problem_file, problem):
    assert mc.load_model(run).name == "small"
    assert mc.load_model(str(run)).card == mc.load_model(run / "model").card
    assert multicut("models", run, "--path").stdout.strip() == str(run / "model.safetensors")
    document = multicut("solve", problem_file, "--model", run, "--json").json()
    expected = mc.solve(problem, "gnn", model=run / "model")
    assert (document["solver"], document["details"]["model"]) == ("gnn", "small")
    assert document["objective"] == pytest.approx(expected.objective)
    outcome = multicut("models", run.parent)
    assert "contains training runs; name one of them, such as" in outcome.stderr


def test_a_model_chooses_its_solver(multicut, problem_file):
    document = multicut("solve", problem_file, "-m", "universal", "--json").json()
    assert document["solver"] == "learned"
    assert document["details"]["model"] == "universal"
    for arguments, message in (
        (("-s", "klj"), "solver 'klj' uses no network; use gnn or learned"),
        (("--option", "model=universal"), "use only one of them"),
    ):
        outcome = multicut("solve", problem_file, "-m", "universal", *arguments)
        assert outcome.code == 2
        assert message in outcome.stderr


def test_a_shipped_name_wins_over_a_folder_without_a_model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lr-irismp").mkdir()
    assert mc.load_model("lr-irismp").name == "lr-irismp"


def test_evaluate_without_graphs_takes_those_of_the_card(multicut, run, tmp_path):
    card = json.loads((run / "model.json").read_text())
    outcome = multicut("evaluate", run)
    assert outcome.code == 2
    assert "names no graphs to measure on" in outcome.stderr
    mc.datasets.generate("irismp", 2).label("gaec", num_workers=1).save(tmp_path / "set")
    card["training"] = {"validation": str(tmp_path / "set")}
    (run / "model.json").write_text(json.dumps(card))
    (row,) = multicut("evaluate", run, "--json").json()["datasets"]
    assert (row["dataset"], row["num_graphs"]) == (str(tmp_path / "set"), 2)
    card["training"] = {"validation": {"irismp": 0.5, str(tmp_path / "set"): 0.5}}
    (run / "model.json").write_text(json.dumps(card))
    rows = multicut("evaluate", run, "--num", 2, "--json").json()["datasets"]
    assert [row["dataset"] for row in rows] == ["irismp:valid", str(tmp_path / "set")]
    rows = multicut("evaluate", "lr-irismp", "--num", 3, "--json").json()["datasets"]
    assert [row["dataset"] for row in rows] == ["irismp:test", "randommp:test"]
