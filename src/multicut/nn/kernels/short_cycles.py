"""Packing of conflicted triangles and squares on a GPU.

All sums are of whole numbers: neither the order in which cycles are found nor that of additions
matters, so results repeat, and are those of ``multicut.nn.search.short_cycles``.
"""

# Triton has no types, and its language is not Python's.
# mypy: ignore-errors

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

_BLOCK = 256
# Of kernels in which each program adds to the same number.
_WIDE = 1024
# Of blocks in which squares are searched for.
_SQUARES_ROWS, _SQUARES_COLUMNS, _SQUARES_WARPS = 8, 8, 1
# Of kernels that go over cycles, whose number the host does not know.
_PROGRAMS = 2048


@triton.jit(do_not_specialize=["num_edges", "num_attractive"])
def _fill_rows(
    ends,
    costs,
    running,
    keys,
    edges,
    repulsive,
    num_edges,
    num_attractive,
    BLOCK: tl.constexpr,  # noqa: N803
):
    """Write both directions of attractive edges, and the other edges, to lists of their own."""
    edge = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    within = edge < num_edges
    pair = tl.load(ends + edge, mask=within, other=0)
    cost = tl.load(costs + edge, mask=within, other=0)
    place = tl.load(running + edge, mask=within, other=0)
    low = pair >> 32
    back = ((pair - (low << 32)) << 32) + low
    attracts = within & (cost > 0)
    number = edge.to(tl.int32)
    tl.store(keys + place - 1, pair, mask=attracts)
    tl.store(keys + num_attractive + place - 1, back, mask=attracts)
    tl.store(edges + place - 1, number, mask=attracts)
    tl.store(edges + num_attractive + place - 1, number, mask=attracts)
    tl.store(repulsive + edge - place, number, mask=within & (cost <= 0))


@triton.jit
def _ends_by_length(ends, pointers, edge, within):
    """Return, of the end with fewer attractive edges and of the other one: node, row, length."""
    pair = tl.load(ends + edge, mask=within, other=0)
    first = pair >> 32
    second = pair - (first << 32)
    start = tl.load(pointers + first, mask=within, other=0)
    length = tl.load(pointers + first + 1, mask=within, other=0) - start
    other_start = tl.load(pointers + second, mask=within, other=0)
    other_length = tl.load(pointers + second + 1, mask=within, other=0) - other_start
    is_shorter = length <= other_length
    far = tl.where(is_shorter, second, first)
    near_start = tl.where(is_shorter, start, other_start)
    near_length = tl.where(is_shorter, length, other_length)
    far_start = tl.where(is_shorter, other_start, start)
    far_length = tl.where(is_shorter, other_length, length)
    return near_start, near_length, far, far_start, far_length


@triton.jit
def _find(keys, wanted, start, length, longest, within):
    """Search rows for keys; return where they are, and whether they are there."""
    low = start
    high = start + length
    steps = longest
    while steps > 0:
        middle = (low + high) // 2
        is_open = within & (low < high)
        key = tl.load(keys + middle, mask=is_open, other=0)
        low = tl.where(is_open & (key < wanted), middle + 1, low)
        high = tl.where(is_open & (key >= wanted), middle, high)
        steps = steps // 2
    within &= low < start + length
    key = tl.load(keys + low, mask=within, other=-1)
    return low, within & (key == wanted)


@triton.jit
def _append(counter, is_found):
    """Reserve a place for each cycle that was found; return places."""
    found = is_found.to(tl.int64)
    of_rows = tl.sum(found, axis=1)
    before = tl.cumsum(of_rows, axis=0) - of_rows
    total = tl.sum(of_rows, axis=0)
    first = tl.atomic_add(counter, total)
    return first + before[:, None] + tl.cumsum(found, axis=1) - found


