"""Favourites, pairs and contraction on a GPU, as in ``multicut.nn.search.joins``."""

# Triton has no types, and its language is not Python's.
# mypy: ignore-errors

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

_BLOCK = 256
# Of kernels in which each program adds to the same number.
_WIDE = 2048


@triton.jit(do_not_specialize=["num_edges"])
def _sum_at_nodes(
    ends,
    costs,
    left,
    attraction,
    repulsion,
    num_edges,
    BLOCK: tl.constexpr,  # noqa: N803
):
    """Add up what is left of attraction and of repulsion at each node."""
    edge = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    within = edge < num_edges
    pair = tl.load(ends + edge, mask=within, other=0)
    cost = tl.load(costs + edge, mask=within, other=0)
    rest = tl.load(left + edge, mask=within, other=0)
    low = pair >> 32
    high = pair - (low << 32)
    attracts = within & (cost > 0) & (rest > 0)
    repels = within & (cost < 0) & (rest > 0)
    tl.atomic_add(attraction + low, rest, mask=attracts, sem="relaxed")
    tl.atomic_add(attraction + high, rest, mask=attracts, sem="relaxed")
    tl.atomic_add(repulsion + low, rest, mask=repels, sem="relaxed")
    tl.atomic_add(repulsion + high, rest, mask=repels, sem="relaxed")


@triton.jit(do_not_specialize=["num_edges"])
def _score(
    ends,
    costs,
    left,
    local,
    attraction,
    repulsion,
    keys,
    best,
    weights,
    num_edges,
    BLOCK: tl.constexpr,  # noqa: N803
):
    """Score attractive edges, and find the best key at each node."""
    edge = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    within = edge < num_edges
    cost = tl.load(costs + edge, mask=within, other=0)
    attracts = within & (cost > 0)
    pair = tl.load(ends + edge, mask=attracts, other=0)
    rest = tl.load(left + edge, mask=attracts, other=0)
    low = pair >> 32
    high = pair - (low << 32)
    against = tl.load(repulsion + low, mask=attracts, other=0)
    against += tl.load(repulsion + high, mask=attracts, other=0)
    towards = tl.load(attraction + low, mask=attracts, other=0)
    towards += tl.load(attraction + high, mask=attracts, other=0)
    share = against.to(tl.float64) / tl.maximum(towards, 1).to(tl.float64)
    score = rest.to(tl.float64) + tl.load(weights) * cost.to(tl.float64)
    score = score / (1.0 + tl.load(weights + 1) * share)
    bits = tl.maximum(score.to(tl.float32), 0.0).to(tl.int32, bitcast=True).to(tl.int64)
    first = tl.load(local + low, mask=attracts, other=0)
    second = tl.load(local + high, mask=attracts, other=0)
    # As in multicut.nn.search.joins; remainders of 2**32 are taken by shifts.
    mixed = first * 2654435761
    mixed = mixed - ((mixed >> 32) << 32)
    other = second * 2246822519
    mixed = mixed ^ (other - ((other >> 32) << 32))
    mixed = (mixed ^ (mixed >> 16)) * 73244475
    mixed = mixed - ((mixed >> 32) << 32)
    mixed = mixed ^ (mixed >> 16)
    attracts &= bits > 0
    key = tl.where(attracts, (bits << 32) + mixed, 0)
    tl.store(keys + edge, key, mask=within)
    tl.atomic_max(best + low, key, mask=attracts, sem="relaxed")
    tl.atomic_max(best + high, key, mask=attracts, sem="relaxed")


@triton.jit(do_not_specialize=["num_edges"])
def _favour(
    ends,
    costs,
    keys,
    best,
    favourite,
    near,
    num_edges,
    BLOCK: tl.constexpr,  # noqa: N803
):
    """Find the other end of each node's best edge (plus one), and the best score near it."""
    edge = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    within = edge < num_edges
    attracts = within & (tl.load(costs + edge, mask=within, other=0) > 0)
    pair = tl.load(ends + edge, mask=attracts, other=0)
    key = tl.load(keys + edge, mask=attracts, other=0)
    low = pair >> 32
    high = pair - (low << 32)
    of_low = tl.load(best + low, mask=attracts, other=0)
    of_high = tl.load(best + high, mask=attracts, other=0)
    has_key = attracts & (key > 0)
    tl.atomic_max(favourite + low, high + 1, mask=has_key & (key == of_low), sem="relaxed")
    tl.atomic_max(favourite + high, low + 1, mask=has_key & (key == of_high), sem="relaxed")
    tl.atomic_max(near + low, of_high >> 32, mask=attracts & (of_high > of_low), sem="relaxed")
    tl.atomic_max(near + high, of_low >> 32, mask=attracts & (of_low > of_high), sem="relaxed")


