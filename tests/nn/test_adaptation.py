from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

import multicut as mc
from multicut.nn import GraphBatch, Model, adapt
from multicut.nn.padding import Padding
from tests.networks import small_network

_GRAPHS = [mc.datasets.randommp(60, seed=seed) for seed in range(5)]
_BATCH = GraphBatch.from_problems(_GRAPHS)


@pytest.mark.parametrize("architecture", ["gcn_w", "gin0_w", "sgcn_w", "rggcn_he", "gt", "mpnn"])
def test_states_of_the_graphs_are_normalised_as_in_training(architecture):
    model = Model(small_network(architecture), {"cost_scale": 2.0}, name="small")
    adapted = adapt(model, _GRAPHS)
    # In training mode, a batch is normalised by its own statistics. Only variances differ: running
    # ones are unbiased.
    training = Model(small_network(architecture).train(), {"cost_scale": 2.0})
    with torch.no_grad():
        expected, found = training.logits(_BATCH), adapted.logits(_BATCH)
        before = model.logits(_BATCH)
    tolerance = 0.2 * float(expected.std())
    assert torch.allclose(found, expected, atol=tolerance)
    assert not torch.allclose(before, expected, atol=tolerance)


def test_weights_and_the_model_stay_as_they_are():
    model = Model(small_network(), {"description": "small"}, name="small")
    before = {name: value.clone() for name, value in model.network.state_dict().items()}
    adapted = adapt(model, _GRAPHS)
    for name, value in model.network.state_dict().items():
        assert torch.equal(value, before[name])
    parameters = dict(model.network.named_parameters())
    for name, value in adapted.network.named_parameters():
        assert torch.equal(value, parameters[name])
    assert not any(module.training for module in adapted.modules())
    assert "adapted_to" not in model.card
    num_edges = sum(graph.num_edges for graph in _GRAPHS)
    assert adapted.card == {
        "description": "small",
        "adapted_to": {"graphs": 5, "edges": num_edges},
    }
    assert adapted.name == "small (adapted)"


def test_problems_batches_and_single_graphs_are_taken():
    model = Model(small_network())
    logits = adapt(model, _GRAPHS).logits(_BATCH)
    for graphs in (_BATCH, iter(_GRAPHS)):
        assert torch.equal(adapt(model, graphs).logits(_BATCH), logits)
    one = adapt(model, _GRAPHS[0])
    assert one.card["adapted_to"] == {"graphs": 1, "edges": _GRAPHS[0].num_edges}
    assert torch.equal(adapt(model, [_GRAPHS[0]]).logits(_BATCH), one.logits(_BATCH))


def test_a_scale_that_the_caller_removed_stays_removed():
    model = Model(small_network(), {"cost_scale": 2.0})
    model.cost_scale = None
    assert adapt(model, _GRAPHS).cost_scale is None


def test_statistics_do_not_depend_on_those_of_before():
    first, second = (Model(small_network(seed=0)) for _ in range(2))
    for name, buffer in second.network.named_buffers():
        if "running" in name:
            buffer.fill_(7.0)
    assert torch.equal(adapt(first, _GRAPHS).logits(_BATCH), adapt(second, _GRAPHS).logits(_BATCH))


def test_passes_count_by_their_nodes(monkeypatch):
    whole = adapt(Model(small_network()), _GRAPHS)
    monkeypatch.setattr("multicut.nn.adaptation._EDGES_PER_PASS", _BATCH.num_edges)
    # The last pass has two nodes, with another sum of costs than all others.
    parts = adapt(Model(small_network()), [*_GRAPHS, mc.Problem([[0, 1]], [50.0])])
    assert parts.card["adapted_to"] == {"graphs": 6, "edges": _BATCH.num_edges + 1}
    for name, buffer in parts.network.named_buffers():
        if name.endswith("running_mean"):
            before = whole.network.get_buffer(name)
            share = 2 / (_BATCH.num_nodes + 2)
            last = (buffer - (1 - share) * before) / share
            one = adapt(Model(small_network()), mc.Problem([[0, 1]], [50.0]))
            assert torch.allclose(last, one.network.get_buffer(name), atol=1e-2)
    with torch.no_grad():
        logits = (parts.logits(_BATCH), whole.logits(_BATCH))
    assert not torch.equal(*logits)
    assert torch.allclose(*logits, atol=0.5 * float(logits[1].std()))


def test_an_adapted_model_solves_and_can_be_saved(tmp_path):
    adapted = adapt(Model(small_network(), {"description": "small"}, name="small"), _GRAPHS)
    results = mc.solve_batch(_GRAPHS, "gnn", model=adapted)
    mc.save_model(adapted.network, tmp_path / "mine", adapted.card)
    loaded = mc.load_model(tmp_path / "mine")
    assert loaded.card["adapted_to"]["graphs"] == 5
    for result, again in zip(results, mc.solve_batch(_GRAPHS, "gnn", model=loaded), strict=True):
        assert np.array_equal(result.labels, again.labels)


def test_wrong_arguments_are_told():
    model = Model(small_network())
    with pytest.raises(TypeError, match=r"model must be a multicut\.nn\.Model, got str; multicut"):
        adapt("gcn_w_bn-general", _GRAPHS)
    with pytest.raises(ValueError, match="must have batch normalisation, which bare lacks"):
        adapt(Model(small_network(batch_norm=False), name="bare"), _GRAPHS)
    with pytest.raises(ValueError, match="must have batch normalisation, which this model lacks"):
        adapt(Model(small_network("mlp")), _GRAPHS)
    with pytest.raises(TypeError, match=r"problems must be multicut\.Problem, got int"):
        adapt(model, [1])
    with pytest.raises(TypeError, match=r"problems must be problems or a GraphBatch, got int"):
        adapt(model, 3)
    for nothing in ([], [mc.Problem([], [], num_nodes=3)]):
        with pytest.raises(ValueError, match="problems must have edges, got none"):
            adapt(model, nothing)
    with pytest.raises(ValueError, match="got inf at edge 1 of problem 2; leave out must-links"):
        adapt(model, [*_GRAPHS[:2], mc.Problem([[0, 1], [1, 2]], [1.0, np.inf])])


def test_a_padded_batch_is_refused():
    sizes = (_BATCH.num_nodes, _BATCH.num_edges)
    padding = Padding.of(torch.tensor(5), torch.tensor(3), sizes, torch.float32)
    with pytest.raises(ValueError, match="problems must not be a padded batch"):
        adapt(Model(small_network()), replace(_BATCH, padding=padding))


def test_the_card_does_not_tell_how_good_the_network_was_before():
    card = {"description": "small", "test": {"irismp:test": {}}, "validation": {}, "sha256": "0"}
    adapted = adapt(Model(small_network(), card), _GRAPHS)
    assert set(adapted.card) == {"description", "adapted_to"}
    assert adapted.name == ""


def test_networks_keep_their_momentum_and_a_model_in_training_mode_is_taken():
    model = Model(small_network().train())
    adapted = adapt(model, _GRAPHS)
    expected = adapt(Model(small_network()), _GRAPHS)
    assert torch.equal(adapted.logits(_BATCH), expected.logits(_BATCH))
    norms = [each for each in adapted.modules() if isinstance(each, torch.nn.BatchNorm1d)]
    assert norms
    assert {norm.momentum for norm in norms} == {0.1}
    assert model.network.training
