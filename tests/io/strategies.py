"""Random problems, as the file formats can hold them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from multicut import Problem
from multicut.io.build import upper_triangle

MAX_ID = 2**63 - 1

# Large enough to need every digit, small enough that sums stay finite.
finite_costs = st.floats(min_value=-1e300, max_value=1e300, allow_nan=False, width=64)


@st.composite
def problems(draw: st.DrawFn, lifted: bool = False, parallel: bool = True) -> Problem:
    """Any graph: order and direction at random, isolated nodes, constraints, any ids.

    It may have `lifted` edges, also between the ends of edges if these may be `parallel`.
    """
    num_nodes = draw(st.integers(0, 7))
    pairs = draw(st.permutations(upper_triangle(num_nodes).tolist()))
    pairs = pairs[: draw(st.integers(0, len(pairs)))]
    edges = [pair[::-1] if draw(st.booleans()) else pair for pair in pairs]
    # One kind of constraint alone cannot contradict itself.
    infinite = draw(st.sampled_from([np.inf, -np.inf]))
    costs = [draw(finite_costs | st.just(infinite)) for _ in edges]
    lifted_edges: list[list[int]] = []
    if lifted and draw(st.booleans()):
        free = upper_triangle(num_nodes).tolist()
        if not parallel:
            free = [pair for pair in free if pair not in pairs]
        free = draw(st.permutations(free))[: draw(st.integers(0, len(free)))]
        lifted_edges = [pair[::-1] if draw(st.booleans()) else pair for pair in free]
    # A lifted must-link would need a path, and a cannot-link may contradict must-links.
    kinds = finite_costs | st.just(infinite) if infinite < 0 else finite_costs
    lifted_costs = [draw(kinds) for _ in lifted_edges]
    return _with_ids(draw, edges, costs, num_nodes, lifted_edges, lifted_costs)


@st.composite
def complete_problems(draw: st.DrawFn, costs: st.SearchStrategy[float] = finite_costs) -> Problem:
    """All pairs, row by row."""
    num_nodes = draw(st.integers(0, 6))
    edges = upper_triangle(num_nodes).tolist()
    return _with_ids(draw, edges, [draw(costs) for _ in edges], num_nodes)


def _with_ids(
    draw: st.DrawFn,
    edges: list[list[int]],
    costs: list[float],
    num_nodes: int,
    lifted_edges: Sequence[list[int]] = (),
    lifted_costs: Sequence[float] = (),
) -> Problem:
    lifted = {"lifted_edges": lifted_edges, "lifted_costs": lifted_costs}
    if draw(st.booleans()):
        return Problem(edges, costs, num_nodes=num_nodes, **lifted)
    ids = st.integers(0, 20) | st.integers(0, MAX_ID)
    names = draw(st.lists(ids, min_size=num_nodes, max_size=num_nodes, unique=True))
    ordered = sorted(names) if draw(st.booleans()) else names
    return Problem(edges, costs, node_ids=ordered, **lifted)


HELD_BY = {
    "cplib": complete_problems(),
    "opengm": problems(),
    # A lifted edge between the ends of an edge is added to that.
    "andres": problems(lifted=True, parallel=False),
    "pace": complete_problems(st.sampled_from([1.0, -1.0])),
}


def held_by(format_name: str) -> st.SearchStrategy[Problem]:
    """Problems that a format can hold with nothing lost."""
    return HELD_BY.get(format_name, problems(lifted=True))
