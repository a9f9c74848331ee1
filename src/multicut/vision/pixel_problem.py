"""From affinities of pixels to a lifted multicut problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from multicut._arrays import frozen
from multicut._checks import check_integer
from multicut.problem import Problem
from multicut.vision.costs import log_odds
from multicut.vision.region_graph import as_evidence, as_offsets, check_evidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from multicut._arrays import FloatArray, IntArray
    from multicut.result import Result


@dataclass(frozen=True, eq=False)
class PixelProblem:
    """The pixels of an image or volume, and a multicut problem whose nodes they are.

    Attributes
    ----------
    nodes
        The node of each pixel, 0 … n-1, or -1 outside of the mask.
    problem
        Edges join neighbouring pixels, lifted edges lead farther.
    """

    nodes: IntArray
    problem: Problem

    def segments(self, result: Result) -> IntArray:
        """Return the segment of each pixel by a solution of the problem, -1 outside of the mask."""
        labels: IntArray = np.append(result.labels, -1)[self.nodes]  # the last one is for node -1
        return labels


def affinity_problem(
    affinities: ArrayLike,
    offsets: ArrayLike,
    strides: Sequence[SupportsIndex] | None = None,
    *,
    bias: float = 0.5,
    clip: float = 0.001,
    mask: ArrayLike | None = None,
) -> PixelProblem:
    """Make a lifted multicut problem of the affinities of pixels.

    Offsets of length 1 become edges, longer ones lifted edges: a segment has to be connected by
    pixels that touch. Costs are the log odds that two pixels belong together.

    Parameters
    ----------
    affinities
        Array of shape (C, H, W) or (C, D, H, W): ``affinities[c][x]`` between 0 and 1 (or uint8)
        is the probability that the pixels ``x`` and ``x + offsets[c]`` belong together.
    offsets
        Integer array of shape (C, 2) or (C, 3), in the order of the array's axes.
    strides
        One positive integer per axis: lifted edges only begin at pixels whose position is a
        multiple of these.
    bias
        Prior probability of a cut, between 0 and 1: above 0.5 there are more segments.
    clip
        Smallest probability of a cut or a join, so that no single edge dominates.
    mask
        Array of the shape of a channel: pixels to segment are true or not zero.
    """
    array = as_evidence(affinities, "affinities")
    if array.ndim not in (3, 4):
        raise ValueError(f"affinities must have shape (C, H, W) or (C, D, H, W), got {array.shape}")
    check_evidence(array, "affinities")
    shape = array.shape[1:]
    steps = as_offsets(offsets, len(array), len(shape))
    every = _as_strides(strides, len(shape))
    nodes = _number_pixels(mask, shape)
    is_near = np.abs(steps).sum(axis=1) == 1
    pairs: tuple[list[IntArray], list[IntArray]] = ([], [])
    costs: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    for channel, step, near in zip(array, steps.tolist(), is_near.tolist(), strict=True):
        here = tuple(slice(max(0, -s), _end(-s)) for s in step)
        there = tuple(slice(max(0, s), _end(s)) for s in step)
        if any(abs(s) >= size for s, size in zip(step, shape, strict=True)):
            continue  # leads out of the image from everywhere
        thinned = tuple(
            slice(None) if near else slice(-(-max(0, -s) // e) * e - max(0, -s), None, e)
            for s, e in zip(step, every, strict=True)
        )
        ends = np.stack([nodes[here][thinned].ravel(), nodes[there][thinned].ravel()], axis=1)
        together = channel[here][thinned].ravel()
        inside = (ends >= 0).all(axis=1)
        scale = 255.0 if channel.dtype == np.uint8 else 1.0
        probabilities = 1 - together[inside].astype(np.float64) / scale
        pairs[not near].append(ends[inside])
        costs[not near].append(log_odds(probabilities, bias, clip))
    problem = Problem(
        _joined(pairs[0], (0, 2), np.int64),
        _joined(costs[0], (0,), np.float64),
        num_nodes=int(nodes.max(initial=-1)) + 1,
        lifted_edges=_joined(pairs[1], (0, 2), np.int64),
        lifted_costs=_joined(costs[1], (0,), np.float64),
    )
    return PixelProblem(frozen(nodes), problem)


def _end(step: int) -> int | None:
    return step if step < 0 else None


def _as_strides(strides: Sequence[SupportsIndex] | None, ndim: int) -> list[int]:
    every = [1] * ndim if strides is None else [check_integer(1, strides=step) for step in strides]
    if len(every) != ndim:
        raise ValueError(f"strides must be {ndim} integers, one per axis, got {len(every)}")
    return every


def _number_pixels(mask: ArrayLike | None, shape: tuple[int, ...]) -> IntArray:
    if mask is None:
        return np.arange(np.prod(shape, dtype=np.int64)).reshape(shape)
    inside = np.asarray(mask)
    if inside.shape != shape:
        raise ValueError(f"mask must have the shape of a channel, {shape}, got {inside.shape}")
    nodes = np.full(shape, -1, dtype=np.int64)
    nodes[inside != 0] = np.arange(np.count_nonzero(inside))
    return nodes


def _joined(parts: list[Any], shape: tuple[int, ...], dtype: type) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.zeros(shape, dtype=dtype)
