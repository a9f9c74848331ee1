from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings

import multicut as mc
from multicut.nn import (
    ContractionConfig,
    ContractionNetwork,
    GraphBatch,
    connected_components,
)
from multicut.nn.search.contraction_rounds import contraction_rounds
from tests.networks import small_contraction_network
from tests.problems import random_problem, small_problems


@pytest.fixture(scope="module")
def network():
    return small_contraction_network()


def logits(network: ContractionNetwork, *problems: mc.Problem) -> torch.Tensor:
    with torch.no_grad():
        return network(GraphBatch.from_problems(problems))


@pytest.mark.parametrize("factor", [2.0**-60, 2.0**60])
def test_a_power_of_four_changes_no_bit(network, factor):
    problem = random_problem(30, 0.3, seed=0)
    scaled = mc.Problem(problem.edges, problem.costs * factor, num_nodes=30)
    assert torch.equal(logits(network, problem), logits(network, scaled))


@pytest.mark.parametrize("factor", [1e-12, 0.3, 7.0, 1e12])
def test_the_unit_of_costs_does_not_matter(network, factor):
    problem = random_problem(30, 0.3, seed=0)
    scaled = mc.Problem(problem.edges, problem.costs * factor, num_nodes=30)
    torch.testing.assert_close(logits(network, problem), logits(network, scaled))


def test_the_order_of_ends_does_not_matter(network):
    batch = GraphBatch.from_problems(random_problem(20, 0.4, seed=1))
    turned = GraphBatch.from_edges(batch.edges.flip(0), batch.costs, batch.num_nodes)
    with torch.no_grad():
        torch.testing.assert_close(network(batch), network(turned))


def test_the_names_of_nodes_do_not_matter(network):
    batch = GraphBatch.from_problems(random_problem(20, 0.4, seed=2))
    generator = torch.manual_seed(0)
    nodes = torch.randperm(batch.num_nodes, generator=generator)
    order = torch.randperm(batch.num_edges, generator=generator)
    renamed = GraphBatch.from_edges(nodes[batch.edges][:, order], batch.costs[order], 20)
    with torch.no_grad():
        torch.testing.assert_close(network(batch)[order], network(renamed))


def test_graphs_of_a_batch_know_nothing_of_each_other(network):
    problems = [random_problem(n, 0.4, seed=n) for n in (12, 0, 1, 30, 7)]
    together = logits(network, *problems)
    alone = torch.cat([logits(network, problem) for problem in problems])
    torch.testing.assert_close(together, alone)


@settings(max_examples=100, deadline=None)
@given(problem=small_problems())
def test_awkward_graphs_give_numbers(network, problem):
    costs = np.clip(problem.costs, -1e30, 1e30)
    clipped = mc.Problem(problem.edges, costs, num_nodes=problem.num_nodes)
    assert logits(network, clipped).isfinite().all()


@pytest.mark.parametrize(
    ("edges", "costs"),
    [
        ([], []),
        ([[0, 1]], [1.0]),
        ([[0, 1], [1, 2], [2, 3]], [-1.0, 1.0, 2.0]),
        ([[0, 1], [1, 2]], [0.0, 0.0]),
        ([[0, 1], [2, 3]], [0.0, 1e-12]),
        ([[0, 1], [2, 3]], [1e-40, 1.0]),
    ],
    ids=["no edges", "isolated nodes", "a path", "zero costs", "one zero cost", "subnormal"],
)
def test_degenerate_graphs_have_finite_predictions_and_gradients(network, edges, costs):
    problem = mc.Problem(edges, costs, num_nodes=4)
    batch = GraphBatch.from_problems(problem)
    costs = batch.costs.clone().requires_grad_()
    network.zero_grad()
    found = network(batch.with_costs(costs))
    assert found.shape == (problem.num_edges,)
    assert found.isfinite().all()
    found.sum().backward()
    assert costs.grad is None or costs.grad.isfinite().all()
    assert all(p.grad is None or p.grad.isfinite().all() for p in network.parameters())


