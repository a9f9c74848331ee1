"""Which nodes join in a round of contraction, and the graph after it; costs are whole numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import torch
from torch import Tensor

from multicut.nn.search.contraction import numbered_runs
from multicut.nn.search.short_cycles import WholeGraph

_MASK = 0xFFFFFFFF


class Scoring(NamedTuple):
    """How edges are scored.

    Attributes
    ----------
    weight_of_cost
        The share of the cost that is added to what is left of it.
    weight_of_repulsion
        How much repulsion at the ends, in units of attraction there, takes off the score.
    """

    weight_of_cost: float = 0.1
    weight_of_repulsion: float = 0.1


class Favourites(NamedTuple):
    """For each node, shape (num_nodes,) each.

    Attributes
    ----------
    keys
        Of its best edge: bits of the score times 2**32 plus what resolves ties; 0 without any.
    nodes
        The other end of that edge; -1 without any.
    near
        Bits of the best score at the node or at a neighbour that it attracts.
    """

    keys: Tensor
    nodes: Tensor
    near: Tensor


def favourites(graph: WholeGraph, left: Tensor, scoring: Scoring) -> Favourites:
    r"""Find the edge of the highest score at each node.

    The score of an attractive edge is what a packing has left of it plus a share of its cost,
    divided by one plus a multiple of repulsion over attraction at its ends, in what is left.

    Parameters
    ----------
    graph
        The graphs.
    left
        Shape (num_edges,): what is left of each \|cost\|.
    scoring
        The weights.
    """
    first, second, costs = graph.low, graph.high, graph.costs
    attraction, repulsion = costs.new_zeros(2, graph.num_nodes)
    for ends in (first, second):
        attraction.index_add_(0, ends, torch.where(costs > 0, left, 0))
        repulsion.index_add_(0, ends, torch.where(costs < 0, left, 0))
    against = (repulsion[first] + repulsion[second]).double()
    towards = (attraction[first] + attraction[second]).clamp(min=1).double()
    scores = left.double() + scoring.weight_of_cost * costs.double()
    scores = scores / (1 + scoring.weight_of_repulsion * (against / towards))
    bits = scores.float().clamp(min=0).view(torch.int32).to(torch.int64)
    keys = bits << 32 | _mixed(graph.local[first], graph.local[second])
    keys = torch.where((costs > 0) & (bits > 0), keys, 0)
    best = torch.zeros_like(attraction)
    for ends in (first, second):
        best.scatter_reduce_(0, ends, keys, "amax")
    chosen = torch.full_like(best, -1)
    near = best >> 32
    for ends, others in ((first, second), (second, first)):
        is_best = (keys > 0) & (keys == best[ends])
        chosen.scatter_reduce_(0, ends[is_best], others[is_best], "amax")
        attracts = costs > 0
        near.scatter_reduce_(0, ends[attracts], best[others[attracts]] >> 32, "amax")
    return Favourites(best, chosen, near)


def hosts_of_pairs(chosen: Favourites, strictness: float) -> tuple[Tensor, Tensor]:
    """Join nodes that are each other's favourites, if no much better edge is near.

    Parameters
    ----------
    chosen
        The favourites.
    strictness
        The share that the score of a pair has of the best score at its ends and their neighbours,
        at least.

    Returns
    -------
    tuple
        Shape (num_nodes,): the lower node of each pair, other nodes are their own hosts. Then how
        many nodes have a favourite, shape (1,).
    """
    nodes = torch.arange(len(chosen.nodes), device=chosen.nodes.device)
    favourite = torch.where(chosen.nodes < 0, nodes, chosen.nodes)
    near = torch.maximum(chosen.near, chosen.near[favourite])
    best = (near.to(torch.int32)).view(torch.float32)
    scores = (chosen.keys >> 32).to(torch.int32).view(torch.float32)
    share = torch.tensor(strictness, dtype=torch.float32, device=nodes.device)
    joins = (favourite[favourite] == nodes) & (scores >= share * best)
    hosts = torch.where(joins, torch.minimum(nodes, favourite), nodes)
    return hosts, (chosen.keys > 0).sum().reshape(1)


def follow(graph: WholeGraph, chosen: Favourites, hosts: Tensor) -> Tensor:
    """Let nodes join a favourite that prefers another, as if they came one after the other.

    The most attracted come first. Nobody joins who would be repelled by those who are there
    already, and no group ends up worse off. Returns hosts.

    Parameters
    ----------
    graph
        The graphs.
    chosen
        The favourites.
    hosts
        Shape (num_nodes,): pairs that are joined.
    """
    nodes = torch.arange(graph.num_nodes, device=hosts.device)
    favourite = torch.where(chosen.nodes < 0, nodes, chosen.nodes)
    is_paired = favourite[favourite] == nodes
    # Pairs are there first, then followers by their score.
    turn = torch.where(is_paired, -1, torch.iinfo(torch.int64).max - chosen.keys)
    # Followers of followers wait for a round.
    follows = ~is_paired & is_paired[favourite]
    for _ in range(2):
        gains = _gains_of_followers(graph, torch.where(follows, hosts[favourite], hosts), turn)
        follows &= gains >= 0
    joined = torch.where(follows, hosts[favourite], hosts)
    gains = _gains_of_followers(graph, joined, turn)
    of_groups = torch.zeros_like(gains).index_add(0, joined, torch.where(follows, gains, 0))
    return torch.where(follows & (of_groups[joined] >= 0), joined, hosts)


def contract(graph: WholeGraph, hosts: Tensor) -> tuple[WholeGraph, Tensor]:
    """Make one node of all nodes with the same host; costs of parallel edges add up.

    Parameters
    ----------
    graph
        The graphs.
    hosts
        Shape (num_nodes,): hosts host themselves.

    Returns
    -------
    tuple
        The smaller graphs, and the new node of each node, shape (num_nodes,).
    """
    is_root = hosts == torch.arange(graph.num_nodes, device=hosts.device)
    node_of_input = (torch.cumsum(is_root, 0) - 1)[hosts]
    local = graph.local[is_root]
    ends = torch.stack([node_of_input[graph.low], node_of_input[graph.high]])
    between = torch.nonzero(ends[0] != ends[1]).squeeze(1)
    ends = ends[:, between]
    keys, order = torch.sort(ends.amin(0) << 32 | ends.amax(0))
    is_first, number = numbered_runs(keys)
    keys = keys[is_first]
    source = between[order]
    costs = graph.costs.new_zeros(len(keys)).index_add(0, number, graph.costs[source])
    apart = None
    if graph.apart is not None:
        apart = graph.apart.new_zeros(len(keys))
        apart[number[graph.apart[source]]] = True
        costs = torch.where(apart, costs.clamp(max=-graph.largest), costs)
    num_attractive = int((costs > 0).sum())
    smaller = replace(
        graph,
        num_nodes=len(local),
        ends=keys,
        costs=costs,
        num_attractive=num_attractive,
        local=local,
        apart=apart,
    )
    return smaller, node_of_input


def _gains_of_followers(graph: WholeGraph, hosts: Tensor, turn: Tensor) -> Tensor:
    """Return what each follower adds to its group: costs to those whose turn was before."""
    first, second = graph.low, graph.high
    inside = torch.nonzero(hosts[first] == hosts[second]).squeeze(1)
    first, second = first[inside], second[inside]
    later = torch.where(turn[first] > turn[second], first, second)
    return graph.costs.new_zeros(graph.num_nodes).index_add(0, later, graph.costs[inside])


def _mixed(first: Tensor, second: Tensor) -> Tensor:
    """Return 32 bits for each pair, in no order that graphs have: many of equal score can join."""
    mixed = (first * 0x9E3779B1 & _MASK) ^ (second * 0x85EBCA77 & _MASK)
    mixed = (mixed ^ mixed >> 16) * 0x45D9F3B & _MASK
    return mixed ^ mixed >> 16
