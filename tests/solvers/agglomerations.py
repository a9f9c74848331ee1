"""Agglomeration by definition: slow, and in every order that ties allow."""

from __future__ import annotations

import math

import numpy as np

import multicut as mc

LINKAGES = {
    "sum": sum,
    "average": lambda costs: sum(costs) / len(costs),
    "min": min,
    "max": max,
    "max-abs": lambda costs: max(costs, key=abs),
}


def canonical(labels: list[int]) -> tuple[int, ...]:
    """Number clusters in order of first appearance."""
    numbers: dict[int, int] = {}
    return tuple(numbers.setdefault(label, len(numbers)) for label in labels)


def interaction(costs: list[float], linkage: str) -> float:
    """What two clusters think of each other; a constraint outdoes any linkage."""
    for constraint in (math.inf, -math.inf):
        if constraint in costs:
            return constraint
    return LINKAGES[linkage](costs)


def outcomes(problem: mc.Problem, linkage: str, cannot_links: bool) -> set[tuple[int, ...]]:
    """All partitions that signed agglomeration may end with, in whichever order it takes ties."""
    found: set[tuple[int, ...]] = set()
    seen = set()
    todo = [(canonical(list(range(problem.num_nodes))), frozenset())]
    while todo:
        state = todo.pop()
        if state in seen:
            continue
        seen.add(state)
        following = list(_steps(problem, linkage, cannot_links, *state))
        if following:
            todo += following
        else:
            found.add(state[0])
    return found


def _steps(problem, linkage, cannot_links, labels, forbidden):
    """Where the largest interactions lead; nowhere if none is left to act on."""
    between: dict[frozenset[int], list[float]] = {}
    for (u, v), cost in zip(problem.edges.tolist(), problem.costs.tolist(), strict=True):
        if labels[u] != labels[v]:
            between.setdefault(frozenset((labels[u], labels[v])), []).append(cost)
    values = {pair: interaction(costs, linkage) for pair, costs in between.items()}
    apart = {frozenset(labels[node] for node in pair) for pair in forbidden}
    keys = {
        pair: abs(value) if cannot_links else value
        for pair, value in values.items()
        if pair not in apart and value != 0 and (cannot_links or value > 0)
    }
    largest = max(keys.values(), default=None)
    for pair, key in keys.items():
        # Sums of the same costs differ in their last digits, depending on their order.
        if not (key == largest or math.isclose(key, largest, rel_tol=1e-12)):
            continue
        first, second = sorted(pair)
        if values[pair] > 0:
            yield canonical([first if n == second else n for n in labels]), forbidden
        else:
            nodes = frozenset((labels.index(first), labels.index(second)))
            yield labels, forbidden | {nodes}


def mutex_watershed(edges, costs, num_nodes: int) -> np.ndarray:
    """Edges by descending absolute cost, ties by position, with plain sets of nodes."""
    clusters = {node: {node} for node in range(num_nodes)}
    mutexes: list[tuple[int, int]] = []
    for edge in sorted(range(len(costs)), key=lambda edge: -abs(costs[edge])):
        first, second = (clusters[node] for node in edges[edge])
        if first is second or costs[edge] == 0:
            continue
        if costs[edge] < 0:
            mutexes.append(tuple(edges[edge]))
        elif not any(
            (u in first and v in second) or (u in second and v in first) for u, v in mutexes
        ):
            first |= second
            clusters.update(dict.fromkeys(second, first))
    return np.array(canonical([min(clusters[node]) for node in range(num_nodes)]), dtype=int)