def test_gradients_are_those_of_the_function():
    network = small_contraction_network(width=4, depth=2).double()
    batch = GraphBatch.from_problems(random_problem(5, 0.8, seed=0), dtype=torch.float64)
    costs = batch.costs.clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda values: network(batch.with_costs(values)), (costs,))


def test_all_weights_learn():
    network = small_contraction_network()
    network.zero_grad()
    network(GraphBatch.from_problems(random_problem(20, 0.4, seed=0))).square().sum().backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad.abs().sum() > 0, name


def test_half_precision_is_close(network):
    batch = GraphBatch.from_problems(mc.datasets.randommp())
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        short = network(batch)
    assert short.dtype == torch.float32
    torch.testing.assert_close(short, logits(network, mc.datasets.randommp()), atol=0.1, rtol=0.1)


def test_shapes_are_checked():
    with pytest.raises(ValueError, match=r"width must be at least 1 .* got 0"):
        ContractionConfig(width=0)
    with pytest.raises(ValueError, match=r"one that contracts edges \(contraction\), got 'gcn_w'"):
        ContractionConfig(architecture="gcn_w")
    with pytest.raises(ValueError, match="no setting 'batch_norm'; it has: width, depth"):
        ContractionConfig.from_dict({"batch_norm": True})
    config = ContractionConfig(16, 3)
    assert ContractionConfig.from_dict(config.to_dict()) == config


class Oracle:
    """Says of each edge what its cost does, as surely as the cost is large."""

    def represent(self, batch, after_layer=None):
        if after_layer is not None:
            after_layer()
        return batch.costs, batch.costs

    def classify(self, batch, nodes, edges, after_chunk=None):  # noqa: ARG002
        return -edges


def test_rounds_join_what_is_sure_or_best_for_both_ends():
    # 0-1 is sure; 2-3 is best for both of its ends; 3-4 is not, until 3-2 is decided.
    edges = [[0, 1], [1, 2], [2, 3], [3, 4]]
    problem = mc.Problem(edges, [4.0, -1.0, 1.0, 0.5])
    states = list(contraction_rounds(Oracle(), GraphBatch.from_problems(problem)))
    assert [state.labels.tolist() for state in states] == [[0, 0, 1, 1, 2], [0, 0, 1, 1, 1]]
    assert states[-1].batch.costs.tolist() == [-1.0]


def test_rounds_add_up_costs():
    # Alone, 0-2 attracts; together with 1-2 it repels.
    problem = mc.Problem([[0, 1], [0, 2], [1, 2]], [4.0, 1.0, -2.0])
    states = list(contraction_rounds(Oracle(), GraphBatch.from_problems(problem)))
    assert [state.labels.tolist() for state in states] == [[0, 0, 1]]


def test_forbidden_edges_stay_forbidden_when_they_merge():
    problem = mc.Problem([[0, 1], [0, 2], [1, 2]], [4.0, 1.0, 0.5])
    batch = GraphBatch.from_problems(problem)
    assert list(contraction_rounds(Oracle(), batch))[-1].labels.tolist() == [0, 0, 0]
    forbidden = torch.tensor([False, True, False])
    states = list(contraction_rounds(Oracle(), batch, forbidden=forbidden))
    assert states[-1].labels.tolist() == [0, 0, 1]


def test_the_number_of_rounds_is_limited_and_a_step_may_end_them(network):
    batch = GraphBatch.from_problems(mc.datasets.randommp())
    assert len(list(contraction_rounds(Oracle(), batch, sure=(0.05,)))) == 1

    (last,) = contraction_rounds(Oracle(), batch, sure=(0.5,))
    expected = connected_components(batch.edges, batch.costs <= 0, batch.num_nodes)
    assert torch.equal(
        last.labels.unique(return_inverse=True)[1], expected.unique(return_inverse=True)[1]
    )

    def end():
        raise TimeoutError

    with pytest.raises(TimeoutError):
        list(contraction_rounds(network, batch, after_step=end))
