"""The kernels for GPUs; on other machines triton's interpreter has to be asked for."""

from __future__ import annotations

import pytest
import torch

from multicut.nn import GraphBatch
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
