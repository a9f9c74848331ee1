"""The layers of the contraction network on a GPU: gather, gate, sum and normalise in one go."""

# Triton has no types, and its language is not Python's.
# mypy: ignore-errors

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

# What keeps a mean over no gates finite; the layer adds as much.
SMALLEST_WEIGHT = 1e-6


@triton.jit
def _node_statistics(
    row_pointers,
    edge_of_entry,
    costs,
    statistics,
    NEIGHBOURS: tl.constexpr,  # noqa: N803
):
    """One program per node: sums and maxima over its edges."""
    node = tl.program_id(0).to(tl.int64)
    begin = tl.load(row_pointers + node)
    end = tl.load(row_pointers + node + 1)
    total = tl.zeros((NEIGHBOURS,), dtype=tl.float32)
    positive = tl.zeros((NEIGHBOURS,), dtype=tl.float32)
    largest = tl.zeros((NEIGHBOURS,), dtype=tl.float32)
    strongest = tl.zeros((NEIGHBOURS,), dtype=tl.float32)
    for start in range(begin, end, NEIGHBOURS):
        entry = start + tl.arange(0, NEIGHBOURS)
        present = entry < end
        edge = tl.load(edge_of_entry + entry, mask=present, other=0)
        cost = tl.load(costs + edge, mask=present, other=0.0).to(tl.float32)
        size = tl.abs(cost)
        attraction = tl.maximum(cost, 0.0)
        total += size
        positive += attraction
        largest = tl.maximum(largest, size)
        strongest = tl.maximum(strongest, attraction)
    tl.store(statistics + 4 * node, tl.sum(total, axis=0))
    tl.store(statistics + 4 * node + 1, tl.sum(positive, axis=0))
    tl.store(statistics + 4 * node + 2, tl.max(largest, axis=0))
    tl.store(statistics + 4 * node + 3, tl.max(strongest, axis=0))


def node_statistics(row_pointers: Tensor, edge_of_entry: Tensor, costs: Tensor) -> Tensor:
    """Return the sum of |costs|, of attraction, and the largest of both, for each node."""
    num_nodes = row_pointers.shape[0] - 1
    statistics = costs.new_empty(num_nodes, 4)
    if num_nodes > 0:
        with torch.cuda.device_of(costs):
            _node_statistics[(num_nodes,)](
                row_pointers,
                edge_of_entry,
                costs.contiguous(),
                statistics,
                NEIGHBOURS=16,
                num_warps=1,
            )
    return statistics


@triton.jit
def _normalised(values, scale, shift, epsilon, within, width):
    """Normalise each row, as ``torch.nn.LayerNorm`` does."""
    mean = tl.sum(tl.where(within, values, 0.0), axis=1) / width
    centred = tl.where(within, values - mean[:, None], 0.0)
    variance = tl.sum(centred * centred, axis=1) / width
    return centred * tl.rsqrt(variance + epsilon)[:, None] * scale[None, :] + shift[None, :]


@triton.jit
def _update_edges(
    states,
    weight,
    of_nodes,
    first_nodes,
    second_nodes,
    scale,
    shift,
    raw,
    new_states,
    num_edges,
    epsilon,
    stride,
    width: tl.constexpr,
    PRECISION: tl.constexpr,  # noqa: N803
    EDGES: tl.constexpr,  # noqa: N803
    WIDTH: tl.constexpr,  # noqa: N803
):
    """One program per tile of edges; all channels at once."""
    edge = tl.program_id(0).to(tl.int64) * EDGES + tl.arange(0, EDGES)
    channel = tl.arange(0, WIDTH)
    present = edge < num_edges
    within = channel < width
    inside = present[:, None] & within[None, :]
    place = edge[:, None] * width + channel[None, :]
    state = tl.load(states + place, mask=inside, other=0.0)
    transposed = tl.load(
        weight + channel[None, :] * width + channel[:, None],
        mask=within[:, None] & within[None, :],
        other=0.0,
    )
    sums = tl.dot(state, transposed, input_precision=PRECISION)
    u = tl.load(first_nodes + edge, mask=present, other=0)
    v = tl.load(second_nodes + edge, mask=present, other=0)
    at_u = u[:, None] * stride + channel[None, :]
    at_v = v[:, None] * stride + channel[None, :]
    sums += tl.load(of_nodes + at_u, mask=inside, other=0.0).to(tl.float32)
    sums += tl.load(of_nodes + at_v, mask=inside, other=0.0).to(tl.float32)
    kind = new_states.dtype.element_ty
    tl.store(raw + place, sums.to(kind), mask=inside)
    factors = tl.load(scale + channel, mask=within, other=0.0).to(tl.float32)
    summands = tl.load(shift + channel, mask=within, other=0.0).to(tl.float32)
    normal = _normalised(sums, factors, summands, epsilon, inside, width)
    updated = state.to(tl.float32) + tl.maximum(normal, 0.0)
    tl.store(new_states + place, updated.to(kind), mask=inside)