@triton.jit(do_not_specialize=["num_repulsive", "capacity", "most"])
def _find_triangles(
    ends,
    costs,
    pointers,
    keys,
    edges,
    repulsive,
    cycles,
    counter,
    num_repulsive,
    capacity,
    most,
    ROWS: tl.constexpr,  # noqa: N803
    COLUMNS: tl.constexpr,  # noqa: N803
):
    """One row of the block for each repulsive edge, one column for each edge at its near end."""
    index = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    within = index < num_repulsive
    edge = tl.load(repulsive + index, mask=within, other=0).to(tl.int64)
    within &= tl.load(costs + edge, mask=within, other=0) < 0
    start, length, far, far_start, far_length = _ends_by_length(ends, pointers, edge, within)
    length = tl.where(within & (far_length > 0), tl.minimum(length, most), 0)
    longest = tl.max(length, axis=0)
    longest_far = tl.max(tl.where(length > 0, far_length, 0), axis=0)
    column = tl.arange(0, COLUMNS)
    for first in range(0, longest, COLUMNS):
        present = (first + column)[None, :] < length[:, None]
        entry = start[:, None] + first + column[None, :]
        key = tl.load(keys + entry, mask=present, other=0)
        wanted = (far[:, None] << 32) + key - ((key >> 32) << 32)
        row = far_start[:, None] + tl.zeros_like(entry)
        lengths = far_length[:, None] + tl.zeros_like(entry)
        place, is_found = _find(keys, wanted, row, lengths, longest_far, present)
        if tl.max(tl.max(is_found.to(tl.int32), axis=1), axis=0) > 0:
            cycle = _append(counter, is_found)
            is_found &= cycle < capacity
            near_edge = tl.load(edges + entry, mask=is_found, other=0)
            far_edge = tl.load(edges + place, mask=is_found, other=0)
            tl.store(cycles + cycle, edge[:, None].to(tl.int32) + 0 * near_edge, mask=is_found)
            tl.store(cycles + capacity + cycle, near_edge, mask=is_found)
            tl.store(cycles + 2 * capacity + cycle, far_edge, mask=is_found)


@triton.jit(do_not_specialize=["num_repulsive", "nothing"])
def _choose_repulsive(
    ends,
    costs,
    left,
    pointers,
    repulsive,
    chosen,
    counter,
    num_repulsive,
    nothing,
    BLOCK: tl.constexpr,  # noqa: N803
):
    """List repulsive edges of which something is left and at both of whose ends others attract."""
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    within = index < num_repulsive
    edge = tl.load(repulsive + index, mask=within, other=0)
    within &= tl.load(costs + edge, mask=within, other=0) < 0
    within &= tl.load(left + edge, mask=within, other=0) > nothing
    _, length, _, _, _ = _ends_by_length(ends, pointers, edge, within)
    within &= length > 0
    is_chosen = within.to(tl.int64)
    total = tl.sum(is_chosen, axis=0)
    place = tl.atomic_add(counter, total, sem="relaxed") + tl.cumsum(is_chosen, axis=0) - 1
    tl.store(chosen + place, edge, mask=within)


@triton.jit(do_not_specialize=["capacity", "most", "nothing"])
def _find_squares(
    ends,
    left,
    pointers,
    keys,
    edges,
    chosen,
    num_chosen,
    cycles,
    counter,
    capacity,
    most,
    nothing,
    ROWS: tl.constexpr,  # noqa: N803
    COLUMNS: tl.constexpr,  # noqa: N803
):
    """One row of the block for each repulsive edge, one column for each edge at its far end.

    The row of the node there is searched for each node beside the near end. So the same memory is
    read again and again.
    """
    index = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    within = index < tl.load(num_chosen)
    edge = tl.load(chosen + index, mask=within, other=0)
    start, length, _, far_start, far_length = _ends_by_length(ends, pointers, edge, within)
    length = tl.where(within, tl.minimum(length, most), 0)
    far_length = tl.where(within, tl.minimum(far_length, most), 0)
    num_steps = tl.max(length, axis=0)
    longest_far = tl.max(far_length, axis=0)
    column = tl.arange(0, COLUMNS)
    for first in range(0, longest_far, COLUMNS):
        present = (first + column)[None, :] < far_length[:, None]
        entry = far_start[:, None] + first + column[None, :]
        far_edge = tl.load(edges + entry, mask=present, other=0)
        present &= tl.load(left + far_edge, mask=present, other=0) > nothing
        key = tl.load(keys + entry, mask=present, other=0)
        node = key - ((key >> 32) << 32)
        row = tl.load(pointers + node, mask=present, other=0)
        row_length = tl.load(pointers + node + 1, mask=present, other=0) - row
        longest = tl.max(tl.max(row_length, axis=1), axis=0)
        for step in range(num_steps):
            near = start + step
            is_there = step < length
            near_edge = tl.load(edges + near, mask=is_there, other=0)
            is_there &= tl.load(left + near_edge, mask=is_there, other=0) > nothing
            beside = tl.load(keys + near, mask=is_there, other=0)
            beside -= (beside >> 32) << 32
            wanted = (node << 32) + beside[:, None]
            live = present & is_there[:, None]
            place, is_found = _find(keys, wanted, row, row_length, longest, live)
            rung_edge = tl.load(edges + place, mask=is_found, other=0)
            is_found &= tl.load(left + rung_edge, mask=is_found, other=0) > nothing
            if tl.max(tl.max(is_found.to(tl.int32), axis=1), axis=0) > 0:
                cycle = _append(counter, is_found)
                is_found &= cycle < capacity
                tl.store(cycles + cycle, edge[:, None] + 0 * rung_edge, mask=is_found)
                tl.store(
                    cycles + capacity + cycle, near_edge[:, None] + 0 * rung_edge, mask=is_found
                )
                tl.store(cycles + 2 * capacity + cycle, rung_edge, mask=is_found)
                tl.store(cycles + 3 * capacity + cycle, far_edge, mask=is_found)


