"""The first layer of the edge classifier on a GPU: gather, add and clip in one go."""

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
