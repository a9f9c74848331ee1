from __future__ import annotations

import json
import shutil
from dataclasses import fields
from pathlib import Path

import pytest
import torch

import multicut as mc
from multicut.models import registry
from multicut.models.registry import find_model
from multicut.training import TrainingConfig
from tests.networks import save_small_model, small_network
from tools.ship_weights import _SETTINGS, describe_phase, main, ship

# Settings that a phase does not name: they have another place in the card, or none.
ELSEWHERE = {"network", "validation", "instances", "finetune"}
OF_FILES_AND_MACHINES = {
    "accelerator",
    "checkpoint_every",
    "cuda_graph",
    "devices",
    "log_every",
    "output",
}


def make_run(folder, name, instances=500, **changes):
    """Make what a run of training leaves behind."""
    run = folder / name
    save_small_model(run, "model")
    settings = TrainingConfig(num_validation=7, **changes).to_dict()
    settings.pop("network", None)
    settings |= {"instances": instances, "output": "/somewhere/else"}
    file = run / "model.json"
    card = json.loads(file.read_text())
    card |= {"training": settings, "validation": {"objective_ratio": 0.5}}
    file.write_text(json.dumps(card))
    (run / "summary.json").write_text(json.dumps({"instances": 900, "stopped_by": "finished"}))
    return run


def test_a_card_names_every_setting_of_training():
    left_out = ELSEWHERE | OF_FILES_AND_MACHINES
    assert len(set(_SETTINGS)) == len(_SETTINGS)
    assert not left_out & set(_SETTINGS)
    assert left_out | set(_SETTINGS) == {field.name for field in fields(TrainingConfig)}


def test_a_card_tells_every_phase_and_what_was_measured(tmp_path):
    first = make_run(tmp_path, "first", alpha=0.0)
    second = make_run(
        tmp_path, "second", alpha=0.01, alpha_start=0, alpha_ramp=1000, finetune="/a/path"
    )
    path = ship("shipped", [first, second], tmp_path / "weights", num_test=3, note="a note")
    card = mc.load_model(path).card
    assert [phase["alpha_reached"] for phase in card["training"]] == [0, pytest.approx(0.005)]
    assert [phase["instances"] for phase in card["training"]] == [500, 500]
    assert card["training"][0]["instances_of_the_run"] == 900
    assert card["description"] == "gcn_w_bn trained on randommp, 1,000 instances"
    assert card["note"] == "a note"
    assert card["cost_scale"] == 2
    assert set(card["test"]) == {"irismp:test", "randommp:test"}
    graphs = mc.datasets.RandomMP("test")[:3]
    from paper.inference import predict

    ratios = [
        max(0.0, found / graph.objective)
        for found, graph in zip(
            predict(mc.load_model(path), graphs).objectives, graphs, strict=True
        )
    ]
    assert card["test"]["randommp:test"]["objective_ratio"] == pytest.approx(
        sum(ratios) / 3, abs=1e-5
    )
    # Nothing of the machine that trained it.
    assert "/somewhere" not in path.with_suffix(".json").read_text()
    assert "/a/path" not in path.with_suffix(".json").read_text()


def test_a_model_can_be_made_independent_of_the_unit_of_costs(tmp_path):
    run = make_run(tmp_path, "run", train="irismp")
    card = json.loads((run / "model.json").read_text())
    del card["cost_scale"]
    (run / "model.json").write_text(json.dumps(card))
    as_trained = ship("as-trained", [run], tmp_path / "weights", num_test=1)
    assert mc.load_model(as_trained).cost_scale is None
    path = ship("free", [run], tmp_path / "weights", num_test=1, scale_free=True)
    costs = mc.datasets.IrisMP("train").arrays().costs
    assert mc.load_model(path).cost_scale == pytest.approx(abs(costs).mean())
    assert mc.load_model(path).card["cost_scale_added"] == "after training"
    assert "cost_scale_added" not in mc.load_model(as_trained).card


@pytest.mark.parametrize("train", [{"irismp": 1.0, "randommp": 1.0}, "irismp:fresh"])
def test_the_scale_of_no_single_dataset_is_not_known(tmp_path, train):
    run = make_run(tmp_path, "run", train=train)
    card = json.loads((run / "model.json").read_text())
    del card["cost_scale"]
    (run / "model.json").write_text(json.dumps(card))
    with pytest.raises(ValueError, match="scale_free needs a run on one stored dataset"):
        ship("free", [run], tmp_path / "weights", num_test=1, scale_free=True)


def test_command(tmp_path, capsys):
    run = make_run(tmp_path, "run")
    weights = tmp_path / "weights"
    assert main(["name", str(run), "-o", str(weights), "--half", "--num-test", "2"]) == 0
    assert "name.safetensors" in capsys.readouterr().out
    assert mc.load_model(weights / "name").card["stored_as"] == "float16"


def test_a_run_that_is_not_there_is_told_in_one_line(tmp_path, capsys):
    assert main(["name", str(tmp_path / "nowhere"), "-o", str(tmp_path)]) == 2
    expected = f"error: {tmp_path}/nowhere/model.json: No such file or directory\n"
    assert capsys.readouterr().err == expected


