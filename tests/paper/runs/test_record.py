from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

import multicut as mc
from multicut.training import train
from paper.evaluation_sets import EvaluationSet
from paper.evaluation_sets import labelled as with_solutions
from paper.inference import predict
from paper.runs.curves import read_runs
from paper.runs.record import main
from tests.training.conftest import labelled


@pytest.fixture(scope="module")
def curves(tmp_path_factory):
    """Records of two short runs, one of them finetuned from a shipped model."""
    folder = tmp_path_factory.mktemp("runs")
    common = {"batch_size": 5, "log_every": 5, "validate_every": 10, "accelerator": "cpu"}
    graphs, validation = labelled(10), labelled(4, "valid")
    network = {"architecture": "gcn_w", "width": 4, "depth": 3, "classifier_width": 4}
    train(
        train=graphs,
        validation=validation,
        network=network,
        instances=20,
        output=str(folder / "gcn_w_bn-irismp-depth-3"),
        max_cycle_length=3,
        alpha=0.0,
        **common,
    )
    (folder / "data").mkdir()
    graphs.save(folder / "data" / "train")
    validation.save(folder / "data" / "valid")
    train(
        train=str(folder / "data"),
        validation=str(folder / "data"),
        finetune="lr-irismp",
        instances=10,
        output=str(folder / "cremi-finetuned"),
        max_cycle_length=3,
        alpha=0.0,
        **common,
    )
    names = ("gcn_w_bn-irismp-depth-3", "cremi-finetuned")
    runs = [str(folder / name) for name in names]
    assert main([*runs, "-o", str(folder / "curves"), "--num-test", "3"]) == 0
    return folder / "curves"


def ratio(model, graphs):
    found = predict(model, graphs).objectives
    return np.mean(
        [max(0.0, each / graph.objective) for each, graph in zip(found, graphs, strict=True)]
    )


def test_a_record_tells_what_its_model_does(curves):
    runs = read_runs(curves)
    assert set(runs) == {"gcn_w_bn-irismp-depth-3", "cremi-finetuned"}
    assert set(runs["gcn_w_bn-irismp-depth-3"].tested) == {"IrisMP", "RandomMP"}
    found = json.loads((curves / "cremi-finetuned.json").read_text())
    model = mc.load_model(curves.parent / "cremi-finetuned" / "model")
    expected = ratio(model, mc.datasets.IrisMP("test")[:3])
    assert found["test"]["IrisMP"] == pytest.approx(expected, abs=1e-5)
    expected = ratio(mc.load_model("lr-irismp"), labelled(4, "valid"))
    assert found["before"]["objective_ratio"] == pytest.approx(expected, abs=1e-5)


def test_a_record_tells_where_a_run_began_and_should_have_ended(curves, tmp_path):
    for name in ("gcn_w_bn-irismp-depth-3", "cremi-finetuned"):
        shutil.copytree(curves.parent / name, tmp_path / name)
    run = tmp_path / "cremi-finetuned"
    card = json.loads((run / "model.json").read_text())
    # Where it was trained, the run before it was elsewhere.
    card["training"]["finetune"] = "/gone/gcn_w_bn-irismp-depth-3/model"
    (run / "model.json").write_text(json.dumps(card))
    # Runs that were started side by side leave this behind.
    (run / "config.json").write_text(json.dumps({"instances": 500}))
    assert main([str(run), "-o", str(tmp_path / "curves"), "--num-test", "1"]) == 0
    found = json.loads((tmp_path / "curves" / "cremi-finetuned.json").read_text())
    assert found["started_from"] == "gcn_w_bn-irismp-depth-3"
    model = mc.load_model(tmp_path / "gcn_w_bn-irismp-depth-3" / "model")
    expected = ratio(model, labelled(4, "valid"))
    assert found["before"]["objective_ratio"] == pytest.approx(expected, abs=1e-5)
    assert (found["instances"], found["planned_instances"]) == (10, 500)
    (run / "config.json").unlink()
    shutil.rmtree(tmp_path / "gcn_w_bn-irismp-depth-3")
    assert main([str(run), "-o", str(tmp_path / "curves"), "--num-test", "1"]) == 0
    found = json.loads((tmp_path / "curves" / "cremi-finetuned.json").read_text())
    assert found["started_from"] == "gcn_w_bn-irismp-depth-3"
    assert "before" not in found
    assert found["planned_instances"] == 10  # it was finished


def finetune(folder, validation, **changes):
    """Record a short run from a shipped model."""
    settings = {"instances": 10, "batch_size": 5, "max_cycle_length": 3, "alpha": 0.0} | changes
    train(
        train=labelled(10),
        validation=validation,
        finetune="lr-irismp",
        output=str(folder / "cremi-finetuned"),
        accelerator="cpu",
        **settings,
    )
    assert (
        main([str(folder / "cremi-finetuned"), "-o", str(folder / "curves"), "--num-test", "2"])
        == 0
    )
    return json.loads((folder / "curves" / "cremi-finetuned.json").read_text())


def test_a_run_whose_validation_cannot_be_read_again_is_recorded_without_it(tmp_path):
    found = finetune(tmp_path, labelled(4, "valid"))
    assert set(found["test"]) == {"IrisMP", "RandomMP"}
    assert "before" not in found


def test_the_start_is_measured_on_the_mixture_that_its_run_was_validated_on(tmp_path):
    weights = {"irismp": 0.25, "randommp": 0.75}
    # With this learning rate the run is still where it began.
    found = finetune(tmp_path, weights, num_validation=3, learning_rate=1e-12)
    model = mc.load_model("lr-irismp")
    ratios = {name: ratio(model, mc.datasets.open_dataset(name, "valid")[:3]) for name in weights}
    expected = sum(weights[name] * value for name, value in ratios.items())
    assert ratios["irismp"] != pytest.approx(ratios["randommp"], abs=1e-3)
    assert found["before"]["objective_ratio"] == pytest.approx(expected, abs=1e-5)
    # All as training itself measures it.
    row = read_runs(tmp_path / "curves")["cremi-finetuned"].last
    names = ("bce", "ccl", "feasible_ratio", "optimal_ratio", "objective_ratio")
    assert set(found["before"]) == set(names)
    assert found["before"] == pytest.approx({name: row[name] for name in names}, rel=1e-4)


def test_graphs_without_solutions_are_solved_first():
    graphs = mc.datasets.generate("irismp", 2)
    assert not graphs.labelled.any()
    found = with_solutions(EvaluationSet("own", "drawn", True, {}, lambda: graphs), 2)
    expected = [mc.solve(graph, "ilp").objective for graph in graphs]
    assert found.objective == pytest.approx(expected)
