"""Products of a symmetric sparse matrix with node states: the inner loop of most networks here."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from multicut.nn.adjacency import Adjacency

# Entries of a product of two gathered states at a time, when the gradient of costs is asked for.
_PAIR_BUDGET = 2**25


class SymmetricMatrix:
    r"""The matrix :math:`S` with :math:`S_{uv} = S_{vu} = s_e` for each edge :math:`e = \{u, v\}`.

    Since it is symmetric, one set of compressed rows computes a product, :math:`S H`, and its
    gradient, :math:`S^\top G = S G`. Messages of single edges are never stored.

    Parameters
    ----------
    adjacency
        The compressed rows.
    edges
        Shape (2, num_edges): the two nodes of each edge.
    edge_values
        Shape (num_edges,): :math:`s_e`. May require a gradient.
    """

    def __init__(self, adjacency: Adjacency, edges: Tensor, edge_values: Tensor) -> None:
        self.adjacency = adjacency
        self.edges = edges
        self.edge_values = edge_values
        self._entries: dict[torch.dtype, Tensor] = {}

    def multiply(self, nodes: Tensor, *, plus_identity: bool = False) -> Tensor:
        """Return :math:`S H`, or :math:`H + S H`, for node states :math:`H` of shape (n, width)."""
        product: Tensor = _Product.apply(self.edge_values, nodes, self, plus_identity)  # type: ignore[no-untyped-call]
        return product

    def row_sums(self) -> Tensor:
        """Shape (num_nodes, 1): the sum of the values at each node."""
        return self.multiply(self.edge_values.new_ones(self.adjacency.num_nodes, 1))

    def entries(self, dtype: torch.dtype) -> Tensor:
        """Return the value of each stored entry; all layers share them."""
        if dtype not in self._entries:
            values = self.edge_values.detach().to(dtype)
            self._entries[dtype] = values[self.adjacency.edge_of_entry]
        return self._entries[dtype]

    def product(self, nodes: Tensor, plus_identity: bool) -> Tensor:
        """Multiply without a record for gradients, by the fastest way this device has."""
        if self.edges.shape[1] == 0 or nodes.numel() == 0:
            return nodes.clone() if plus_identity else torch.zeros_like(nodes)
        if nodes.is_cuda and nodes.dtype != torch.float64 and has_triton():
            from multicut.nn.kernels.rows import multiply_rows

            entries = self.entries(torch.float32)
            return multiply_rows(
                self.adjacency.row_pointers, self.adjacency.columns, entries, nodes, plus_identity
            )
        if nodes.device.type == "cpu" and nodes.dtype in (torch.bfloat16, torch.float16):
            # MKL has no product of such short numbers.
            return self.product(nodes.float(), plus_identity).to(nodes.dtype)
        matrix = _compressed_rows(self.adjacency, self.entries(nodes.dtype))
        # The type of the states decides; autocast would shorten the sums of costs, too.
        with torch.autocast(nodes.device.type, enabled=False):
            return torch.addmm(nodes, matrix, nodes, beta=1 if plus_identity else 0)


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, edge_values: Tensor, nodes: Tensor, matrix: SymmetricMatrix, plus_identity: bool
    ) -> Tensor:
        ctx.matrix = matrix
        ctx.plus_identity = plus_identity
        ctx.value_type = edge_values.dtype
        if ctx.needs_input_grad[0]:
            ctx.save_for_backward(nodes)
        return matrix.product(nodes, plus_identity)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None, None, None]:
        of_values = of_nodes = None
        if ctx.needs_input_grad[0]:
            (nodes,) = ctx.saved_tensors
            of_values = _pair_products(ctx.matrix.edges, gradient, nodes).to(ctx.value_type)
        if ctx.needs_input_grad[1]:
            of_nodes = ctx.matrix.product(gradient.contiguous(), ctx.plus_identity)
        return of_values, of_nodes, None, None


def _pair_products(edges: Tensor, gradient: Tensor, nodes: Tensor) -> Tensor:
    r"""Return :math:`\langle g_u, h_v\rangle + \langle g_v, h_u\rangle` for each edge."""
    rows = max(1, _PAIR_BUDGET // max(nodes.shape[1], 1))
    # Sums of short numbers are taken in single precision.
    kind = torch.promote_types(nodes.dtype, torch.float32)
    parts = [
        (gradient[u] * nodes[v] + gradient[v] * nodes[u]).sum(1, dtype=kind)
        for u, v in torch.split(edges, rows, dim=1)
    ]
    return torch.cat(parts) if parts else gradient.new_zeros(0)


def _compressed_rows(adjacency: Adjacency, entries: Tensor) -> Tensor:
    _silence_warnings()
    return _unchecked_rows(adjacency.row_pointers, adjacency.columns, entries)


def _unchecked_rows(row_pointers: Tensor, columns: Tensor, entries: Tensor) -> Tensor:
    size = (len(row_pointers) - 1, len(row_pointers) - 1)
    return torch.sparse_csr_tensor(row_pointers, columns, entries, size, check_invariants=False)


@cache
def _silence_warnings() -> None:
    """Make torch give its warnings about compressed rows, which it gives once, where none is shown.

    They say that such matrices are in beta state, and in torch 2.11 that they are not checked.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _unchecked_rows(torch.tensor([0, 1]), torch.tensor([0]), torch.ones(1))


@cache
def has_triton() -> bool:
    """Whether a kernel can be compiled and run here; triton also needs a C compiler."""
    try:
        from multicut.nn.kernels.rows import multiply_rows

        pointers = torch.tensor([0, 1], dtype=torch.int32, device="cuda")
        one = torch.ones(1, 1, device="cuda")
        product = multiply_rows(pointers, pointers[:1], one[0], one, True)
        return bool(product.item() == 2.0)
    except Exception:
        # Whatever is missing, cuSPARSE does the same, more slowly.
        return False
