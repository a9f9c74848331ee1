"""Batch normalisation and ReLU over the first rows of a tensor on a GPU, and back.

How many rows are real is known to the device alone. Columns are added up over stretches of rows,
and then over all stretches, in the same order every time; so results repeat.
"""

# Triton has no types, and its language is not Python's.
# mypy: ignore-errors

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

# Rows that a program holds at a time: of a stretch that it adds up, and of those it writes.
_SUMMED_ROWS = 32
_WRITTEN_ROWS = 16
# The shortest stretch of rows, and how many of them there are at most.
_STRETCH = 128
_MOST_STRETCHES = 512


@triton.jit
def _stretch_moments(
    states,
    num_real,
    means,
    deviations,
    stretch,
    width: tl.constexpr,
    ROWS: tl.constexpr,  # noqa: N803
    WIDTH: tl.constexpr,  # noqa: N803
):
    """One program per stretch: the mean of each column, and its sum of squared deviations."""
    part = tl.program_id(0)
    channel = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    within = channel < width
    first = part * stretch
    end = tl.minimum(first + stretch, tl.load(num_real).to(tl.int32))
    mean = tl.zeros((WIDTH,), dtype=tl.float32)
    deviation = tl.zeros((WIDTH,), dtype=tl.float32)
    for start in range(first, end, ROWS):
        row = start + tl.arange(0, ROWS)
        inside = (row < end)[:, None] & within[None, :]
        place = row.to(tl.int64)[:, None] * width + channel[None, :]
        values = tl.load(states + place, mask=inside, other=0.0)
        # Two groups of rows become one, as Chan, Golub and LeVeque do it: no digits are lost,
        # however far from zero a column is.
        before = (start - first) * 1.0
        count = tl.sum((row < end).to(tl.float32), axis=0)
        tile_mean = tl.sum(values, axis=0) / count
        centred = tl.where(inside, values - tile_mean[None, :], 0.0)
        difference = tile_mean - mean
        share = count / (before + count)
        mean += difference * share
        deviation += tl.sum(centred * centred, axis=0) + difference * difference * before * share
    place = part * width + channel
    tl.store(means + place, mean, mask=within)
    tl.store(deviations + place, deviation, mask=within)


@triton.jit
def _finish_moments(
    means,
    deviations,
    num_real,
    bias,
    running_mean,
    running_variance,
    num_tracked,
    mean_of_all,
    inverse_of_all,
    num_parts,
    stretch,
    momentum,
    epsilon,
    width: tl.constexpr,
    PARTS: tl.constexpr,  # noqa: N803
    WIDTH: tl.constexpr,  # noqa: N803
):
    """One program per group of columns: all stretches become one, running statistics follow."""
    channel = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    within = channel < width
    real = tl.load(num_real).to(tl.float32)
    total = tl.zeros((WIDTH,), dtype=tl.float32)
    for start in range(0, num_parts, PARTS):
        part = start + tl.arange(0, PARTS)
        inside = (part < num_parts)[:, None] & within[None, :]
        place = part[:, None] * width + channel[None, :]
        left = real - (part * stretch).to(tl.float32)
        count = tl.minimum(tl.maximum(left, 0.0), stretch * 1.0)
        part_means = tl.load(means + place, mask=inside, other=0.0)
        total += tl.sum(part_means * count[:, None], axis=0)
    mean = total / real
    total = tl.zeros((WIDTH,), dtype=tl.float32)
    for start in range(0, num_parts, PARTS):
        part = start + tl.arange(0, PARTS)
        inside = (part < num_parts)[:, None] & within[None, :]
        place = part[:, None] * width + channel[None, :]
        left = real - (part * stretch).to(tl.float32)
        count = tl.minimum(tl.maximum(left, 0.0), stretch * 1.0)
        difference = tl.load(means + place, mask=inside, other=0.0) - mean[None, :]
        inner = tl.load(deviations + place, mask=inside, other=0.0)
        # Beyond the last stretch there is nothing to deviate.
        between = tl.where(inside, difference * difference * count[:, None], 0.0)
        total += tl.sum(inner + between, axis=0)
    tl.store(mean_of_all + channel, mean, mask=within)
    tl.store(inverse_of_all + channel, 1.0 / tl.sqrt(total / real + epsilon), mask=within)
    old = tl.load(running_mean + channel, mask=within, other=0.0)
    new = mean + tl.load(bias + channel, mask=within, other=0.0)
    tl.store(running_mean + channel, old + momentum * (new - old), mask=within)
    old = tl.load(running_variance + channel, mask=within, other=0.0)
    new = total / (real - 1.0)
    tl.store(running_variance + channel, old + momentum * (new - old), mask=within)
    if tl.program_id(0) == 0:
        tl.store(num_tracked, tl.load(num_tracked) + 1)


