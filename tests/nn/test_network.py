"""What every architecture promises."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch
from torch.nn import functional

import multicut as mc
from multicut.nn import GraphBatch, MulticutNetwork, NetworkConfig, list_architectures
from tests.networks import small_config, small_network
from tests.problems import random_problem

NAMES = [record.name for record in list_architectures(solver="gnn")]
every_architecture = pytest.mark.parametrize("architecture", NAMES)


def awkward_problem() -> mc.Problem:
    """Isolated nodes, costs of zero, a node with zero costs only."""
    problem = random_problem(12, 0.4, seed=5)
    costs = problem.costs.copy()
    costs[::4] = 0
    edges = np.concatenate([problem.edges, [[12, 13], [13, 0]]])
    return mc.Problem(edges, np.append(costs, [0.0, 0.0]), num_nodes=16)


def some_batch() -> GraphBatch:
    problems = [random_problem(11, 0.4, seed=1), awkward_problem(), random_problem(7, 1.0, seed=2)]
    return GraphBatch.from_problems(problems, dtype=torch.float64)


def gradients(network: MulticutNetwork, batch: GraphBatch) -> tuple[torch.Tensor, ...]:
    costs = batch.costs.clone().requires_grad_()
    scores = network(batch.with_costs(costs))
    wanted = [costs, *network.parameters()]
    return (scores, *torch.autograd.grad(scores.sin().sum(), wanted))


@every_architecture
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("batch_norm", [False, True])
def test_both_paths_give_the_same_numbers_and_gradients(architecture, training, batch_norm):
    settings = {} if architecture in ("lr", "mlp") else {"batch_norm": batch_norm}
    fused = small_network(architecture, **settings).double().train(training)
    reference = copy.deepcopy(fused)
    reference.fused = False
    batch = some_batch()
    for one, other in zip(gradients(fused, batch), gradients(reference, batch), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)


@every_architecture
def test_gradients_with_respect_to_costs(architecture):
    network = small_network(architecture, width=8, depth=2) if architecture not in (
        "lr", "mlp") else small_network(architecture)  # fmt: skip
    network.double()
    batch = GraphBatch.from_problems(random_problem(7, 0.6, seed=4), dtype=torch.float64)
    costs = batch.costs.clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda values: network(batch.with_costs(values)), (costs,))


@every_architecture
def test_inference_gives_the_numbers_of_training_code(architecture):
    network = small_network(architecture).double()
    batch = some_batch()
    recorded = network(batch)
    with torch.no_grad():
        torch.testing.assert_close(network(batch), recorded.detach())
        nodes, edges = network.represent(batch)
        for chunk in (1, 7, 10**6):
            pieces = network.classify(batch, nodes, edges, chunk=chunk)
            torch.testing.assert_close(pieces, recorded.detach())


@every_architecture
def test_numbering_of_nodes_and_order_of_edges_do_not_matter(architecture):
    network = small_network(architecture).double()
    problem = awkward_problem()
    rng = np.random.default_rng(0)
    nodes, order = rng.permutation(problem.num_nodes), rng.permutation(problem.num_edges)
    flip = rng.random(problem.num_edges) < 0.5
    edges = nodes[problem.edges]
    edges[flip] = edges[flip, ::-1]
    moved = mc.Problem(edges[order], problem.costs[order], num_nodes=problem.num_nodes)
    with torch.no_grad():
        batch, other = (
            GraphBatch.from_problems(each, dtype=torch.float64) for each in (problem, moved)
        )
        torch.testing.assert_close(network(batch)[torch.from_numpy(order)], network(other))
        torch.testing.assert_close(network.embed(batch), network.embed(other)[nodes])


@every_architecture
@pytest.mark.parametrize("training", [False, True])
def test_isolated_nodes_and_zero_costs_give_numbers(architecture, training):
    network = small_network(architecture).train(training)
    batch = GraphBatch.from_problems(awkward_problem())
    assert all(values.isfinite().all() for values in gradients(network, batch))


@every_architecture
def test_a_batch_gives_what_its_graphs_give(architecture):
    network = small_network(architecture).double()
    problems = [random_problem(n, 0.5, seed=n) for n in (5, 9, 13)] + [awkward_problem()]
    one_by_one = [
        network(GraphBatch.from_problems(problem, dtype=torch.float64)) for problem in problems
    ]
    together = network(GraphBatch.from_problems(problems, dtype=torch.float64))
    torch.testing.assert_close(together, torch.cat(one_by_one))


@every_architecture
@pytest.mark.parametrize("num_nodes", [0, 4])
def test_graphs_without_edges(architecture, num_nodes):
    batch = GraphBatch.from_problems(mc.Problem([], [], num_nodes=num_nodes))
    assert small_network(architecture)(batch).shape == (0,)


@every_architecture
def test_mixed_precision_is_close(architecture):
    network = small_network(architecture)
    batch = GraphBatch.from_problems(random_problem(30, 0.2, seed=0))
    with torch.no_grad():
        exact = network(batch)
        with torch.autocast("cpu", torch.bfloat16):
            mixed = network(batch)
    assert mixed.dtype == torch.float32
    assert (mixed - exact).abs().max() < 0.05 * exact.abs().max() + 0.05
    with torch.autocast("cpu", torch.bfloat16):
        network.train()(batch).sum().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in network.parameters())


def test_the_edge_classifier_is_an_mlp_over_both_concatenations():
    network = small_network("rggcn_he").double()
    batch = some_batch()
    nodes, edges = network.represent(batch)
    assert edges is not None

    def mlp(states: torch.Tensor) -> torch.Tensor:
        *hidden, last = network.edge_classifier.layers
        for layer in hidden:
            states = functional.relu(layer(states))
        return last(states)[:, 0]

    u, v = batch.edges
    there, back = edges.chunk(2)
    expected = (
        mlp(torch.cat([nodes[u], nodes[v], there], dim=1))
        + mlp(torch.cat([nodes[v], nodes[u], back], dim=1))
    ) / 2
    torch.testing.assert_close(network.classify(batch, nodes, edges), expected)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"architecture": "gcnw"}, ValueError, "unknown architecture 'gcnw'; did you mean 'gcn_w'"),
        ({"width": 0}, ValueError, "width must be at least 1 .* got 0"),
        ({"depth": 2.5}, TypeError, "depth must be an integer, got 2.5"),
        ({"batch_norm": "yes"}, TypeError, "batch_norm must be true or false, got 'yes'"),
        ({"classifier_width": -1}, ValueError, "classifier_width must be at least 1"),
        ({"architecture": "sgcn", "width": 7}, ValueError, "multiple of 2 .* got 7"),
        ({"architecture": "gt", "width": 12}, ValueError, "multiple of 8 .*'gt', got 12"),
        ({"architecture": "mlp", "depth": 3}, ValueError, "'mlp' has no depth, got 3; omit it"),
        ({"architecture": "lr", "classifier_width": 9}, ValueError, "'lr' has no classifier_width"),
    ],
)
def test_bad_settings_give_one_clear_line(settings, error, message):
    with pytest.raises(error, match=message) as caught:
        NetworkConfig(**settings)
    assert "\n" not in str(caught.value)


@every_architecture
def test_settings_survive_a_round_trip(architecture):
    config = small_config(architecture)
    assert NetworkConfig.from_dict(config.to_dict()) == config
    with pytest.raises(ValueError, match="no setting 'widht'; it has: architecture, width"):
        NetworkConfig.from_dict({"widht": 3})


def test_the_shape_of_the_papers_network():
    network = MulticutNetwork(NetworkConfig(depth=20))
    assert len(network.convolutions) == 20
    shapes = [tuple(layer.weight.shape) for layer in network.edge_classifier.layers]
    assert shapes == [(256, 256), (256, 256), (1, 256)]
    assert network.convolutions[0].dense.linear.in_features == 2
    assert network.convolutions[1].dense.linear.weight.shape == (128, 128)
