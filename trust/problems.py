"""Random small problems of every awkward kind, and their optima from the definition."""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

import multicut as mc

_SHAPES = (
    "random",
    "complete",
    "path",
    "star",
    "cycle",
    "disconnected",
    "bipartite",
    "duplicates",
    "empty",
    "one",
)
_COSTS = (
    "normal",
    "ties",
    "signs",
    "zeros",
    "one sign",
    "constraints",
    "huge",
    "tiny",
    "subnormal",
    "mixed",
    "two sizes",
)
_EXTREMES = np.array([1e300, -1e300, 1e-300, -1e-300, 5e-324, -5e-324, 1e16, -1e16, 1.0, -1.0, 0.0])


def draw(seed: int, lifted: bool | None = None) -> tuple[mc.Problem, str]:
    """Return a problem of up to seven nodes, and in words what is odd about it.

    Constraints that contradict each other are drawn again.
    """
    rng = np.random.default_rng(seed)
    while True:
        shape, kind = str(rng.choice(_SHAPES)), str(rng.choice(_COSTS))
        is_lifted = rng.random() < 0.25 if lifted is None else lifted
        num_nodes, edges = _edges(shape, rng)
        arguments: dict[str, Any] = {}
        if is_lifted and num_nodes > 1:
            pairs = np.array(list(combinations(range(num_nodes), 2)))
            chosen = pairs[rng.random(len(pairs)) < rng.choice([0.2, 0.5, 1.0])]
            arguments = {"lifted_edges": chosen, "lifted_costs": _costs(kind, len(chosen), rng)}
        costs = _costs(kind, len(edges), rng)
        ids = None
        if rng.random() < 0.1 and not arguments:
            # Ids of any size; nodes are those that occur.
            ids = np.sort(rng.choice(2**62, num_nodes, replace=False))
        try:
            if ids is not None and len(edges) > 0:
                problem = mc.Problem(ids[edges], costs)
            else:
                problem = mc.Problem(edges, costs, num_nodes, **arguments)
        except ValueError as error:
            if "must" not in str(error):
                raise
            continue
        return problem, f"{shape}, {kind}{', lifted' if problem.is_lifted else ''}"


def _edges(shape: str, rng: np.random.Generator) -> tuple[int, np.ndarray]:
    n = int(rng.integers(2, 8 if rng.random() < 0.15 else 7))
    none = np.zeros((0, 2), dtype=np.int64)
    if shape == "one":
        return 1, none
    if shape == "empty":
        return (n if rng.random() < 0.5 else 0), none
    pairs = np.array(list(combinations(range(n), 2)))
    if shape == "complete":
        chosen = pairs
    elif shape == "path":
        chosen = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    elif shape == "star":
        chosen = np.stack([np.zeros(n - 1, np.int64), np.arange(1, n)], axis=1)
    elif shape == "cycle":
        chosen = np.stack([np.arange(n), np.roll(np.arange(n), 1)], axis=1)
    elif shape == "bipartite":
        chosen = pairs[(pairs[:, 0] % 2) != (pairs[:, 1] % 2)]
    elif shape == "disconnected":
        half = n // 2
        chosen = pairs[(pairs[:, 0] < half) == (pairs[:, 1] < half)]
    else:
        chosen = pairs[rng.random(len(pairs)) < rng.choice([0.3, 0.6, 0.9])]
    if shape == "duplicates" and len(chosen) > 0:
        again = chosen[rng.integers(0, len(chosen), len(chosen))]
        loops = np.stack([np.arange(n), np.arange(n)], axis=1)[:2]
        chosen = np.concatenate([chosen, again[:, ::-1], loops])
    flip = rng.random(len(chosen)) < 0.5
    chosen = np.where(flip[:, None], chosen[:, ::-1], chosen)
    return n, rng.permutation(chosen)


def _costs(kind: str, count: int, rng: np.random.Generator) -> np.ndarray:
    costs: np.ndarray = rng.normal(size=count)
    if kind == "ties":
        return rng.integers(-2, 3, count).astype(float)
    if kind == "signs":
        return rng.choice([-1.0, 1.0], count)
    if kind == "zeros":
        return np.zeros(count) * rng.choice([-1.0, 1.0])
    if kind == "one sign":
        return np.abs(costs) * rng.choice([-1.0, 1.0])
    if kind == "constraints":
        chance = rng.random(count)
        costs[chance < 0.2] = np.inf
        costs[chance > 0.8] = -np.inf
    elif kind == "huge":
        costs *= 1e300
    elif kind == "tiny":
        costs *= 1e-300
    elif kind == "subnormal":
        costs = rng.integers(-3, 4, count) * 5e-324
    elif kind == "mixed":
        costs = rng.choice(_EXTREMES, count)
    elif kind == "two sizes":
        costs = np.where(
            rng.random(count) < 0.4, np.sign(costs) * 10.0 ** rng.integers(6, 19), costs
        )
    return costs


@cache
def partitions(num_nodes: int) -> np.ndarray:
    """Return all partitions of a set, one canonical labelling per row."""
    rows: list[list[int]] = [[]]
    for _ in range(num_nodes):
        rows = [[*row, label] for row in rows for label in range(max(row, default=-1) + 2)]
    return np.array(rows, dtype=np.int64).reshape(len(rows), num_nodes)


def exact_objective(problem: mc.Problem, labels: np.ndarray) -> float:
    """Return the objective, correctly rounded; inf if a constraint is violated."""
    terms: list[float] = []
    for edges, costs in (
        (problem.edges, problem.costs),
        (problem.lifted_edges, problem.lifted_costs),
    ):
        cut = labels[edges[:, 0]] != labels[edges[:, 1]]
        if (cut & (costs == np.inf)).any() or (~cut & (costs == -np.inf)).any():
            return math.inf
        terms += costs[cut & np.isfinite(costs)].tolist()
    return math.fsum(terms)


def is_connected(problem: mc.Problem, labels: np.ndarray) -> bool:
    """Whether edges connect every cluster."""
    root = list(range(problem.num_nodes))

    def find(node: int) -> int:
        while root[node] != node:
            node = root[node]
        return node

    for u, v in problem.edges.tolist():
        if labels[u] == labels[v]:
            root[find(u)] = find(v)
    roots = {find(node) for node in range(problem.num_nodes)}
    return len(roots) == len(set(labels.tolist()))


def optimum(problem: mc.Problem) -> float:
    """Return the least objective of all partitions, correctly rounded; inf if there is none."""
    rows = partitions(problem.num_nodes)
    sums = np.zeros(len(rows), dtype=np.longdouble)
    scale = np.longdouble(0)
    for edges, costs in (
        (problem.edges, problem.costs),
        (problem.lifted_edges, problem.lifted_costs),
    ):
        if len(edges) == 0:
            continue
        cut = rows[:, edges[:, 0]] != rows[:, edges[:, 1]]
        finite = np.isfinite(costs)
        sums += cut[:, finite] @ costs[finite].astype(np.longdouble)
        scale += np.abs(costs[finite].astype(np.longdouble)).sum()
        broken = cut[:, costs == np.inf].any(axis=1) | ~cut[:, costs == -np.inf].all(axis=1)
        sums[broken] = np.inf
    order = np.argsort(sums, kind="stable")
    best = math.inf
    for row in order.tolist():
        # Extended precision leaves a little open, which exact sums decide.
        if not sums[row] <= best + scale * np.longdouble(1e-17):
            break
        if problem.is_lifted and not is_connected(problem, rows[row]):
            continue
        best = min(best, exact_objective(problem, rows[row]))
    return best