@triton.jit(do_not_specialize=["capacity", "nothing"])
def _count_cycles(
    cycles,
    counter,
    left,
    counts,
    capacity,
    nothing,
    LENGTH: tl.constexpr,  # noqa: N803
    BLOCK: tl.constexpr,  # noqa: N803
):
    """Count, at each edge, the cycles all of whose edges have something left."""
    total = tl.minimum(tl.load(counter), capacity)
    stride = tl.num_programs(0).to(tl.int64) * BLOCK
    for start in range(tl.program_id(0).to(tl.int64) * BLOCK, total, stride):
        cycle = start + tl.arange(0, BLOCK)
        live = cycle < total
        within = live
        for i in tl.static_range(LENGTH):
            edge = tl.load(cycles + i * capacity + cycle, mask=within, other=0)
            live &= tl.load(left + edge, mask=live, other=0) > nothing
        for i in tl.static_range(LENGTH):
            edge = tl.load(cycles + i * capacity + cycle, mask=live, other=0)
            tl.atomic_add(counts + edge, 1, mask=live, sem="relaxed")


@triton.jit(do_not_specialize=["num_edges", "nothing"])
def _divide_up(left, counts, shares, num_edges, nothing, BLOCK: tl.constexpr):  # noqa: N803
    """Give each edge's cycles equal shares of what it has left, and forget how many they are."""
    edge = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    within = edge < num_edges
    count = tl.load(counts + edge, mask=within, other=0)
    rest = tl.load(left + edge, mask=within, other=0)
    share = rest // tl.maximum(count, 1).to(tl.int64)
    tl.store(shares + edge, tl.where((count > 0) & (rest > nothing), share, 0), mask=within)
    tl.store(counts + edge, tl.zeros_like(count), mask=within)


@triton.jit(do_not_specialize=["capacity"])
def _take_shares(
    cycles,
    counter,
    left,
    shares,
    capacity,
    LENGTH: tl.constexpr,  # noqa: N803
    BLOCK: tl.constexpr,  # noqa: N803
):
    """Let each cycle take the least of the shares that its edges give it."""
    total = tl.minimum(tl.load(counter), capacity)
    stride = tl.num_programs(0).to(tl.int64) * BLOCK
    for start in range(tl.program_id(0).to(tl.int64) * BLOCK, total, stride):
        cycle = start + tl.arange(0, BLOCK)
        within = cycle < total
        edge = tl.load(cycles + cycle, mask=within, other=0)
        weight = tl.load(shares + edge, mask=within, other=0)
        for i in tl.static_range(1, LENGTH):
            edge = tl.load(cycles + i * capacity + cycle, mask=within, other=0)
            weight = tl.minimum(weight, tl.load(shares + edge, mask=within, other=0))
        taken = within & (weight > 0)
        for i in tl.static_range(LENGTH):
            edge = tl.load(cycles + i * capacity + cycle, mask=taken, other=0)
            tl.atomic_add(left + edge, -weight, mask=taken, sem="relaxed")


