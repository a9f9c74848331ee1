from __future__ import annotations

import pytest
import torch

import multicut as mc
from multicut.nn import GraphBatch, MulticutLayer
from tests.networks import save_small_model, small_config
from tests.problems import random_problem

PROBLEM = random_problem(10, 0.5, seed=0)
EDGES = torch.from_numpy(PROBLEM.edges.T.copy())
COSTS = torch.tensor(PROBLEM.costs, dtype=torch.float32)


@pytest.fixture
def model(tmp_path):
    return mc.load_model(save_small_model(tmp_path))


def test_the_layer_is_the_model(model):
    layer = MulticutLayer(model)
    torch.testing.assert_close(layer(EDGES, COSTS, 10), model(PROBLEM))
    rounded = layer.partition(EDGES, COSTS, 10)
    assert mc.is_feasible(PROBLEM, rounded.cut.numpy())


def test_a_model_stays_as_it_is_inside_a_larger_network(model):
    costs_of_features = torch.nn.Linear(3, 1)
    layer = MulticutLayer(model)
    whole = torch.nn.Sequential(costs_of_features, layer).train()
    assert layer.training
    assert not model.training
    before = {name: value.clone() for name, value in model.state_dict().items()}
    optimizer = torch.optim.SGD([p for p in whole.parameters() if p.requires_grad], lr=0.1)
    features = torch.randn(PROBLEM.num_edges, 3)
    first = costs_of_features.weight.detach().clone()
    layer(EDGES, costs_of_features(features)[:, 0], 10).sum().backward()
    optimizer.step()
    assert not torch.equal(costs_of_features.weight, first)
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_a_new_network_learns():
    layer = MulticutLayer(small_config())
    layer(EDGES, COSTS, 10).sum().backward()
    assert all(p.grad is not None for p in layer.parameters())
    frozen = MulticutLayer(small_config(), trainable=False)
    assert not any(p.requires_grad for p in frozen.parameters())


def test_several_optimiser_steps_fit_costs_to_a_partition(model):
    """Gradients lead where they should: costs that make the network cut what is to be cut."""
    layer = MulticutLayer(model)
    costs = torch.zeros_like(COSTS).uniform_(-1, 1, generator=torch.Generator().manual_seed(0))
    costs.requires_grad_()
    target = (torch.arange(10)[EDGES[0]] < 5) != (torch.arange(10)[EDGES[1]] < 5)
    optimizer = torch.optim.Adam([costs], lr=0.05)
    losses = []
    for _ in range(60):
        loss = torch.nn.functional.binary_cross_entropy(layer(EDGES, costs, 10), target.float())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] - 0.01


def test_the_layer_wants_a_model_or_a_shape():
    with pytest.raises(TypeError, match=r"got str; multicut.load_model gives one"):
        MulticutLayer("gcn_w_bn-randommp")


def test_batches_of_a_layer_are_plain_graphs():
    batch = GraphBatch.from_edges(EDGES, COSTS, 10)
    assert batch.num_graphs == 1
    assert batch.edge_offsets.tolist() == [0, PROBLEM.num_edges]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((EDGES, COSTS, 9), ValueError, "edges must join nodes 0 to 8, as num_nodes is 9, got 9"),
        ((EDGES - 1, COSTS, 10), ValueError, "edges must join nodes 0 to 9, .* got -1"),
        ((EDGES * 0, COSTS, 10), ValueError, "must not be self-loops, got one at edge 0; drop it"),
        ((EDGES, COSTS, None), TypeError, "num_nodes must be an integer, got None"),
        ((EDGES.tolist(), COSTS, 10), TypeError, "edges must be a tensor, got list"),
        ((EDGES, COSTS.numpy(), 10), TypeError, "costs must be a tensor, got ndarray"),
        (
            (EDGES, COSTS[1:], 10),
            ValueError,
            "costs must contain one floating point number per edge",
        ),
    ],
)
def test_wrong_arguments_give_one_clear_line(model, arguments, error, message):
    with pytest.raises(error, match=message) as caught:
        MulticutLayer(model)(*arguments)
    assert "\n" not in str(caught.value)


def test_costs_in_double_precision_get_gradients_in_double_precision(model):
    costs = COSTS.double().requires_grad_()
    MulticutLayer(model)(EDGES, costs, 10).sum().backward()
    assert costs.grad is not None
    assert costs.grad.dtype == torch.float64
    single = COSTS.clone().requires_grad_()
    MulticutLayer(model)(EDGES, single, 10).sum().backward()
    torch.testing.assert_close(costs.grad.float(), single.grad)
