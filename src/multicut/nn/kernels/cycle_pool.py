"""Sums over the edges of cycles, and over the cycles of edges, on a GPU.

Weights are added as whole numbers, so that results repeat. They are those of
``multicut.nn.search.cycle_pool`` but for the rounding of prices.
"""

# Triton has no types, and its language is not Python's.
# mypy: ignore-errors

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

_BLOCK = 256
# So many edges of a cycle are read without a loop. To unroll the longest takes seconds to compile.
_UNROLLED = 8


@triton.jit(do_not_specialize=["num_cycles", "width"])
def _step_weights(
    cycles,
    weights,
    steps,
    prices,
    loads,
    num_cycles,
    typical,
    width,
    WIDTH: tl.constexpr,  # noqa: N803
    BLOCK: tl.constexpr,  # noqa: N803
):
    """Change each weight by what its cycle saves; add twice the new one less the old to loads."""
    cycle = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    within = cycle < num_cycles
    price = tl.zeros((BLOCK,), tl.float32)
    for i in tl.static_range(WIDTH):
        edge = tl.load(cycles + i * num_cycles + cycle, mask=within, other=0)
        price += tl.load(prices + edge, mask=within, other=0)
    for i in range(WIDTH, width):
        edge = tl.load(cycles + i * num_cycles + cycle, mask=within, other=0)
        price += tl.load(prices + edge, mask=within, other=0)
    before = tl.load(weights + cycle, mask=within, other=0)
    step = tl.load(steps + cycle, mask=within, other=0)
    weight = tl.maximum(before + (1.0 - price) * step, 0.0)
    tl.store(weights + cycle, weight, mask=within)
    ahead = ((2.0 * weight - before).to(tl.float64) * typical).to(tl.int64)
    counts = within & (ahead != 0)
    for i in tl.static_range(WIDTH):
        edge = tl.load(cycles + i * num_cycles + cycle, mask=counts, other=0)
        tl.atomic_add(loads + edge, ahead, mask=counts, sem="relaxed")
    for i in range(WIDTH, width):
        edge = tl.load(cycles + i * num_cycles + cycle, mask=counts, other=0)
        tl.atomic_add(loads + edge, ahead, mask=counts, sem="relaxed")


@triton.jit(do_not_specialize=["num_edges"])
def _step_prices(prices, loads, capacities, steps, num_edges, BLOCK: tl.constexpr):  # noqa: N803
    """Change each price by what the edge carries too much, and forget what it carries."""
    edge = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    within = edge < num_edges
    load = tl.load(loads + edge, mask=within, other=0)
    excess = (load - tl.load(capacities + edge, mask=within, other=0)).to(tl.float32)
    step = tl.load(steps + edge, mask=within, other=0)
    price = tl.load(prices + edge, mask=within, other=0)
    tl.store(prices + edge, tl.maximum(price + excess * step, 0.0), mask=within)
    tl.store(loads + edge, tl.zeros_like(load), mask=within)


@triton.jit(do_not_specialize=["num_cycles", "width"])
def _add_to_edges(
    cycles,
    values,
    sums,
    num_cycles,
    width,
    WIDTH: tl.constexpr,  # noqa: N803
    BLOCK: tl.constexpr,  # noqa: N803
):
    cycle = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    within = cycle < num_cycles
    value = tl.load(values + cycle, mask=within, other=0)
    within &= value != 0
    for i in tl.static_range(WIDTH):
        edge = tl.load(cycles + i * num_cycles + cycle, mask=within, other=0)
        tl.atomic_add(sums + edge, value, mask=within, sem="relaxed")
    for i in range(WIDTH, width):
        edge = tl.load(cycles + i * num_cycles + cycle, mask=within, other=0)
        tl.atomic_add(sums + edge, value, mask=within, sem="relaxed")


@triton.jit(do_not_specialize=["num_cycles", "width"])
def _least_of_edges(
    cycles,
    values,
    least,
    num_cycles,
    width,
    WIDTH: tl.constexpr,  # noqa: N803
    BLOCK: tl.constexpr,  # noqa: N803
):
    cycle = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    within = cycle < num_cycles
    edge = tl.load(cycles + cycle, mask=within, other=0)
    value = tl.load(values + edge, mask=within, other=0)
    for i in tl.static_range(1, WIDTH):
        edge = tl.load(cycles + i * num_cycles + cycle, mask=within, other=0)
        value = tl.minimum(value, tl.load(values + edge, mask=within, other=0))
    for i in range(WIDTH, width):
        edge = tl.load(cycles + i * num_cycles + cycle, mask=within, other=0)
        value = tl.minimum(value, tl.load(values + edge, mask=within, other=0))
    tl.store(least + cycle, value, mask=within)


def step_weights(
    cycles: Tensor, weights: Tensor, steps: Tensor, prices: Tensor, loads: Tensor, typical: int
) -> None:
    """Do a step of the primal-dual method for the weights of cycles.

    Parameters
    ----------
    cycles
        Shape (width, num_cycles), int32, contiguous: edges.
    weights, steps
        Shape (num_cycles,), float32: weights, which change, and their step sizes.
    prices
        Shape (num_edges,), float32.
    loads
        Shape (num_edges,), int64: extrapolated weights are added to it, in units.
    typical
        Units in a weight of 1.
    """
    grid = (triton.cdiv(len(weights), _BLOCK),)
    with torch.cuda.device_of(weights):
        _step_weights[grid](
            cycles,
            weights,
            steps,
            prices,
            loads,
            len(weights),
            float(typical),
            *_widths(cycles),
            BLOCK=_BLOCK,
        )


def step_prices(prices: Tensor, loads: Tensor, capacities: Tensor, steps: Tensor) -> None:
    """Do a step of the primal-dual method for prices, and set loads to zero.

    Parameters
    ----------
    prices, steps
        Shape (num_edges,), float32: prices, which change, and their step sizes.
    loads, capacities
        Shape (num_edges,), int64.
    """
    grid = (triton.cdiv(len(prices), _BLOCK),)
    with torch.cuda.device_of(prices):
        _step_prices[grid](prices, loads, capacities, steps, len(prices), BLOCK=_BLOCK)


def add_to_edges(cycles: Tensor, values: Tensor, sums: Tensor) -> None:
    """Add a whole number for each cycle to all of its edges."""
    grid = (triton.cdiv(len(values), _BLOCK),)
    with torch.cuda.device_of(values):
        _add_to_edges[grid](cycles, values, sums, len(values), *_widths(cycles), BLOCK=_BLOCK)


def least_of_edges(cycles: Tensor, values: Tensor) -> Tensor:
    """Return the least value of each cycle's edges, shape (num_cycles,)."""
    least = values.new_empty(cycles.shape[1])
    grid = (triton.cdiv(len(least), _BLOCK),)
    with torch.cuda.device_of(values):
        _least_of_edges[grid](cycles, values, least, len(least), *_widths(cycles), BLOCK=_BLOCK)
    return least


def _widths(cycles: Tensor) -> tuple[int, int]:
    """Return how long cycles are, and how much of that is unrolled."""
    return len(cycles), min(len(cycles), _UNROLLED)