def pack(
    ends: Tensor,
    costs: Tensor,
    running: Tensor,
    starts: Tensor,
    num_attractive: int,
    sweeps: tuple[int, int],
    caps: tuple[int, int],
    nothing: int,
    capacities: tuple[int, int],
    counters: Tensor,
) -> Tensor:
    """Return what is left of each |cost|.

    Parameters
    ----------
    ends, costs
        The edges, as in ``WholeGraph``.
    running
        Shape (num_edges,): how many costs up to each edge, including it, are positive.
    starts
        Shape (num_nodes + 1,): numbers of nodes times 2**32, and one more.
    num_attractive
        How many costs are positive.
    sweeps, caps
        For triangles and squares: how often they take their share, and how many edges of a row are
        looked at.
    nothing
        What is left of a cost and due to rounding alone.
    capacities
        How many triangles and squares there is place for.
    counters
        Shape (4,), int64, zeros: the numbers of triangles, at 0, and of squares found, at 2. There
        may be no place for them; then the outcome is wrong.
    """
    num_edges = len(ends)
    num_repulsive = num_edges - num_attractive
    left = costs.abs()
    if num_attractive == 0 or num_repulsive == 0:
        return left
    keys = ends.new_empty(2 * num_attractive)
    unsorted = torch.empty(2 * num_attractive, dtype=torch.int32, device=ends.device)
    repulsive = unsorted.new_empty(num_repulsive)
    counts = torch.zeros(num_edges, dtype=torch.int32, device=ends.device)
    shares = torch.empty_like(left)
    cycles = unsorted.new_empty(max(3 * capacities[0], 4 * capacities[1]))
    num_chosen = ends.new_zeros(1)
    of_edges = (triton.cdiv(num_edges, _BLOCK),)
    with torch.cuda.device_of(ends):
        _fill_rows[of_edges](
            ends, costs, running, keys, unsorted, repulsive, num_edges, num_attractive, BLOCK=_BLOCK
        )
        keys, order = torch.sort(keys)
        edges = unsorted[order]
        pointers = torch.searchsorted(keys, starts)
        for which, length in enumerate((3, 4)):
            if sweeps[which] == 0:
                continue
            capacity, counter = capacities[which], counters[2 * which :]
            if length == 3:
                _find_triangles[(triton.cdiv(num_repulsive, 32),)](
                    ends,
                    costs,
                    pointers,
                    keys,
                    edges,
                    repulsive,
                    cycles,
                    counter,
                    num_repulsive,
                    capacity,
                    caps[0],
                    ROWS=32,
                    COLUMNS=8,
                )
            else:
                chosen = torch.empty_like(repulsive)
                _choose_repulsive[(triton.cdiv(num_repulsive, _WIDE),)](
                    ends,
                    costs,
                    left,
                    pointers,
                    repulsive,
                    chosen,
                    num_chosen,
                    num_repulsive,
                    nothing,
                    BLOCK=_WIDE,
                )
                _find_squares[(triton.cdiv(num_repulsive, _SQUARES_ROWS),)](
                    ends,
                    left,
                    pointers,
                    keys,
                    edges,
                    chosen,
                    num_chosen,
                    cycles,
                    counter,
                    capacity,
                    caps[1],
                    nothing,
                    ROWS=_SQUARES_ROWS,
                    COLUMNS=_SQUARES_COLUMNS,
                    num_warps=_SQUARES_WARPS,
                )
            of_cycles = (min(triton.cdiv(capacity, _BLOCK), _PROGRAMS),)
            for _ in range(sweeps[which]):
                _count_cycles[of_cycles](
                    cycles, counter, left, counts, capacity, nothing, LENGTH=length, BLOCK=_BLOCK
                )
                _divide_up[of_edges](left, counts, shares, num_edges, nothing, BLOCK=_BLOCK)
                _take_shares[of_cycles](
                    cycles, counter, left, shares, capacity, LENGTH=length, BLOCK=_BLOCK
                )
    return left
