"""Random problems, as the file formats can hold them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from multicut import Problem
from multicut.io.build import upper_triangle

MAX_ID = 2**63 - 1

# Large enough to need every digit, small enough that sums stay finite.
finite_costs = st.floats(min_value=-1e300, max_value=1e300, allow_nan=False, width=64)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Any graph: order and direction at random, isolated nodes, constraints, any ids."""
    num_nodes = draw(st.integers(0, 7))
    pairs = draw(st.permutations(upper_triangle(num_nodes).tolist()))
    pairs = pairs[: draw(st.integers(0, len(pairs)))]
    edges = [pair[::-1] if draw(st.booleans()) else pair for pair in pairs]
    # One kind of constraint alone cannot contradict itself.
    infinite = draw(st.sampled_from([np.inf, -np.inf]))
    costs = [draw(finite_costs | st.just(infinite)) for _ in edges]
    return _with_ids(draw, edges, costs, num_nodes)


@st.composite
def complete_problems(draw: st.DrawFn, costs: st.SearchStrategy[float] = finite_costs) -> Problem:
    """All pairs, row by row."""
    num_nodes = draw(st.integers(0, 6))
    edges = upper_triangle(num_nodes).tolist()
    return _with_ids(draw, edges, [draw(costs) for _ in edges], num_nodes)


def _with_ids(
    draw: st.DrawFn, edges: list[list[int]], costs: list[float], num_nodes: int
) -> Problem:
    if draw(st.booleans()):
        return Problem(edges, costs, num_nodes=num_nodes)
    ids = st.integers(0, 20) | st.integers(0, MAX_ID)
    names = draw(st.lists(ids, min_size=num_nodes, max_size=num_nodes, unique=True))
    return Problem(edges, costs, node_ids=sorted(names) if draw(st.booleans()) else names)


HELD_BY = {
    "cplib": complete_problems(),
    "pace": complete_problems(st.sampled_from([1.0, -1.0])),
}


def held_by(format_name: str) -> st.SearchStrategy[Problem]:
    """Problems that a format can hold with nothing lost."""
    return HELD_BY.get(format_name, problems())