def test_half_precision_halves_the_file_and_rounds_matrices_only(tmp_path):
    network = small_network()
    whole = mc.save_model(network, tmp_path / "whole", {})
    half = mc.save_model(network, tmp_path / "half", {}, half=True)
    assert half.stat().st_size < 0.75 * whole.stat().st_size
    loaded = mc.load_model(half).network.state_dict()
    for name, value in network.state_dict().items():
        assert loaded[name].dtype == value.dtype
        if value.is_floating_point() and value.ndim > 1:
            torch.testing.assert_close(loaded[name], value.half().float(), rtol=0, atol=0)
        else:
            torch.testing.assert_close(loaded[name], value, rtol=0, atol=0)


def test_half_precision_that_the_card_does_not_tell_is_refused(tmp_path):
    path = mc.save_model(small_network(), tmp_path / "half", {}, half=True)
    file = path.with_suffix(".json")
    card = json.loads(file.read_text())
    del card["stored_as"]
    file.write_text(json.dumps(card))
    with pytest.raises(ValueError, match=r"holds torch.float16, not torch.float32"):
        mc.load_model(path)


@pytest.mark.parametrize(
    ("validation", "split"),
    [
        ("irismp", "irismp:valid"),
        ("irismp:test", "irismp:test"),
        ({"irismp": 1.0, "randommp": 2.0}, "valid"),
        ("", "none"),
    ],
)
def test_a_card_names_the_split_of_its_validation(tmp_path, validation, split):
    run = make_run(tmp_path, "run", validation=validation)
    if not validation:
        file = run / "model.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | {"validation": None}))
    assert describe_phase(run)["validation"]["split"] == split


def test_a_card_names_the_weights_of_several_sets_of_validation(tmp_path):
    weights = {"irismp": 1.0, "randommp": 2.0}
    phase = describe_phase(make_run(tmp_path, "several", validation=weights))
    assert phase["validation"]["weights"] == weights
    assert phase["num_validation"] == 7
    assert "weights" not in describe_phase(make_run(tmp_path, "one"))["validation"]


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """A folder of shipped models with one of them, which may be replaced."""
    folder = tmp_path / "shipped"
    folder.mkdir()
    path = find_model("lr-irismp").path
    for suffix in (".safetensors", ".json"):
        shutil.copy(path.with_suffix(suffix), folder)
    monkeypatch.setattr(registry, "WEIGHTS", folder)
    return folder


def finetuned(folder, start):
    """Finetune a model for a moment, and return the folder of the run."""
    graphs = mc.datasets.IrisMP("train")[:4]
    run = folder / "finetuned"
    mc.training.train(
        train=graphs, validation=graphs, finetune=start, instances=8, batch_size=4, output=str(run)
    )
    return run


def test_a_run_finetuned_from_a_shipped_model_replaces_it_with_all_phases(shipped, tmp_path):
    before = find_model("lr-irismp").card
    run = finetuned(tmp_path, "lr-irismp")
    arguments = ["lr-irismp", "lr-irismp", str(run), "-o", str(shipped), "--num-test", "1"]
    assert main([*arguments, "--half", "--scale-free"]) == 0
    card = find_model("lr-irismp").card
    assert card["training"] == [*before["training"], describe_phase(run)]
    assert card["training"][1]["instances"] == 8
    assert card["cost_scale"] == before["cost_scale"]
    assert "cost_scale_added" not in card
    assert card["description"].endswith(f"{before['training'][0]['instances'] + 8:,} instances")
    # The weights are those of the run.
    ((name, expected), *_) = mc.load_model(run).network.state_dict().items()
    stored = mc.load_model("lr-irismp").network.state_dict()[name]
    torch.testing.assert_close(stored, expected.half().float() if expected.ndim > 1 else expected)

    # And it may be replaced again.
    later = ship(
        "lr-irismp", [Path("lr-irismp"), finetuned(tmp_path / "later", "lr-irismp")], shipped
    )
    phases = mc.load_model(later).card["training"]
    assert [phase["instances"] for phase in phases[1:]] == [8, 8]


@pytest.mark.parametrize("start", ["", "gcn_w_bn-general", "/runs/lr-irismp-2/model"])
def test_a_run_that_did_not_begin_with_the_shipped_model_is_refused(shipped, tmp_path, start):
    run = make_run(tmp_path, "run", finetune=start)
    with pytest.raises(ValueError, match="must be finetuned from the shipped model lr-irismp"):
        ship("other", [Path("lr-irismp"), run], shipped)
    assert not (shipped / "other.json").exists()


@pytest.mark.parametrize("runs", [["lr-irismp"], ["lr-irismp", "lr-irismp"]])
def test_a_shipped_model_alone_is_refused(shipped, runs):
    with pytest.raises(ValueError, match="the shipped model lr-irismp needs a run after it"):
        ship("other", [Path(run) for run in runs], shipped)
