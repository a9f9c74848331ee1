"""The product of a sparse matrix in compressed rows with node states, on a GPU."""

# Triton has no types, and its language is not Python's.
# mypy: ignore-errors

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def _multiply_rows(
    row_pointers,
    columns,
    entries,
    nodes,
    product,
    width: tl.constexpr,
    PLUS_IDENTITY: tl.constexpr,  # noqa: N803
    NEIGHBOURS: tl.constexpr,  # noqa: N803
    WIDTH: tl.constexpr,  # noqa: N803
):
    """One program per row: all loads of up to NEIGHBOURS states are under way at once."""
    row = tl.program_id(0).to(tl.int64)
    channel = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    within = channel < width
    begin = tl.load(row_pointers + row)
    end = tl.load(row_pointers + row + 1)
    total = tl.zeros((WIDTH,), dtype=tl.float32)
    if PLUS_IDENTITY:
        total += tl.load(nodes + row * width + channel, mask=within, other=0.0).to(tl.float32)
    for first in range(begin, end, NEIGHBOURS):
        entry = first + tl.arange(0, NEIGHBOURS)
        present = entry < end
        column = tl.load(columns + entry, mask=present, other=0).to(tl.int64)
        value = tl.load(entries + entry, mask=present, other=0.0).to(tl.float32)
        states = tl.load(
            nodes + column[:, None] * width + channel[None, :],
            mask=present[:, None] & within[None, :],
            other=0.0,
        ).to(tl.float32)
        total += tl.sum(states * value[:, None], axis=0)
    tl.store(product + row * width + channel, total.to(product.dtype.element_ty), mask=within)


def multiply_rows(
    row_pointers: Tensor, columns: Tensor, entries: Tensor, nodes: Tensor, plus_identity: bool
) -> Tensor:
    """Multiply; sums are taken in float32 and in the order of the entries, so they repeat."""
    nodes = nodes.contiguous()
    num_nodes, width = nodes.shape
    product = torch.empty_like(nodes)
    tile = min(max(triton.next_power_of_2(width), 16), 128)
    with torch.cuda.device_of(nodes):
        _multiply_rows[(num_nodes, triton.cdiv(width, tile))](
            row_pointers,
            columns,
            entries,
            nodes,
            product,
            width=width,
            PLUS_IDENTITY=plus_identity,
            NEIGHBOURS=8,
            WIDTH=tile,
            num_warps=1,
        )
    return product