@triton.jit
def _as_float(bits):
    return bits.to(tl.int32).to(tl.float32, bitcast=True)


@triton.jit(do_not_specialize=["num_nodes", "strictness"])
def _pair_up(
    best,
    favourite,
    near,
    hosts,
    is_root,
    num_open,
    num_nodes,
    strictness,
    BLOCK: tl.constexpr,  # noqa: N803
):
    """Join nodes that are each other's favourites, if no much better edge is near."""
    node = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    within = node < num_nodes
    key = tl.load(best + node, mask=within, other=0)
    other = tl.load(favourite + node, mask=within, other=0) - 1
    has_any = within & (other >= 0)
    joins = has_any & (tl.load(favourite + other, mask=has_any, other=0) - 1 == node)
    bits = key >> 32
    around = tl.maximum(tl.load(near + node, mask=joins, other=0), bits)
    around = tl.maximum(around, tl.load(near + other, mask=joins, other=0))
    joins &= _as_float(bits) >= strictness * _as_float(around)
    host = tl.where(joins, tl.minimum(node, other), node)
    tl.store(hosts + node, host, mask=within)
    tl.store(is_root + node, (host == node).to(tl.int32), mask=within)
    tl.atomic_add(num_open, tl.sum((within & (key > 0)).to(tl.int64), axis=0), sem="relaxed")


@triton.jit(do_not_specialize=["num_nodes"])
def _renumber(
    hosts,
    numbers,
    local,
    node_of_input,
    new_local,
    num_nodes,
    BLOCK: tl.constexpr,  # noqa: N803
):
    """Give each node the number of its host."""
    node = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    within = node < num_nodes
    host = tl.load(hosts + node, mask=within, other=0)
    number = tl.load(numbers + host, mask=within, other=1) - 1
    tl.store(node_of_input + node, number, mask=within)
    own = tl.load(local + node, mask=within, other=0)
    tl.store(new_local + number, own, mask=within & (host == node))


@triton.jit
def _slot_of(key, mask):
    """Return the place in a table that the search for a key begins with."""
    mixed = key * -7046029254386353131
    return (mixed ^ (mixed >> 32)) & mask


@triton.jit(do_not_specialize=["num_edges", "mask"])
def _insert(
    ends,
    node_of_input,
    keys,
    table,
    num_edges,
    mask,
    BLOCK: tl.constexpr,  # noqa: N803
):
    """Write the new ends of each edge, or -1 within a node; put each pair of ends into a table.

    Of two keys that want a slot the larger one gets it, and the other one goes on from there. So
    what the table is like in the end does not depend on who comes first.
    """
    edge = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    within = edge < num_edges
    pair = tl.load(ends + edge, mask=within, other=0)
    low = pair >> 32
    first = tl.load(node_of_input + low, mask=within, other=0)
    second = tl.load(node_of_input + pair - (low << 32), mask=within, other=0)
    key = (tl.minimum(first, second) << 32) + tl.maximum(first, second)
    searches = within & (first != second)
    tl.store(keys + edge, tl.where(first == second, -1, key), mask=within)
    slot = _slot_of(key, mask)
    while tl.max(searches.to(tl.int32), axis=0) > 0:
        found = tl.atomic_max(table + slot, key, mask=searches, sem="relaxed")
        searches = searches & (found != -1) & (found != key)
        key = tl.where(searches, tl.minimum(found, key), key)
        slot = (slot + 1) & mask


@triton.jit(do_not_specialize=["size"])
def _number(table, numbers, new_ends, counter, size, BLOCK: tl.constexpr):  # noqa: N803
    """Give each key of the table a number, in any order."""
    slot = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    key = tl.load(table + slot, mask=slot < size, other=-1)
    is_key = (key != -1).to(tl.int64)
    total = tl.sum(is_key, axis=0)
    if total > 0:
        number = tl.atomic_add(counter, total, sem="relaxed") + tl.cumsum(is_key, axis=0) - 1
        tl.store(numbers + slot, number.to(tl.int32), mask=key != -1)
        tl.store(new_ends + number, key, mask=key != -1)