@triton.jit
def _clip_normalised(
    states,
    mean,
    inverse,
    scale,
    shift,
    num_real,
    clipped,
    num_rows,
    width: tl.constexpr,
    ROWS: tl.constexpr,  # noqa: N803
    WIDTH: tl.constexpr,  # noqa: N803
):
    """One program per tile of rows."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    channel = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    within = channel < width
    is_real = (row < tl.load(num_real).to(tl.int32))[:, None]
    place = row.to(tl.int64)[:, None] * width + channel[None, :]
    values = tl.load(states + place, mask=is_real & within[None, :], other=0.0)
    means = tl.load(mean + channel, mask=within, other=0.0)
    inverses = tl.load(inverse + channel, mask=within, other=0.0)
    scales = tl.load(scale + channel, mask=within, other=0.0)
    shifts = tl.load(shift + channel, mask=within, other=0.0)
    normal = (values - means[None, :]) * inverses[None, :] * scales[None, :] + shifts[None, :]
    # What is not a number is not below zero, and stays what it is.
    passed = is_real & ~(normal <= 0.0)
    inside = (row < num_rows)[:, None] & within[None, :]
    tl.store(clipped + place, tl.where(passed, normal, 0.0), mask=inside)


@triton.jit
def _stretch_gradients(
    gradient,
    states,
    mean,
    inverse,
    scale,
    shift,
    num_real,
    of_scale,
    of_shift,
    stretch,
    width: tl.constexpr,
    ROWS: tl.constexpr,  # noqa: N803
    WIDTH: tl.constexpr,  # noqa: N803
):
    """One program per stretch: its part of the gradients of scale and shift."""
    part = tl.program_id(0)
    channel = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    within = channel < width
    first = part * stretch
    end = tl.minimum(first + stretch, tl.load(num_real).to(tl.int32))
    means = tl.load(mean + channel, mask=within, other=0.0)
    inverses = tl.load(inverse + channel, mask=within, other=0.0)
    scales = tl.load(scale + channel, mask=within, other=0.0)
    shifts = tl.load(shift + channel, mask=within, other=0.0)
    products = tl.zeros((WIDTH,), dtype=tl.float32)
    sums = tl.zeros((WIDTH,), dtype=tl.float32)
    for start in range(first, end, ROWS):
        row = start + tl.arange(0, ROWS)
        inside = (row < end)[:, None] & within[None, :]
        place = row.to(tl.int64)[:, None] * width + channel[None, :]
        values = tl.load(states + place, mask=inside, other=0.0)
        arriving = tl.load(gradient + place, mask=inside, other=0.0)
        standard = (values - means[None, :]) * inverses[None, :]
        is_cut = standard * scales[None, :] + shifts[None, :] <= 0.0
        passed = tl.where(is_cut, 0.0, arriving)
        products += tl.sum(passed * standard, axis=0)
        sums += tl.sum(passed, axis=0)
    place = part * width + channel
    tl.store(of_scale + place, products, mask=within)
    tl.store(of_shift + place, sums, mask=within)


@triton.jit
def _state_gradients(
    gradient,
    states,
    mean,
    inverse,
    scale,
    shift,
    of_scale,
    of_shift,
    num_real,
    of_states,
    num_rows,
    width: tl.constexpr,
    ROWS: tl.constexpr,  # noqa: N803
    WIDTH: tl.constexpr,  # noqa: N803
):
    """One program per tile of rows."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    channel = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    within = channel < width
    real = tl.load(num_real)
    is_real = (row < real.to(tl.int32))[:, None]
    inside = is_real & within[None, :]
    place = row.to(tl.int64)[:, None] * width + channel[None, :]
    values = tl.load(states + place, mask=inside, other=0.0)
    arriving = tl.load(gradient + place, mask=inside, other=0.0)
    means = tl.load(mean + channel, mask=within, other=0.0)
    inverses = tl.load(inverse + channel, mask=within, other=0.0)
    scales = tl.load(scale + channel, mask=within, other=0.0)
    shifts = tl.load(shift + channel, mask=within, other=0.0)
    products = tl.load(of_scale + channel, mask=within, other=0.0) / real
    sums = tl.load(of_shift + channel, mask=within, other=0.0) / real
    standard = (values - means[None, :]) * inverses[None, :]
    is_cut = standard * scales[None, :] + shifts[None, :] <= 0.0
    passed = tl.where(is_cut, 0.0, arriving)
    result = (passed - sums[None, :] - standard * products[None, :]) * (scales * inverses)[None, :]
    place_exists = (row < num_rows)[:, None] & within[None, :]
    tl.store(of_states + place, tl.where(is_real, result, 0.0), mask=place_exists)


