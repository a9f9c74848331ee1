"""Random problems, and their optima by brute force."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations

import numpy as np
from hypothesis import strategies as st

import multicut as mc


@cache
def partitions(num_nodes: int) -> np.ndarray:
    """All partitions of a set, one canonical labelling per row."""

    def extend(prefix: list[int], used: int) -> Iterator[list[int]]:
        if len(prefix) == num_nodes:
            yield prefix
            return
        for label in range(used + 1):
            yield from extend([*prefix, label], max(used, label + 1))

    return np.array(list(extend([], 0)), dtype=np.int64).reshape(-1, num_nodes)


def connected_partitions(problem: mc.Problem) -> np.ndarray:
    """All partitions into clusters that edges connect, one canonical labelling per row."""
    reach = np.eye(problem.num_nodes, dtype=bool)
    u, v = problem.edges.T
    rows = partitions(problem.num_nodes)

    def is_connected(labels: np.ndarray) -> bool:
        joins = reach.copy()
        same = labels[u] == labels[v]
        joins[u[same], v[same]] = joins[v[same], u[same]] = True
        for _ in range(problem.num_nodes.bit_length()):
            joins = (joins @ joins).astype(bool)
        return bool(np.array_equal(joins, labels[:, None] == labels[None, :]))

    return rows[[is_connected(labels) for labels in rows]]


def totals(labels: np.ndarray, edges: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """What each row of labels costs, inf if it violates a constraint, from the definition alone."""
    u, v = edges.T
    cut = labels[:, u] != labels[:, v]
    finite = np.isfinite(costs)
    sums = cut[:, finite] @ costs[finite]
    must, cannot = costs == np.inf, costs == -np.inf
    sums[cut[:, must].any(axis=1) | ~cut[:, cannot].all(axis=1)] = np.inf
    return sums


def optimum(problem: mc.Problem) -> float:
    """The least objective of all partitions, from the definition alone; inf if none is feasible.

    If there are lifted edges, clusters have to be connected.
    """
    if not problem.is_lifted:
        labels = partitions(problem.num_nodes)
        return float(totals(labels, problem.edges, problem.costs).min())
    labels = connected_partitions(problem)
    both = totals(labels, problem.edges, problem.costs)
    return float((both + totals(labels, problem.lifted_edges, problem.lifted_costs)).min())


def random_problem(num_nodes: int, density: float, seed: int, integers: bool = False) -> mc.Problem:
    """Independent edges of the given density, with normal or small integer costs."""
    rng = np.random.default_rng(seed)
    pairs = np.array(list(combinations(range(num_nodes), 2))).reshape(-1, 2)
    edges = pairs[rng.random(len(pairs)) < density]
    costs = rng.integers(-2, 3, len(edges)) if integers else rng.normal(size=len(edges))
    return mc.Problem(edges, costs, num_nodes=num_nodes)


def random_lifted_problem(
    num_nodes: int,
    density: float,
    lifted_density: float,
    seed: int,
    integers: bool = False,
) -> mc.Problem:
    """Independent edges and lifted edges; a few of the latter are parallel to edges."""
    rng = np.random.default_rng(seed)
    base = random_problem(num_nodes, density, seed, integers)
    pairs = np.array(list(combinations(range(num_nodes), 2))).reshape(-1, 2)
    chosen = pairs[rng.random(len(pairs)) < lifted_density]
    costs = rng.integers(-2, 3, len(chosen)) if integers else rng.normal(size=len(chosen))
    return mc.Problem(
        base.edges, base.costs, num_nodes=num_nodes, lifted_edges=chosen, lifted_costs=costs
    )


def chained(problems: list[mc.Problem]) -> mc.Problem:
    """Problems of which each shares its last node with the first one of the next."""
    offsets = np.cumsum([0] + [problem.num_nodes - 1 for problem in problems])
    edges = [problem.edges + offset for problem, offset in zip(problems, offsets, strict=False)]
    costs = np.concatenate([problem.costs for problem in problems])
    return mc.Problem(np.concatenate(edges), costs, num_nodes=int(offsets[-1]) + 1)


def awkward_costs(constrained: bool) -> st.SearchStrategy[float]:
    """Ties, zeros, huge and tiny costs, constraints."""
    kinds = [
        st.integers(-3, 3).map(float),
        st.floats(-10, 10, allow_nan=False),
        st.sampled_from([1e-300, -1e-300, 1e300, -1e300]),
    ]
    if constrained:
        kinds.append(st.sampled_from([np.inf, -np.inf]))
    return st.one_of(kinds)


@st.composite
def small_problems(draw: st.DrawFn, constrained: bool = False) -> mc.Problem:
    """Problems of up to 7 nodes with awkward costs: ties, zeros, huge and tiny, constraints."""
    num_nodes = draw(st.integers(1, 7))
    node = st.integers(0, num_nodes - 1)
    edges = draw(st.lists(st.tuples(node, node), max_size=18))
    costs = [draw(awkward_costs(constrained)) for _ in edges]
    try:
        return mc.Problem(edges, costs, num_nodes=num_nodes)
    except ValueError as error:
        assert constrained
        assert "must-link" in str(error)  # noqa: PT017 - contradictions are not what is asked for
        return mc.Problem([], [], num_nodes=num_nodes)


@st.composite
def small_lifted_problems(draw: st.DrawFn, constrained: bool = False) -> mc.Problem:
    """Problems of up to 6 nodes with awkward costs and lifted edges, also parallel to edges.

    If they are constrained, there may be no partition that meets all constraints.
    """
    num_nodes = draw(st.integers(2, 6))
    node = st.integers(0, num_nodes - 1)
    pairs = st.lists(st.tuples(node, node), max_size=12)
    edges, lifted = draw(pairs), draw(pairs)
    cost = awkward_costs(constrained)
    costs, lifted_costs = [draw(cost) for _ in edges], [draw(cost) for _ in lifted]
    try:
        return mc.Problem(edges, costs, num_nodes, lifted_edges=lifted, lifted_costs=lifted_costs)
    except ValueError as error:
        assert constrained
        assert "must" in str(error)  # noqa: PT017 - contradictions are not what is asked for
        return mc.Problem([[0, 1]], [1.0], num_nodes, lifted_edges=[[0, 1]], lifted_costs=[-2.0])
