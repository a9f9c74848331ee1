"""``multicut train`` and ``multicut evaluate``."""

from __future__ import annotations

from pathlib import Path

import pytest

import multicut as mc

CONFIG = """
train = "{folder}/graphs"
validation = "{folder}/graphs"
instances = 40
batch_size = 10
alpha = 0.0
max_cycle_length = 3
log_every = 10
validate_every = 20
checkpoint_every = 20
accelerator = "cpu"

[network]
architecture = "gcn_w"
width = 8
depth = 2
classifier_width = 8
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    graphs = mc.datasets.generate("irismp", 12)
    graphs.with_results(mc.solve_batch(graphs, "gaec", num_workers=1)).save(tmp_path / "graphs")
    path = tmp_path / "small.toml"
    path.write_text(CONFIG.format(folder=tmp_path))
    return path


def test_train_then_evaluate(multicut, config, tmp_path):
    out = tmp_path / "out"
    outcome = multicut("train", str(config), "-o", str(out), "--json")
    assert outcome.code == 0
    (summary,) = outcome.json()
    assert summary["instances"] == 40
    assert summary["stopped_by"] == "finished"
    assert 0 < summary["validation"]["objective_ratio"] <= 1

    data = str(tmp_path / "graphs")
    outcome = multicut("evaluate", str(out / "model"), data, "--cycles", "3", "--json")
    assert outcome.code == 0
    (row,) = outcome.json()["datasets"]
    assert row["num_graphs"] == 12
    # The same measure of the same network, by another road.
    card = mc.load_model(out / "model").card["validation"]
    assert row["objective_ratio"] == pytest.approx(card["objective_ratio"])
    assert row["bce"] == pytest.approx(card["bce"])
    assert row["ccl"] == pytest.approx(card["ccl"])

    outcome = multicut("evaluate", str(out / "model"), data, "--num", "5")
    assert outcome.code == 0
    assert "objective ratio" in outcome.stdout


def test_training_ends_with_the_model_and_the_next_command(multicut, config, tmp_path):
    out = tmp_path / "out"
    told = multicut("train", config, "-o", out).stderr.splitlines()
    assert told[-3:] == [
        f"The model is in {out / 'model.safetensors'}. Next:",
        f"  multicut evaluate {out}",
        f"  multicut solve FILE --model {out}",
    ]
    (row,) = multicut("evaluate", out, "--json").json()["datasets"]
    assert (row["dataset"], row["num_graphs"]) == (str(tmp_path / "graphs"), 12)
    told = multicut("train", config, "-o", tmp_path / "x y", "--set", "validation=").stderr
    assert f"  multicut evaluate '{tmp_path / 'x y'}' randommp" in told


def test_a_stopped_run_goes_on(multicut, config, tmp_path):
    command = ["train", str(config), "-o", str(tmp_path / "out"), "--json"]
    outcome = multicut(*command, "--time-limit", "0")
    assert outcome.code == 0
    assert outcome.json()[0]["stopped_by"] == "time limit"
    assert outcome.json()[0]["instances"] == 10
    outcome = multicut(*command)
    assert outcome.code == 0
    assert outcome.json()[0]["instances"] == 40
    outcome = multicut(*command, "--set", "alpha=0.5")
    assert outcome.code == 2
    assert "holds a run with alpha = 0.0, not 0.5" in outcome.stderr
    outcome = multicut(*command, "--set", "alpha=0.5", "--restart", "--set", "network.depth=1")
    assert outcome.code == 0
    assert mc.load_model(tmp_path / "out" / "model").network.config.depth == 1


def test_finetuning(multicut, config, tmp_path):
    multicut("train", str(config), "-o", str(tmp_path / "first"))
    model = str(tmp_path / "first" / "model")
    command = ["train", str(config), "--finetune", model, "-o", str(tmp_path / "second"), "--json"]
    outcome = multicut(*command, "--freeze", "convolutions")
    assert outcome.code == 0
    card = mc.load_model(tmp_path / "second" / "model").card
    assert card["training"]["freeze"] == "convolutions"
    outcome = multicut(*command, "--freeze", "everything")
    assert outcome.code == 2
    assert "freeze must be one of nothing, convolutions, all-but-last-layer" in outcome.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.toml"], "nowhere.toml: No such file or directory"),
        (["{config}", "--set", "alhpa=1"], "unknown setting 'alhpa'; did you mean 'alpha'?"),
        (["{config}", "--set", "alpha"], "--set must look like key=value, got 'alpha'"),
        (
            ["{config}", "--set", "data.x=1"],
            "only network, train, validation are tables",
        ),
        (["{config}", "--set", "train=gone"], "gone: neither a file, a folder nor a shipped set"),
        (["{config}", "{config}", "--set", "output=x"], "both write to"),
        (
            ["{config}", "--set", "accelerator=cuda", "--set", "devices=10"],
            "devices must be at most",
        ),
    ],
)
def test_mistakes_are_told_in_one_line(multicut, config, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    outcome = multicut("train", *(text.format(config=config) for text in arguments))
    assert outcome.code == 2
    assert message in outcome.stderr
    assert outcome.stderr.splitlines()[-1].startswith("error: ")
    assert outcome.stderr.count("error") == 1


def test_evaluate_needs_labels(multicut, config, tmp_path):
    multicut("train", str(config), "-o", str(tmp_path / "out"))
    mc.datasets.generate("irismp", 2).save(tmp_path / "bare")
    outcome = multicut("evaluate", str(tmp_path / "out" / "model"), str(tmp_path / "bare"))
    assert outcome.code == 2
    assert "evaluation needs graphs with known optima" in outcome.stderr
    outcome = multicut("evaluate", "no-such-model", str(tmp_path / "graphs"))
    assert outcome.code == 2
    assert outcome.stderr.startswith("error: ")


@pytest.mark.slow
def test_runs_side_by_side(multicut, config, tmp_path):
    other = tmp_path / "other.toml"
    other.write_text(config.read_text().replace("depth = 2", "depth = 1"))
    out = tmp_path / "out"
    command = ["train", str(config), str(other), "-o", str(out), "--parallel", "--json"]
    outcome = multicut(*command)
    assert outcome.code == 0, outcome.stderr
    summaries = outcome.json()
    assert [Path(summary["folder"]).name for summary in summaries] == ["small", "other"]
    assert [summary["instances"] for summary in summaries] == [40, 40]
    depths = [
        mc.load_model(out / name / "model").network.config.depth for name in ("small", "other")
    ]
    assert depths == [2, 1]
    outcome = multicut(*command, "--set", "train=gone", "--restart")
    assert outcome.code != 0
    assert "gone: neither a file, a folder nor a shipped set" in outcome.stderr
