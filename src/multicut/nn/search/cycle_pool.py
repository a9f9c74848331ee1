"""Weights of conflicted cycles on a device: the dual of the cycle relaxation for known cycles.

Sums over the cycles of an edge are of whole numbers. So they do not depend on the order of
summands, which varies on a GPU, and a packing is valid to the last unit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from multicut.nn.symmetric_matrix import has_triton

# A typical cost is about so many units: weights are kept in multiples of it, in single precision.
TYPICAL = 2**30
# What is left of an edge and not worth a sweep.
_NOTHING = 2**10
# Cycles of up to so many edges are stored together, filled up with an edge that does not count.
_WIDTHS = (3, 4, 6, 8, 12, 16, 32, 64, 128)
LONGEST = _WIDTHS[-1]
# A cycle without weight whose edges cost so much is forgotten; its weight is worth 1.
_TOO_DEAR = 1.25
# The ratio of step sizes, of weights to prices. From 0.3 to 1 it hardly matters.
_BALANCE = 0.5


@dataclass(eq=False)
class Cycles:
    """Cycles of similar length.

    Attributes
    ----------
    edges
        Shape (width, num_cycles), int32 for kernels, else int64: the edges of each cycle, filled up
        with the number of edges where a cycle is shorter.
    weights
        Shape (num_cycles,), float32, in typical costs.
    steps
        Shape (num_cycles,), float32: the step size of each weight.
    """

    edges: Tensor
    weights: Tensor
    steps: Tensor


class Packing(NamedTuple):
    """Weights that fit.

    Attributes
    ----------
    total
        The sum of all weights, less what they exceed capacities by: what cycles add to a bound.
    weights
        Of each group of cycles, shape (num_cycles,), int64.
    """

    total: int
    weights: list[Tensor]


class CyclePool:
    """Conflicted cycles, their weights, and a price for each edge.

    Weights x ≥ 0 maximise Σ x such that no edge carries more than its capacity. Prices y ≥ 0 of the
    edges are the dual variables; a cycle pays as long as its edges cost less than 1 together.

    Parameters
    ----------
    capacities
        Shape (num_edges,), int64: what the cycles through each edge may weigh together.
    """

    def __init__(self, capacities: Tensor) -> None:
        self.num_edges = len(capacities)
        # One more edge, which fills up short cycles and holds any weight.
        self.capacities = torch.cat([capacities, capacities.new_full((1,), 2**62)])
        self.prices = torch.zeros(self.num_edges + 1, dtype=torch.float32, device=capacities.device)
        self.groups: dict[int, Cycles] = {}

    @property
    def num_cycles(self) -> int:
        """The number of cycles."""
        return sum(len(group.weights) for group in self.groups.values())

    def add(self, edges: Tensor) -> None:
        """Add cycles of weight zero.

        Parameters
        ----------
        edges
            Shape (longest, num_cycles): the edges of each cycle, the number of edges where it is
            shorter.
        """
        lengths = (edges < self.num_edges).sum(dim=0)
        shorter = 0
        for width in _WIDTHS:
            chosen = torch.nonzero((lengths > shorter) & (lengths <= width)).squeeze(1)
            if len(chosen) > 0:
                self._append(width, edges[:width, chosen], lengths[chosen])
            shorter = width
            if width >= len(edges):
                return

    def _append(self, width: int, edges: Tensor, lengths: Tensor) -> None:
        dtype = torch.int32 if _can_fuse(edges) else torch.int64
        new = edges.new_full((width, edges.shape[1]), self.num_edges, dtype=dtype)
        new[: len(edges)] = edges
        weights = torch.zeros(edges.shape[1], dtype=torch.float32, device=edges.device)
        group = Cycles(new, weights, _BALANCE / lengths.float())
        old = self.groups.get(width)
        if old is not None:
            group = Cycles(
                torch.cat([old.edges, group.edges], dim=1),
                torch.cat([old.weights, group.weights]),
                torch.cat([old.steps, group.steps]),
            )
        self.groups[width] = group

    def forget(self) -> None:
        """Drop cycles that have no weight, and are too dear to get any soon."""
        for width, group in list(self.groups.items()):
            is_kept = (group.weights > 0) | (_price_of_edges(group, self.prices) < _TOO_DEAR)
            kept = torch.nonzero(is_kept).squeeze(1)
            self.groups[width] = Cycles(
                group.edges.index_select(1, kept), group.weights[kept], group.steps[kept]
            )

    def redistribute(self, steps: int) -> Iterator[int]:
        """Do some steps of the primal-dual method, and pause after each of them.

        It is that of Chambolle and Pock (2011) with diagonal preconditioning.
        """
        groups = [group for group in self.groups.values() if len(group.weights) > 0]
        uses = torch.zeros_like(self.capacities)
        loads = torch.zeros_like(self.capacities)
        for group in groups:
            _add_to_edges(group, torch.ones_like(group.weights, dtype=torch.int64), uses)
            _add_to_edges(group, _whole(group.weights), loads)
        step_sizes = 1.0 / (_BALANCE * TYPICAL) / uses.clamp(min=1)
        step_sizes = torch.where(uses > 0, step_sizes, 0.0).float()
        # Edges whose cycles are all forgotten are free again.
        self.prices = torch.where(uses > 0, self.prices, 0.0)
        is_fused = _can_fuse(loads)
        for step in range(steps):
            if is_fused:
                self._step_by_kernels(groups, loads, step_sizes)
            else:
                self._step(groups, loads, step_sizes)
            yield step

    def _step(self, groups: list[Cycles], loads: Tensor, step_sizes: Tensor) -> None:
        excess = (loads - self.capacities).float()
        self.prices = (self.prices + excess * step_sizes).clamp_(min=0)
        loads.zero_()
        for group in groups:
            saved = 1.0 - _price_of_edges(group, self.prices)
            weights = (group.weights + saved * group.steps).clamp_(min=0)
            _add_to_edges(group, _whole(2 * weights - group.weights), loads)
            group.weights = weights

    def _step_by_kernels(self, groups: list[Cycles], loads: Tensor, step_sizes: Tensor) -> None:
        from multicut.nn.kernels.cycle_pool import step_prices, step_weights

        step_prices(self.prices, loads, self.capacities, step_sizes)
        for group in groups:
            step_weights(group.edges, group.weights, group.steps, self.prices, loads, TYPICAL)

    def pack(self, sweeps: int) -> Packing:
        """Make weights fit, and fill up what they leave.

        Parameters
        ----------
        sweeps
            How often all cycles take equal shares of what is left.
        """
        groups = list(self.groups.values())
        weights = [_whole(group.weights) for group in groups]
        loads = torch.zeros_like(self.capacities)
        for group, some in zip(groups, weights, strict=True):
            _add_to_edges(group, some, loads)
        # Rounded down by more than what the product may be rounded up.
        shares = (self.capacities.double() / loads.clamp(min=1).double()).clamp_(max=1)
        shares *= 1 - 2.0**-48
        left = self.capacities.clone()
        for i, group in enumerate(groups):
            weights[i] = (weights[i].double() * _least_of_edges(group, shares)).to(torch.int64)
            _add_to_edges(group, -weights[i], left)
        for _ in range(sweeps):
            counts = torch.zeros_like(left)
            for group in groups:
                is_live = _least_of_edges(group, left) > _NOTHING
                _add_to_edges(group, is_live.to(torch.int64), counts)
            units = torch.where(left > _NOTHING, left // counts.clamp_(min=1), 0)
            for i, group in enumerate(groups):
                more = _least_of_edges(group, units)
                _add_to_edges(group, -more, left)
                weights[i] += more
        return Packing(self._total(weights, left), weights)

    def take_over(self, packing: Packing) -> None:
        """Continue from weights that fit."""
        for group, weights in zip(self.groups.values(), packing.weights, strict=True):
            group.weights = weights.float() / TYPICAL

    def _total(self, weights: list[Tensor], left: Tensor) -> int:
        excess = -left[: self.num_edges].clamp(max=0)
        # Two sums, since there may be too many large weights for one.
        parts = [torch.stack([some >> 32, some & 0xFFFFFFFF]).sum(1) for some in weights]
        parts.append(-torch.stack([excess >> 32, excess & 0xFFFFFFFF]).sum(1))
        high, low = map(int, torch.stack(parts).sum(0).tolist())
        return (high << 32) + low


def _whole(weights: Tensor) -> Tensor:
    return (weights.double() * TYPICAL).to(torch.int64)


def _add_to_edges(group: Cycles, values: Tensor, sums: Tensor) -> None:
    """Add a whole number for each cycle to all of its edges."""
    if _can_fuse(sums):
        from multicut.nn.kernels.cycle_pool import add_to_edges

        add_to_edges(group.edges, values, sums)
        return
    for edges in group.edges:
        sums.scatter_add_(0, edges, values)


def _least_of_edges(group: Cycles, values: Tensor) -> Tensor:
    """Return the least value of each cycle's edges."""
    if _can_fuse(values):
        from multicut.nn.kernels.cycle_pool import least_of_edges

        return least_of_edges(group.edges, values)
    least = values[group.edges[0]]
    for edges in group.edges[1:]:
        least = torch.minimum(least, values[edges])
    return least


def _price_of_edges(group: Cycles, prices: Tensor) -> Tensor:
    """Return what each cycle's edges cost together."""
    total = prices[group.edges[0]]
    for edges in group.edges[1:]:
        total += prices[edges]
    return total


def _can_fuse(tensor: Tensor) -> bool:
    return tensor.is_cuda and has_triton()
