"""The first layer of the edge classifier on a GPU: gather, add and clip in one go, and back."""

# Triton has no types, and its language is not Python's.
# mypy: ignore-errors

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def _add_pairs(
    from_first,
    from_second,
    first_nodes,
    second_nodes,
    sums,
    num_edges,
    width: tl.constexpr,
    WIDTH: tl.constexpr,  # noqa: N803
):
    """One program per edge: both of its directions."""
    edge = tl.program_id(0).to(tl.int64)
    channel = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    within = channel < width
    u = tl.load(first_nodes + edge)
    v = tl.load(second_nodes + edge)
    first_u = tl.load(from_first + u * width + channel, mask=within).to(tl.float32)
    second_v = tl.load(from_second + v * width + channel, mask=within).to(tl.float32)
    first_v = tl.load(from_first + v * width + channel, mask=within).to(tl.float32)
    second_u = tl.load(from_second + u * width + channel, mask=within).to(tl.float32)
    kind = sums.dtype.element_ty
    there = tl.maximum(first_u + second_v, 0.0).to(kind)
    back = tl.maximum(first_v + second_u, 0.0).to(kind)
    tl.store(sums + edge * width + channel, there, mask=within)
    tl.store(sums + (num_edges + edge) * width + channel, back, mask=within)


def add_pairs(from_first: Tensor, from_second: Tensor, edges: Tensor) -> Tensor:
    """Return ``relu(from_first[u] + from_second[v])`` for all edges u to v, then for v to u."""
    num_edges, width = edges.shape[1], from_first.shape[1]
    sums = from_first.new_empty(2 * num_edges, width)
    tile = min(max(triton.next_power_of_2(width), 16), 256)
    with torch.cuda.device_of(sums):
        _add_pairs[(num_edges, triton.cdiv(width, tile))](
            from_first.contiguous(),
            from_second.contiguous(),
            edges[0].contiguous(),
            edges[1].contiguous(),
            sums,
            num_edges,
            width=width,
            WIDTH=tile,
            num_warps=1,
        )
    return sums


@triton.jit
def _sum_pair_gradients(
    row_pointers,
    edge_of_entry,
    first_nodes,
    sums,
    gradient,
    of_first,
    of_second,
    num_edges,
    width: tl.constexpr,
    NEIGHBOURS: tl.constexpr,  # noqa: N803
    WIDTH: tl.constexpr,  # noqa: N803
):
    """One program per node: all of its edges, in both directions."""
    node = tl.program_id(0).to(tl.int64)
    channel = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    within = channel < width
    begin = tl.load(row_pointers + node)
    end = tl.load(row_pointers + node + 1)
    as_first = tl.zeros((WIDTH,), dtype=tl.float32)
    as_second = tl.zeros((WIDTH,), dtype=tl.float32)
    for start in range(begin, end, NEIGHBOURS):
        entry = start + tl.arange(0, NEIGHBOURS)
        present = entry < end
        edge = tl.load(edge_of_entry + entry, mask=present, other=0).to(tl.int64)
        is_first = tl.load(first_nodes + edge, mask=present, other=0) == node
        there = tl.where(is_first, edge, edge + num_edges)
        back = tl.where(is_first, edge + num_edges, edge)
        inside = present[:, None] & within[None, :]
        place = there[:, None] * width + channel[None, :]
        values = tl.load(gradient + place, mask=inside, other=0.0).to(tl.float32)
        passed = tl.load(sums + place, mask=inside, other=0.0) > 0
        as_first += tl.sum(tl.where(passed, values, 0.0), axis=0)
        place = back[:, None] * width + channel[None, :]
        values = tl.load(gradient + place, mask=inside, other=0.0).to(tl.float32)
        passed = tl.load(sums + place, mask=inside, other=0.0) > 0
        as_second += tl.sum(tl.where(passed, values, 0.0), axis=0)
    kind = of_first.dtype.element_ty
    tl.store(of_first + node * width + channel, as_first.to(kind), mask=within)
    tl.store(of_second + node * width + channel, as_second.to(kind), mask=within)


def sum_pair_gradients(
    row_pointers: Tensor, edge_of_entry: Tensor, edges: Tensor, sums: Tensor, gradient: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the gradients of ``add_pairs`` for both of its arguments.

    They are summed up row by row, in the same order every time and without atomic additions, which
    is what the gradient of gathering would do.
    """
    num_nodes, width = row_pointers.shape[0] - 1, sums.shape[1]
    of_first, of_second = sums.new_empty(2, num_nodes, width)
    tile = min(max(triton.next_power_of_2(width), 16), 256)
    with torch.cuda.device_of(sums):
        _sum_pair_gradients[(num_nodes, triton.cdiv(width, tile))](
            row_pointers,
            edge_of_entry,
            edges[0].contiguous(),
            sums,
            gradient.contiguous(),
            of_first,
            of_second,
            edges.shape[1],
            width=width,
            NEIGHBOURS=4,
            WIDTH=tile,
            num_warps=2,
        )
    return of_first, of_second
