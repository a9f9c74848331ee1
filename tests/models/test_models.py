from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
import torch

import multicut as mc
from multicut.models import registry
from multicut.nn import ContractionNetwork, GraphBatch, list_architectures
from tests.networks import save_small_model, small_contraction_network, small_network
from tests.problems import random_problem

NAMES = [record.name for record in list_architectures(solver="gnn")]


@pytest.mark.parametrize("architecture", NAMES)
def test_a_saved_model_predicts_the_same(architecture, tmp_path):
    network = small_network(architecture)
    path = mc.save_model(network, tmp_path / "sub" / "model-0.1", {"description": "a test"})
    assert path == tmp_path / "sub" / "model-0.1.safetensors"
    problem = random_problem(12, 0.4, seed=0)
    expected = torch.sigmoid(network(GraphBatch.from_problems(problem)))
    for given in (path, str(path), path.with_name("model-0.1"), path.with_name("model-0.1.json")):
        model = mc.load_model(given)
        assert not model.training
        assert model.card["description"] == "a test"
        torch.testing.assert_close(model(problem), expected, rtol=0, atol=0)


def test_a_card_tells_which_kind_of_network_it_is(tmp_path):
    network = small_contraction_network()
    path = mc.save_model(network, tmp_path / "model", {})
    problem = random_problem(12, 0.4, seed=0)
    model = mc.load_model(path)
    assert isinstance(model.network, ContractionNetwork)
    assert model.network.config == network.config
    assert model.is_scale_free
    expected = torch.sigmoid(network(GraphBatch.from_problems(problem)))
    torch.testing.assert_close(model(problem), expected, rtol=0, atol=0)
    change_card(path, network={"architecture": "contraction", "width": 8, "depth": 3})
    with pytest.raises(ValueError, match="do not fit architecture 'contraction' of width 8"):
        mc.load_model(path)
    change_card(path, network={"architecture": "contraction", "wdth": 8})
    with pytest.raises(
        ValueError, match="does not describe a network: network has no setting 'wdth'"
    ):
        mc.load_model(path)


def test_models_are_found_by_name(tmp_path, monkeypatch):
    save_small_model(tmp_path, "one")
    save_small_model(tmp_path, "two", architecture="gin0_w")
    monkeypatch.setattr(registry, "WEIGHTS", tmp_path)
    assert [record.name for record in mc.list_models()] == ["one", "two"]
    (record,) = mc.list_models("t*")
    assert record.description == "for tests"
    assert record.card["network"]["architecture"] == "gin0_w"
    assert mc.load_model("two").network.config.architecture == "gin0_w"
    with pytest.raises(ValueError, match=r"unknown model 'tow'; .*choose from: one, two"):
        mc.load_model("tow")


def test_every_shipped_model_loads():
    for record in mc.list_models():
        assert record.description
        model = mc.load_model(record.name)
        assert model.card["network"] == record.card["network"]
        assert model.is_scale_free, record.name
        assert {"training", "validation", "test", "version", "date"} <= set(record.card)


def test_shipped_models_do_what_their_cards_say():
    from paper.inference import predict

    graphs = mc.datasets.RandomMP("test")[:100]
    for name, least in (("gcn_w_bn-general", 0.90), ("gin0_w_bn-randommp", 0.89)):
        model = mc.load_model(name)
        found = predict(model, graphs).objectives
        ratio = np.mean([max(0.0, f / g.objective) for f, g in zip(found, graphs, strict=True)])
        assert ratio > least
        # A hundred of the thousand graphs: within four standard errors.
        said = model.card["test"]["randommp:test"]["objective_ratio"]
        assert ratio == pytest.approx(said, abs=0.02)


def test_the_default_model_solves():
    problem = mc.datasets.RandomMP("test")[0]
    result = mc.solve(problem, "gnn")
    assert result.details["model"] == "gcn_w_bn-general"
    assert "fallback" not in result.details
    assert 0.75 * problem.objective > result.objective >= problem.objective - 1e-6


def test_without_models_a_name_is_no_use(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "WEIGHTS", tmp_path)
    with pytest.raises(ValueError, match="this version contains no models, so name a file"):
        mc.load_model("gcn_w_bn-randommp")


def test_listing_needs_no_torch():
    import subprocess
    import sys

    code = "import sys, multicut; multicut.list_models(); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def change_card(path, **changes):
    file = path.with_suffix(".json")
    card = json.loads(file.read_text()) | changes
    file.write_text(json.dumps({k: v for k, v in card.items() if v is not None}))


