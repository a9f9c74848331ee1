from __future__ import annotations

import pytest
import torch

from multicut.nn import GraphBatch
from multicut.nn.symmetric_matrix import SymmetricMatrix
from tests.problems import random_problem


def matrix_and_dense(seed: int = 0) -> tuple[SymmetricMatrix, torch.Tensor]:
    batch = GraphBatch.from_problems(random_problem(12, 0.3, seed), dtype=torch.float64)
    values = batch.costs.clone().requires_grad_()
    dense = torch.zeros(12, 12, dtype=torch.float64)
    dense[batch.edges[0], batch.edges[1]] = batch.costs
    dense[batch.edges[1], batch.edges[0]] = batch.costs
    return SymmetricMatrix(batch.adjacency, batch.edges, values), dense


@pytest.mark.parametrize("plus_identity", [False, True])
@pytest.mark.parametrize("width", [1, 5])
def test_the_product_is_that_of_the_dense_matrix(plus_identity, width):
    matrix, dense = matrix_and_dense()
    nodes = torch.randn(12, width, dtype=torch.float64)
    expected = dense @ nodes + (nodes if plus_identity else 0)
    torch.testing.assert_close(matrix.multiply(nodes, plus_identity=plus_identity), expected)
    torch.testing.assert_close(matrix.row_sums()[:, 0], dense.sum(1))


@pytest.mark.parametrize("plus_identity", [False, True])
def test_gradients(plus_identity):
    matrix, _ = matrix_and_dense(seed=3)
    nodes = torch.randn(12, 3, dtype=torch.float64, requires_grad=True)

    def multiply(values, nodes):
        fresh = SymmetricMatrix(matrix.adjacency, matrix.edges, values)
        return fresh.multiply(nodes, plus_identity=plus_identity)

    assert torch.autograd.gradcheck(multiply, (matrix.edge_values, nodes))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_short_numbers_are_summed_in_single_precision(dtype):
    matrix, dense = matrix_and_dense()
    nodes = torch.randn(12, 4).to(dtype)
    product = matrix.multiply(nodes)
    assert product.dtype == dtype
    torch.testing.assert_close(product, (dense.float() @ nodes.float()).to(dtype))


def test_a_graph_without_edges():
    batch = GraphBatch.from_edges(torch.zeros(2, 0, dtype=torch.int64), torch.zeros(0), 3)
    matrix = SymmetricMatrix(batch.adjacency, batch.edges, batch.costs)
    nodes = torch.randn(3, 2)
    assert torch.equal(matrix.multiply(nodes), torch.zeros(3, 2))
    assert torch.equal(matrix.multiply(nodes, plus_identity=True), nodes)