def update_edges(
    states: Tensor, weight: Tensor, of_nodes: Tensor, edges: Tensor, norm: torch.nn.LayerNorm
) -> tuple[Tensor, Tensor]:
    """Return what gates are made of, and the new states of edges.

    That is :math:`r = Q e + a_u + a_v` and ``e + relu(norm(r))``. `of_nodes` holds a row per
    node, which may be a slice of a wider tensor.
    """
    num_edges, width = states.shape
    states = states.contiguous()
    raw, updated = torch.empty_like(states), torch.empty_like(states)
    if num_edges == 0:
        return raw, updated
    tile = _channels(width)
    with torch.cuda.device_of(states):
        _update_edges[(triton.cdiv(num_edges, 64),)](
            states,
            weight.to(states.dtype).contiguous(),
            of_nodes,
            edges[0].contiguous(),
            edges[1].contiguous(),
            norm.weight,
            norm.bias,
            raw,
            updated,
            num_edges,
            norm.eps,
            of_nodes.stride(0),
            width=width,
            PRECISION=_dot_precision(),
            EDGES=64,
            WIDTH=tile,
            num_warps=4,
        )
    return raw, updated


@triton.jit
def _update_nodes(
    row_pointers,
    columns,
    edge_of_entry,
    raw,
    messages,
    own,
    states,
    scale,
    shift,
    new_states,
    epsilon,
    smallest,
    stride,
    width: tl.constexpr,
    NEIGHBOURS: tl.constexpr,  # noqa: N803
    WIDTH: tl.constexpr,  # noqa: N803
):
    """One program per node: all loads of up to NEIGHBOURS states are under way at once."""
    node = tl.program_id(0).to(tl.int64)
    channel = tl.arange(0, WIDTH)
    within = channel < width
    begin = tl.load(row_pointers + node)
    end = tl.load(row_pointers + node + 1)
    received = tl.zeros((WIDTH,), dtype=tl.float32)
    weight = tl.zeros((WIDTH,), dtype=tl.float32)
    for start in range(begin, end, NEIGHBOURS):
        entry = start + tl.arange(0, NEIGHBOURS)
        present = entry < end
        column = tl.load(columns + entry, mask=present, other=0).to(tl.int64)
        edge = tl.load(edge_of_entry + entry, mask=present, other=0).to(tl.int64)
        inside = present[:, None] & within[None, :]
        value = tl.load(raw + edge[:, None] * width + channel[None, :], mask=inside, other=0.0).to(
            tl.float32
        )
        gate = tl.where(inside, 1.0 / (1.0 + tl.exp(-value)), 0.0)
        message = tl.load(
            messages + column[:, None] * stride + channel[None, :], mask=inside, other=0.0
        ).to(tl.float32)
        received += tl.sum(gate * message, axis=0)
        weight += tl.sum(gate, axis=0)
    mine = tl.load(own + node * stride + channel, mask=within, other=0.0).to(tl.float32)
    sums = mine + received / (weight + smallest)
    factors = tl.load(scale + channel, mask=within, other=0.0).to(tl.float32)
    summands = tl.load(shift + channel, mask=within, other=0.0).to(tl.float32)
    mean = tl.sum(tl.where(within, sums, 0.0), axis=0) / width
    centred = tl.where(within, sums - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / width
    normal = centred * tl.rsqrt(variance + epsilon) * factors + summands
    state = tl.load(states + node * width + channel, mask=within, other=0.0).to(tl.float32)
    updated = (state + tl.maximum(normal, 0.0)).to(new_states.dtype.element_ty)
    tl.store(new_states + node * width + channel, updated, mask=within)


def update_nodes(
    row_pointers: Tensor,
    columns: Tensor,
    edge_of_entry: Tensor,
    raw: Tensor,
    messages: Tensor,
    own: Tensor,
    states: Tensor,
    norm: torch.nn.LayerNorm,
) -> Tensor:
    """Return the new states of nodes, from gated means over their neighbours.

    Sums are taken row by row in float32, in the same order every time and without atomic additions.
    `messages` and `own` may be slices of one wider tensor.
    """
    states = states.contiguous()
    num_nodes, width = states.shape
    updated = torch.empty_like(states)
    if num_nodes == 0:
        return updated
    if messages.stride(0) != own.stride(0):
        raise ValueError("messages and own must be slices of one tensor")
    with torch.cuda.device_of(states):
        _update_nodes[(num_nodes,)](
            row_pointers,
            columns,
            edge_of_entry,
            raw,
            messages,
            own,
            states,
            norm.weight,
            norm.bias,
            updated,
            norm.eps,
            SMALLEST_WEIGHT,
            messages.stride(0),
            width=width,
            NEIGHBOURS=8,
            WIDTH=_channels(width),
            num_warps=1,
        )
    return updated


@triton.jit
def _read_out(
    states,
    nodes,
    from_sums,
    first_nodes,
    second_nodes,
    weight_states,
    weight_differences,
    last_weight,
    last_bias,
    logits,
    num_edges,
    width: tl.constexpr,
    PRECISION: tl.constexpr,  # noqa: N803
    EDGES: tl.constexpr,  # noqa: N803
    WIDTH: tl.constexpr,  # noqa: N803
):
    """One program per tile of edges."""
    edge = tl.program_id(0).to(tl.int64) * EDGES + tl.arange(0, EDGES)
    channel = tl.arange(0, WIDTH)
    present = edge < num_edges
    within = channel < width
    inside = present[:, None] & within[None, :]
    square = within[:, None] & within[None, :]
    across = channel[None, :] * width + channel[:, None]
    state = tl.load(states + edge[:, None] * width + channel[None, :], mask=inside, other=0.0)
    transposed = tl.load(weight_states + across, mask=square, other=0.0)
    hidden = tl.dot(state, transposed, input_precision=PRECISION)
    u = tl.load(first_nodes + edge, mask=present, other=0)
    v = tl.load(second_nodes + edge, mask=present, other=0)
    at_u = u[:, None] * width + channel[None, :]
    at_v = v[:, None] * width + channel[None, :]
    first = tl.load(nodes + at_u, mask=inside, other=0.0).to(tl.float32)
    second = tl.load(nodes + at_v, mask=inside, other=0.0).to(tl.float32)
    difference = tl.abs(first - second).to(state.dtype)
    transposed = tl.load(weight_differences + across, mask=square, other=0.0)
    hidden += tl.dot(difference, transposed, input_precision=PRECISION)
    hidden += tl.load(from_sums + at_u, mask=inside, other=0.0).to(tl.float32)
    hidden += tl.load(from_sums + at_v, mask=inside, other=0.0).to(tl.float32)
    last = tl.load(last_weight + channel, mask=within, other=0.0).to(tl.float32)
    result = tl.sum(tl.maximum(hidden, 0.0) * last[None, :], axis=1) + tl.load(last_bias)
    tl.store(logits + edge, result, mask=present)


def read_out(
    states: Tensor, nodes: Tensor, edges: Tensor, first: torch.nn.Linear, last: torch.nn.Linear
) -> Tensor:
    """Return ``last(relu(first([e, n_u + n_v, |n_u - n_v|])))``, one logit per edge, in float32."""
    num_edges, width = states.shape
    logits = torch.empty(num_edges, dtype=torch.float32, device=states.device)
    if num_edges == 0:
        return logits
    kind = states.dtype
    of_states, of_sums, of_differences = (
        part.to(kind).contiguous() for part in first.weight.split(width, dim=1)
    )
    nodes = nodes.to(kind).contiguous()
    # Either end brings half of the bias.
    with torch.autocast(states.device.type, enabled=False):
        from_sums = torch.addmm((first.bias / 2).to(kind), nodes, of_sums.T)
    with torch.cuda.device_of(states):
        _read_out[(triton.cdiv(num_edges, 64),)](
            states.contiguous(),
            nodes,
            from_sums,
            edges[0].contiguous(),
            edges[1].contiguous(),
            of_states,
            of_differences,
            last.weight.float().contiguous(),
            last.bias.float(),
            logits,
            num_edges,
            width=width,
            PRECISION=_dot_precision(),
            EDGES=64,
            WIDTH=_channels(width),
            num_warps=4,
        )
    return logits


def _channels(width: int) -> int:
    return max(triton.next_power_of_2(width), 16)


def _dot_precision() -> str:
    """As exact as torch's own products are asked to be."""
    return "ieee" if torch.get_float32_matmul_precision() == "highest" else "tf32"
