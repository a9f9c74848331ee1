"""The equations, written out with dense matrices on a small graph."""

from __future__ import annotations

import pytest
import torch

from multicut.nn import GraphBatch, get_architecture
from multicut.nn.features import node_features
from tests.problems import random_problem

N, WIDTH = 9, 4


@pytest.fixture
def batch() -> GraphBatch:
    return GraphBatch.from_problems(random_problem(N, 0.6, seed=7), dtype=torch.float64)


@pytest.fixture
def costs(batch) -> torch.Tensor:
    dense = torch.zeros(N, N, dtype=torch.float64)
    dense[batch.edges[0], batch.edges[1]] = batch.costs
    return dense + dense.T


def test_features_are_sums_of_positive_and_of_negative_costs(batch, costs):
    expected = torch.stack([costs.clamp(min=0).sum(1), costs.clamp(max=0).sum(1)], dim=1)
    torch.testing.assert_close(node_features(batch), expected)


def convolve(batch: GraphBatch, architecture: str, nodes: torch.Tensor) -> tuple:
    torch.manual_seed(0)
    kind = get_architecture(architecture).convolution
    convolution = kind(WIDTH, WIDTH, batch_norm=False).double()
    links = kind.links(batch, node_features(batch), fused=True)
    return convolution, convolution(nodes, None, links)[0]


def adjacency(costs: torch.Tensor) -> torch.Tensor:
    return (costs != 0).double()


def structural(costs: torch.Tensor) -> torch.Tensor:
    degrees = 1 + adjacency(costs).sum(1)
    return adjacency(costs) / (degrees[:, None] * degrees).sqrt()


def signed_norm(costs: torch.Tensor) -> torch.Tensor:
    degrees = costs.abs().sum(1)
    return 1 / (degrees[:, None] * degrees).sqrt()


@pytest.mark.parametrize(
    ("architecture", "matrix"),
    [
        ("gcn", structural),
        ("gcn_minus_laplacian", adjacency),
        ("gcn_plus_edge_weights", lambda costs: costs),
        ("gcn_w", lambda costs: costs * signed_norm(costs)),
        ("gcn_w_minus_edge_weights", lambda costs: adjacency(costs) * signed_norm(costs)),
    ],
)
def test_graph_convolutions(batch, costs, architecture, matrix):
    nodes = torch.randn(N, WIDTH, dtype=torch.float64)
    convolution, updated = convolve(batch, architecture, nodes)
    expected = convolution.dense.linear(nodes + matrix(costs) @ nodes).relu()
    torch.testing.assert_close(updated, expected)


@pytest.mark.parametrize(("architecture", "weighted"), [("gin0", False), ("gin0_w", True)])
def test_graph_isomorphism_convolutions(batch, costs, architecture, weighted):
    nodes = torch.randn(N, WIDTH, dtype=torch.float64)
    convolution, updated = convolve(batch, architecture, nodes)
    total = nodes + (costs if weighted else adjacency(costs)) @ nodes
    inner, outer = (layer.linear for layer in convolution.mlp)
    torch.testing.assert_close(updated, outer(inner(total).relu()).relu())


@pytest.mark.parametrize(("architecture", "weighted"), [("sgcn", False), ("sgcn_w", True)])
def test_signed_graph_convolutions(batch, costs, architecture, weighted):
    balanced, unbalanced = torch.randn(2, N, WIDTH // 2, dtype=torch.float64)
    nodes = torch.cat([balanced, unbalanced], dim=1)
    convolution, updated = convolve(batch, architecture, nodes)
    weights = costs if weighted else adjacency(costs)
    attract = torch.where(costs > 0, weights, 0) / (costs > 0).sum(1, keepdim=True).clamp(min=1)
    repel = torch.where(costs < 0, weights, 0) / (costs < 0).sum(1, keepdim=True).clamp(min=1)
    expected = [
        convolution.balanced.linear(balanced + attract @ balanced + repel @ unbalanced).relu(),
        convolution.unbalanced.linear(unbalanced + attract @ unbalanced + repel @ balanced).relu(),
    ]
    torch.testing.assert_close(updated, torch.cat(expected, dim=1))


def test_plain_message_passing(batch, costs):
    nodes = torch.randn(N, WIDTH, dtype=torch.float64)
    convolution, updated = convolve(batch, "mpnn", nodes)
    totals = torch.zeros(N, WIDTH, dtype=torch.float64)
    for u, v in costs.nonzero().tolist():
        pair = torch.cat([nodes[u], nodes[v], costs[u, v, None]])
        totals[u] += convolution.outer(convolution.hidden(pair).relu())
    expected = convolution.dense.linear(torch.cat([nodes, totals], dim=1)).relu()
    torch.testing.assert_close(updated, expected)


def test_residual_gated_convolution(batch, costs):
    torch.manual_seed(0)
    kind = get_architecture("rggcn_he").convolution
    convolution = kind(WIDTH, WIDTH, batch_norm=False).double()
    links = kind.links(batch, node_features(batch), fused=True)
    nodes = torch.randn(N, WIDTH, dtype=torch.float64)
    edges = torch.randn(2 * batch.num_edges, WIDTH, dtype=torch.float64)
    new_nodes, new_edges = convolution(nodes, edges, links)
    a, b, d, e = convolution.of_nodes(nodes).chunk(4, dim=1)
    source, target = batch.directed_edges
    for u in range(N):
        incoming = (target == u).nonzero()[:, 0]
        gates = edges[incoming].sigmoid()
        shares = gates / (gates.sum(0) + 1e-6)
        expected = nodes[u] + (a[u] + (shares * b[source[incoming]]).sum(0)).relu()
        torch.testing.assert_close(new_nodes[u], expected)
    change = convolution.of_edges(edges) + d[target] + e[source]
    torch.testing.assert_close(new_edges, edges + change.relu())
    assert costs.shape == (N, N)


def test_attention_weights_neighbours_by_a_softmax(batch):
    torch.manual_seed(0)
    kind = get_architecture("gt").convolution
    convolution = kind(3, 8, batch_norm=False).double()
    attention = convolution.attention
    links = kind.links(batch, node_features(batch), fused=True)
    nodes = torch.randn(N, 3, dtype=torch.float64)
    updated, _ = convolution(nodes, None, links)
    source, target = batch.directed_edges
    costs = torch.cat([batch.costs, batch.costs])[:, None]
    for u in range(N):
        incoming = (target == u).nonzero()[:, 0]
        of_edges = attention.lin_edge(costs[incoming])
        keys = attention.lin_key(nodes[source[incoming]]) + of_edges
        # Eight heads of one channel each.
        scores = (attention.lin_query(nodes[u]) * keys).softmax(0)
        values = attention.lin_value(nodes[source[incoming]]) + of_edges
        expected = attention.lin_skip(nodes[u]) + (scores * values).sum(0)
        torch.testing.assert_close(updated[u], expected.relu())
