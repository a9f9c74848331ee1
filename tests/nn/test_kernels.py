"""The kernels for GPUs; on other machines triton's interpreter has to be asked for."""

from __future__ import annotations

import pytest
import torch

from multicut.nn import GraphBatch, MulticutNetwork, NetworkConfig
from multicut.nn.edge_classifier import pair_sums
from multicut.nn.symmetric_matrix import SymmetricMatrix
from tests.problems import random_problem

pytest.importorskip("triton")
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU is at hand")


@needs_gpu
@pytest.mark.parametrize("width", [1, 2, 16, 100, 128, 200])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("plus_identity", [False, True])
def test_products_of_rows(width, dtype, plus_identity):
    from multicut.nn.kernels.rows import multiply_rows

    batch = GraphBatch.from_problems(random_problem(60, 0.3, seed=0), device="cuda")
    rows = batch.adjacency
    matrix = SymmetricMatrix(rows, batch.edges, batch.costs)
    nodes = torch.randn(60, width, device="cuda").to(dtype)
    product = multiply_rows(
        rows.row_pointers, rows.columns, matrix.entries(torch.float32), nodes, plus_identity
    )
    dense = torch.zeros(60, 60, device="cuda")
    dense[batch.edges[0], batch.edges[1]] = batch.costs
    expected = (dense + dense.T) @ nodes.float() + (nodes.float() if plus_identity else 0)
    torch.testing.assert_close(product, expected.to(dtype))


@needs_gpu
@pytest.mark.parametrize("width", [8, 100, 256, 300])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_sums_of_pairs(width, dtype):
    from multicut.nn.kernels.pairs import add_pairs

    batch = GraphBatch.from_problems(random_problem(60, 0.3, seed=0), device="cuda")
    first, second = torch.randn(2, 60, width, device="cuda").to(dtype)
    expected = pair_sums(first, second, None, batch.edges).relu()
    torch.testing.assert_close(add_pairs(first, second, batch.edges), expected)


@needs_gpu
@pytest.mark.parametrize("width", [8, 100, 256, 300])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_gradients_of_sums_of_pairs(width, dtype):
    from multicut.nn.kernels.pairs import add_pairs, sum_pair_gradients

    batch = GraphBatch.from_problems(random_problem(60, 0.3, seed=0), device="cuda")
    first, second = torch.randn(2, 60, width, device="cuda").to(dtype)
    first.requires_grad_()
    second.requires_grad_()
    expected = pair_sums(first, second, None, batch.edges).relu()
    gradient = torch.randn_like(expected)
    expected.backward(gradient)
    rows = batch.adjacency
    sums = add_pairs(first.detach(), second.detach(), batch.edges)
    found = sum_pair_gradients(rows.row_pointers, rows.edge_of_entry, batch.edges, sums, gradient)
    tolerance = {} if dtype == torch.float32 else {"atol": 0.2, "rtol": 0.05}
    torch.testing.assert_close(found[0], first.grad, **tolerance)
    torch.testing.assert_close(found[1], second.grad, **tolerance)


@needs_gpu
def test_a_network_has_the_same_gradients_without_kernels(monkeypatch):
    torch.manual_seed(0)
    network = MulticutNetwork(NetworkConfig("gcn_w", width=32, depth=3)).cuda()
    batch = GraphBatch.from_problems(random_problem(60, 0.3, seed=0), device="cuda")

    def gradients():
        network.zero_grad()
        network(batch).square().sum().backward()
        return [parameter.grad.clone() for parameter in network.parameters()]

    fused = gradients()
    monkeypatch.setattr("multicut.nn.edge_classifier.has_triton", lambda: False)
    for found, expected in zip(fused, gradients(), strict=True):
        torch.testing.assert_close(found, expected, atol=1e-3, rtol=1e-3)
