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


def optimum(problem: mc.Problem) -> float:
    """The least objective of all partitions, from the definition alone."""
    labels = partitions(problem.num_nodes)
    u, v = problem.edges.T
    cut = labels[:, u] != labels[:, v]
    finite = np.isfinite(problem.costs)
    totals = cut[:, finite] @ problem.costs[finite]
    must, cannot = problem.costs == np.inf, problem.costs == -np.inf
    totals[cut[:, must].any(axis=1) | ~cut[:, cannot].all(axis=1)] = np.inf
    return float(totals.min())


def random_problem(num_nodes: int, density: float, seed: int, integers: bool = False) -> mc.Problem:
    """Independent edges of the given density, with normal or small integer costs."""
    rng = np.random.default_rng(seed)
    pairs = np.array(list(combinations(range(num_nodes), 2))).reshape(-1, 2)
    edges = pairs[rng.random(len(pairs)) < density]
    costs = rng.integers(-2, 3, len(edges)) if integers else rng.normal(size=len(edges))
    return mc.Problem(edges, costs, num_nodes=num_nodes)


def chained(problems: list[mc.Problem]) -> mc.Problem:
    """Problems of which each shares its last node with the first one of the next."""
    offsets = np.cumsum([0] + [problem.num_nodes - 1 for problem in problems])
    edges = [problem.edges + offset for problem, offset in zip(problems, offsets, strict=False)]
    costs = np.concatenate([problem.costs for problem in problems])
    return mc.Problem(np.concatenate(edges), costs, num_nodes=int(offsets[-1]) + 1)


@st.composite
def small_problems(draw: st.DrawFn, constrained: bool = False) -> mc.Problem:
    """Problems of up to 7 nodes with awkward costs: ties, zeros, huge and tiny, constraints."""
    num_nodes = draw(st.integers(1, 7))
    node = st.integers(0, num_nodes - 1)
    kinds = [
        st.integers(-3, 3).map(float),
        st.floats(-10, 10, allow_nan=False),
        st.sampled_from([1e-300, -1e-300, 1e300, -1e300]),
    ]
    if constrained:
        kinds.append(st.sampled_from([np.inf, -np.inf]))
    edges = draw(st.lists(st.tuples(node, node), max_size=18))
    costs = [draw(st.one_of(kinds)) for _ in edges]
    try:
        return mc.Problem(edges, costs, num_nodes=num_nodes)
    except ValueError as error:
        assert constrained
        assert "must-link" in str(error)  # noqa: PT017 - contradictions are not what is asked for
        return mc.Problem([], [], num_nodes=num_nodes)
