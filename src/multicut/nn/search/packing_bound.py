"""Lower bounds on a device, by packing conflicted cycles."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import torch
from torch import Tensor

from multicut.nn.search import short_cycles
from multicut.nn.search.cheap_cycles import find_cheap_cycles
from multicut.nn.search.cycle_pool import LONGEST, TYPICAL, CyclePool, Packing
from multicut.nn.search.short_cycles import WholeGraph

# Edges hold up to so many units, those that constraints are for a bit more.
_MOST_UNITS = 2**52
_UNLIMITED = 2**55
# The median of so many costs is a typical one.
_SAMPLE = 2**16
# Steps of the primal-dual method between two packings, before there are longer cycles and after.
_FIRST_STEPS = (8, 16)
_STEPS = 40
# Sweeps that fill up what a packing leaves.
_SWEEPS = 2
# Edges walked from each end of a repulsive edge: at first, while the bound rises, and at most.
_FIRST_HOPS = 2
_FEW_HOPS = 4
_MOST_HOPS = LONGEST // 2 - 1
# Ends after this many rounds that gain less than this share of all repulsion.
_PATIENCE = 3
_LEAST_GAIN = 1e-5
_STEPS_BETWEEN_PAUSES = {"cpu": 1, "cuda": 8}


class PackingBound:
    """The packing of a graph's conflicted cycles, which grows.

    Costs are whole numbers of a unit, a power of two, and are rounded towards zero. So a packing
    of these is one of the costs themselves.

    Parameters
    ----------
    edges
        Shape (2, num_edges), int64: each undirected edge once, no self-loops.
    costs
        Shape (num_edges,), float64, on the same device. Infinite ones are constraints.
    num_nodes
        The number of nodes.
    """

    def __init__(self, edges: Tensor, costs: Tensor, num_nodes: int) -> None:
        self._exponent = _exponent_of_typical(costs) - (TYPICAL.bit_length() - 1)
        units = _scaled(costs.abs(), -self._exponent).floor_().clamp_(max=_MOST_UNITS)
        units = torch.where(torch.isinf(costs), _UNLIMITED, units).to(torch.int64)
        signed = torch.where(costs < 0, -units, units)
        counts = torch.stack([signed > 0, signed < 0]).sum(1)
        num_attractive, num_repulsive = counts.tolist()
        self._graph = WholeGraph(
            num_nodes=num_nodes,
            ends=edges.amin(0) << 32 | edges.amax(0),
            costs=signed,
            num_attractive=num_attractive,
            local=signed[:0],
            largest=_UNLIMITED,
        )
        self._has_conflicts = num_attractive > 0 and num_repulsive > 0
        self._repulsion = _total_repulsion(costs, self._exponent)
        self._total = 0

    @property
    def bound(self) -> float:
        """The bound so far, rounded down: repulsive costs, and what cycles add to them."""
        exact = self._total * Fraction(2) ** self._exponent - self._repulsion
        nearest = float(exact)
        return math.nextafter(nearest, -math.inf) if Fraction(nearest) > exact else nearest

    def improve(self) -> Iterator[str]:
        """Pack until it hardly helps any more; pause now and then and say what was done.

        The bound only rises.
        """
        if not self._has_conflicts:
            return
        graph = self._graph
        rows, caps = short_cycles.attractive_rows(graph), short_cycles.caps_of(graph)
        pool = CyclePool(graph.costs.abs())
        pool.add(short_cycles.find_triangles(graph, rows, caps))
        pool.take_over(self._pack(pool))
        yield "triangles"
        pool.add(short_cycles.find_squares(graph, rows, caps, pool.capacities))
        yield "squares"
        pool.take_over(self._pack(pool))
        yield "packing"
        for steps in _FIRST_STEPS:
            yield from self._redistribute(pool, steps)
        is_finite = pool.capacities < _UNLIMITED
        is_finite[:-1] &= graph.costs < 0
        least_gain = _LEAST_GAIN * float(pool.capacities[is_finite].double().sum())
        hops, idle = _FIRST_HOPS, 0
        while idle < _PATIENCE:
            before = self._total
            found = []
            for part in find_cheap_cycles(graph, rows, pool.prices, hops):
                found.append(part)
                yield "search"
            pool.forget()
            for part in found:
                pool.add(part.cycles)
            num_found = sum(part.cycles.shape[1] for part in found)
            yield f"{num_found} cycles of up to {2 * hops + 1} edges"
            # What moves little may just need more steps.
            yield from self._redistribute(pool, _STEPS << idle)
            is_stalled = self._total - before <= least_gain
            is_last = hops == _MOST_HOPS or all(part.is_complete for part in found)
            if not is_stalled:
                idle = 0
            elif is_last or num_found > 0:
                idle += 1
            if not is_last and hops < _FEW_HOPS:
                hops += 1
            elif not is_last and is_stalled:
                hops = min(2 * hops, _MOST_HOPS)

    def _redistribute(self, pool: CyclePool, steps: int) -> Iterator[str]:
        device = pool.prices.device
        between = _STEPS_BETWEEN_PAUSES[device.type]
        for step in pool.redistribute(steps):
            if step % between == 0:
                if device.type == "cuda":
                    torch.cuda.synchronize(device)
                yield "steps"
        self._pack(pool)
        yield "packing"

    def _pack(self, pool: CyclePool) -> Packing:
        packing = pool.pack(_SWEEPS)
        self._total = max(self._total, packing.total)
        return packing


def _exponent_of_typical(costs: Tensor) -> int:
    """Return the exponent of the median of some of the sizes of costs that are neither 0 nor ∞."""
    sizes = costs.abs()
    sizes = sizes[(sizes > 0) & torch.isfinite(sizes)]
    if len(sizes) == 0:
        return 0
    sample = sizes[:: -(-len(sizes) // _SAMPLE)]
    return int(torch.frexp(sample.median()).exponent)


def _scaled(values: Tensor, exponent: int) -> Tensor:
    """Return values times a power of two that may be too large, or too small, for a double."""
    half = exponent // 2
    return values * 2.0**half * 2.0 ** (exponent - half)


def _total_repulsion(costs: Tensor, exponent: int) -> Fraction:
    """Return the sum of the repulsive costs that are finite, negated, or a bit more.

    Sums of whole units and of what is less than a unit, in units of 2**-30, are exact; the latter
    are rounded up.
    """
    sizes = torch.where(torch.isinf(costs), 0.0, -costs).clamp_(min=0)
    scaled = _scaled(sizes, -exponent)
    units = scaled.floor()
    rest = ((scaled - units) * 2.0**30).ceil_().to(torch.int64)
    whole = units.clamp(max=2.0**62).to(torch.int64)
    sums = torch.stack([whole >> 32, whole & 0xFFFFFFFF, rest]).sum(1)
    high, low, less = map(int, sums.tolist())
    if bool((units >= 2.0**62).any()):
        # Beside costs as large as these, some are less than the rest that is kept.
        total = math.fsum(sizes.tolist())
        return Fraction(math.nextafter(total, math.inf))
    return ((high << 32) + low + Fraction(less, 2**30)) * Fraction(2) ** exponent