def normalise_and_clip(
    states: Tensor,
    num_real: Tensor,
    bias: Tensor,
    scale: Tensor,
    shift: Tensor,
    running: tuple[Tensor, Tensor, Tensor],
    momentum: float,
    epsilon: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """Normalise the first rows over themselves, scale and shift, clip; other rows become zero.

    Parameters
    ----------
    states
        Shape (n, width), float32.
    num_real
        Shape (): how many rows count; any type.
    bias
        Shape (width,): what is added to the mean in the running one.
    scale, shift
        Shape (width,).
    running
        Mean, variance and how often they were updated; this is done here, in place.
    momentum, epsilon
        As :class:`torch.nn.BatchNorm1d` has them.

    Returns
    -------
    tuple
        The result, the mean, and the inverse of the standard deviation; for the gradient.
    """
    states = states.contiguous()
    num_rows, width = states.shape
    stretch, num_parts = _stretches(num_rows)
    tile = _tile(width)
    means, deviations = states.new_empty(2, num_parts, width)
    mean, inverse = states.new_empty(2, width)
    clipped = torch.empty_like(states)
    columns = triton.cdiv(width, tile)
    with torch.cuda.device_of(states):
        _stretch_moments[(num_parts, columns)](
            states, num_real, means, deviations, stretch, width=width, ROWS=_SUMMED_ROWS, WIDTH=tile
        )
        _finish_moments[(triton.cdiv(width, 16),)](
            means,
            deviations,
            num_real,
            bias,
            *running,
            mean,
            inverse,
            num_parts,
            stretch,
            momentum,
            epsilon,
            width=width,
            PARTS=64,
            WIDTH=16,
        )
        _clip_normalised[(triton.cdiv(num_rows, _WRITTEN_ROWS), columns)](
            states,
            mean,
            inverse,
            scale,
            shift,
            num_real,
            clipped,
            num_rows,
            width=width,
            ROWS=_WRITTEN_ROWS,
            WIDTH=tile,
        )
    return clipped, mean, inverse


def normalise_gradients(
    gradient: Tensor,
    states: Tensor,
    mean: Tensor,
    inverse: Tensor,
    scale: Tensor,
    shift: Tensor,
    num_real: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of ``normalise_and_clip`` for states, scale and shift.

    Those of rows that do not count are zero, whatever comes in there.
    """
    gradient, states = gradient.contiguous(), states.contiguous()
    num_rows, width = states.shape
    stretch, num_parts = _stretches(num_rows)
    tile = _tile(width)
    parts = states.new_empty(2, num_parts, width)
    of_states = torch.empty_like(states)
    columns = triton.cdiv(width, tile)
    known = (gradient, states, mean, inverse, scale, shift)
    with torch.cuda.device_of(states):
        _stretch_gradients[(num_parts, columns)](
            *known, num_real, *parts, stretch, width=width, ROWS=_SUMMED_ROWS, WIDTH=tile
        )
        of_scale, of_shift = parts.sum(1)
        _state_gradients[(triton.cdiv(num_rows, _WRITTEN_ROWS), columns)](
            *known,
            of_scale,
            of_shift,
            num_real,
            of_states,
            num_rows,
            width=width,
            ROWS=_WRITTEN_ROWS,
            WIDTH=tile,
        )
    return of_states, of_scale, of_shift


def _stretches(num_rows: int) -> tuple[int, int]:
    """Return how long stretches of rows are, and how many there are."""
    stretch = max(_STRETCH, triton.next_power_of_2(triton.cdiv(num_rows, _MOST_STRETCHES)))
    return stretch, triton.cdiv(num_rows, stretch)


def _tile(width: int) -> int:
    return min(max(triton.next_power_of_2(width), 16), 128)