@triton.jit(do_not_specialize=["num_edges", "mask"])
def _add_up(
    keys,
    costs,
    table,
    numbers,
    new_costs,
    num_edges,
    mask,
    BLOCK: tl.constexpr,  # noqa: N803
):
    """Add up costs of parallel edges."""
    edge = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    key = tl.load(keys + edge, mask=edge < num_edges, other=-1)
    is_edge = key != -1
    slot = _slot_of(key, mask)
    searches = is_edge & (tl.load(table + slot, mask=is_edge, other=-1) != key)
    while tl.max(searches.to(tl.int32), axis=0) > 0:
        slot = tl.where(searches, (slot + 1) & mask, slot)
        searches = searches & (tl.load(table + slot, mask=searches, other=-1) != key)
    number = tl.load(numbers + slot, mask=is_edge, other=0)
    cost = tl.load(costs + edge, mask=is_edge, other=0)
    tl.atomic_add(new_costs + number, cost, mask=is_edge, sem="relaxed")


def favourites(
    ends: Tensor,
    costs: Tensor,
    left: Tensor,
    local: Tensor,
    weights: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return each node's best key, the other end of that edge plus one, the best score beside.

    `weights` are those of costs and of repulsion, in double precision.
    """
    num_edges, num_nodes = len(ends), len(local)
    # Rows of an even length are aligned in memory, as Triton has kernels of their own for others.
    rows = ends.new_zeros(5, num_nodes + num_nodes % 2)[:, :num_nodes]
    attraction, repulsion, best, favourite, near = rows
    keys = torch.empty_like(ends)
    grid = (triton.cdiv(num_edges, _BLOCK),)
    with torch.cuda.device_of(ends):
        _sum_at_nodes[grid](ends, costs, left, attraction, repulsion, num_edges, BLOCK=_BLOCK)
        _score[grid](
            ends,
            costs,
            left,
            local,
            attraction,
            repulsion,
            keys,
            best,
            weights,
            num_edges,
            BLOCK=_BLOCK,
            # Rounded as without a kernel.
            enable_fp_fusion=False,
        )
        _favour[grid](ends, costs, keys, best, favourite, near, num_edges, BLOCK=_BLOCK)
    return best, favourite, near


def pair_up(
    best: Tensor, favourite: Tensor, near: Tensor, strictness: float, num_open: Tensor
) -> tuple[Tensor, Tensor]:
    """Return hosts and whether nodes host themselves; add to the number of nodes with any key."""
    num_nodes = len(best)
    hosts = torch.empty_like(best)
    is_root = torch.empty(num_nodes, dtype=torch.int32, device=best.device)
    with torch.cuda.device_of(best):
        _pair_up[(triton.cdiv(num_nodes, _BLOCK),)](
            best, favourite, near, hosts, is_root, num_open, num_nodes, strictness, BLOCK=_BLOCK
        )
    return hosts, is_root


def merge(
    ends: Tensor,
    costs: Tensor,
    local: Tensor,
    hosts: Tensor,
    is_root: Tensor,
    num_edges_left: Tensor,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Contract.

    Returns
    -------
    tuple
        The new node of each node; ends, costs and local numbers, followed by some that mean
        nothing; and how many nodes there are up to each. How many edges are left is added to
        `num_edges_left`; their order varies.
    """
    num_edges, num_nodes = len(ends), len(hosts)
    node_of_input, new_local = torch.empty_like(hosts), torch.empty_like(hosts)
    keys, new_ends = torch.empty_like(ends), torch.empty_like(ends)
    new_costs = torch.zeros_like(costs)
    # Half empty at least, so that searches are short.
    size = max(triton.next_power_of_2(2 * num_edges), _WIDE)
    table = ends.new_full((size,), -1)
    numbers = torch.empty(size, dtype=torch.int32, device=ends.device)
    grid = (triton.cdiv(num_edges, _BLOCK),)
    with torch.cuda.device_of(ends):
        nodes = torch.cumsum(is_root, 0)
        _renumber[(triton.cdiv(num_nodes, _BLOCK),)](
            hosts, nodes, local, node_of_input, new_local, num_nodes, BLOCK=_BLOCK
        )
        _insert[grid](ends, node_of_input, keys, table, num_edges, size - 1, BLOCK=_BLOCK)
        _number[(size // _WIDE,)](table, numbers, new_ends, num_edges_left, size, BLOCK=_WIDE)
        _add_up[grid](keys, costs, table, numbers, new_costs, num_edges, size - 1, BLOCK=_BLOCK)
    return node_of_input, new_ends, new_costs, new_local, nodes