def network_card(**changes):
    return {"architecture": "gcn_w", "width": 16, "depth": 3, "classifier_width": 24} | changes


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"network": network_card(architecture="gin0_w")}, "do not fit architecture 'gin0_w'"),
        ({"network": network_card(width=8)}, r"width 8 .*has shape \(16, 2\), not \(8, 2\)"),
        ({"network": network_card(depth=4)}, "convolutions.3.dense.linear.weight is missing"),
        ({"network": network_card(depth=2)}, "convolutions.2.* is not part of it"),
        (
            {"network": network_card(batch_norm=False)},
            "convolutions.0.dense.norm.bias is not part of it",
        ),
        (
            {"network": network_card(architecture="gcn_x")},
            "does not describe a network: unknown arch",
        ),
        ({"network": network_card(wdth=3)}, "no setting 'wdth'"),
        ({"network": None}, "'network' is missing"),
        ({"format": 9}, "has format 9, but this version reads 1"),
        ({"format": None}, "has format None"),
        ({"sha256": "0"}, "damaged or belongs to another card"),
        ({"cost_scale": -1}, "cost_scale must be at least 0, got -1"),
        ({"cost_scale": "x"}, r"the card of .*small.safetensors is damaged: cost_scale must be a"),
        # All tensors have the right shapes, but mean something else.
        (
            {"network": network_card(architecture="gcn")},
            "are of architecture 'gcn_w', but the card says 'gcn'",
        ),
        ({"cost_scale": 0}, "cost_scale must be positive and finite, got 0"),
    ],
)
def test_a_card_that_does_not_fit_is_refused(tmp_path, changes, message):
    path = save_small_model(tmp_path)
    change_card(path, **changes)
    with pytest.raises(ValueError, match=message) as caught:
        mc.load_model(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("damage", ["cut short", "flipped", "empty", "pickle"])
def test_a_damaged_file_is_refused(tmp_path, damage):
    path = save_small_model(tmp_path)
    content = path.read_bytes()
    path.write_bytes(
        {
            "cut short": content[: len(content) // 2],
            "flipped": content[:-3] + bytes([content[-3] ^ 1]) + content[-2:],
            "empty": b"",
            "pickle": pickle.dumps({"weights": [1, 2, 3]}),
        }[damage]
    )
    with pytest.raises(ValueError, match="damaged") as caught:
        mc.load_model(path)
    assert "\n" not in str(caught.value)


def test_weights_that_are_not_finite_are_refused(tmp_path):
    network = small_network()
    network.edge_classifier.layers[0].weight.data[0, 0] = torch.nan
    path = mc.save_model(network, tmp_path / "broken", {})
    with pytest.raises(ValueError, match=r"edge_classifier.layers.0.weight contains .* not finite"):
        mc.load_model(path)


def test_a_card_that_is_no_card_is_refused(tmp_path):
    path = save_small_model(tmp_path)
    for text, message in (
        ("{", "not a valid model card"),
        ("[]", "not a JSON object"),
        ('{"a":' * 100_000, "not a valid model card"),
    ):
        path.with_suffix(".json").write_text(text)
        with pytest.raises(ValueError, match=message):
            mc.load_model(path)
    path.with_suffix(".json").unlink()
    with pytest.raises(FileNotFoundError, match=r"has no card; put small.json beside it"):
        mc.load_model(path)
    with pytest.raises(FileNotFoundError, match=r"no model at .*nowhere.safetensors"):
        mc.load_model(tmp_path / "nowhere.safetensors")
    with pytest.raises(TypeError, match=r"must be a name, a path or what load_model .* got int"):
        mc.load_model(3)


def test_devices_that_are_not_there_are_refused(tmp_path):
    path = save_small_model(tmp_path)
    for device in ("abacus", "meta"):
        with pytest.raises(ValueError, match=f"device must be 'cpu' or 'cuda'.*got '{device}'"):
            mc.load_model(path, device)


def test_what_could_not_be_loaded_is_not_saved(tmp_path):
    with pytest.raises(ValueError, match="cost_scale must be at least 0, got -1"):
        mc.save_model(small_network(), tmp_path / "wrong", {"cost_scale": -1})
    with pytest.raises(TypeError, match=r"a MulticutNetwork .* got Model; .* model.network"):
        mc.save_model(mc.load_model(save_small_model(tmp_path)), tmp_path / "wrong", {})
    assert not list(tmp_path.glob("wrong*"))


def test_costs_are_brought_to_the_scale_of_the_card(tmp_path):
    model = mc.load_model(save_small_model(tmp_path))
    problems = [random_problem(10, 0.5, seed) for seed in range(3)]
    batch = GraphBatch.from_problems([*problems, mc.Problem([[0, 1]], [0.0])])
    means = model.scaled(batch).costs.abs().split(torch.diff(batch.edge_offsets).tolist())
    assert [float(part.mean()) for part in means] == pytest.approx([2.0, 2.0, 2.0, 0.0])
    larger = [mc.Problem(p.edges, p.costs * 8, num_nodes=p.num_nodes) for p in problems]
    torch.testing.assert_close(model(problems[0]), model(larger[0]))


def test_predictions_are_differentiable_in_costs(tmp_path):
    problem = random_problem(9, 0.5, seed=3)
    for scale in (None, 2.0):
        path = mc.save_model(small_network().double(), tmp_path / "double", {"cost_scale": scale})
        with pytest.raises(ValueError, match=r"holds torch.float64, not torch.float32"):
            mc.load_model(path)
        model = mc.load_model(mc.save_model(small_network(), path, {"cost_scale": scale})).double()
        costs = torch.from_numpy(problem.costs.copy()).requires_grad_()
        assert torch.autograd.gradcheck(lambda values, m=model: m(problem, values), (costs,))


def test_the_model_takes_problems_and_batches_only(tmp_path):
    model = mc.load_model(save_small_model(tmp_path))
    with pytest.raises(TypeError, match=r"must be a multicut.Problem or a GraphBatch, got list"):
        model([[0, 1]])
    assert np.allclose(model(mc.Problem([], [], num_nodes=3)).detach(), [])
    problem = random_problem(9, 0.5, seed=3)
    with pytest.raises(TypeError, match="costs must be a tensor, got ndarray"):
        model(problem, problem.costs)
    batch = GraphBatch.from_problems(problem, dtype=torch.float64)
    torch.testing.assert_close(model(batch), model(problem))
    with pytest.raises(ValueError, match="the batch is on cpu, the model on meta; move one"):
        model.to("meta")(batch)
