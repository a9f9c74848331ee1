from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from multicut import _core
from tests.problems import random_problem


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.3, 0.6, 1.0]), st.booleans())
def test_cycles_are_violated_chordless_and_found_if_there_are_any(seed, density, integral):
    problem = random_problem(9, density, seed)
    rng = np.random.default_rng(seed)
    values = rng.random(problem.num_edges)
    values = np.round(values) if integral else values
    offsets, edges = _core.separate_cycles(problem.graph, values, 1e-6)

    graph = nx.Graph()
    graph.add_nodes_from(range(9))
    for (u, v), value in zip(problem.edges.tolist(), values, strict=True):
        graph.add_edge(u, v, value=value)
    for begin, end in pairwise(offsets.tolist()):
        cycle = edges[begin:end]
        assert values[cycle[0]] > values[cycle[1:]].sum()
        ends = problem.edges[cycle]
        assert np.all(np.bincount(ends.ravel(), minlength=9)[np.unique(ends)] == 2)
        assert graph.subgraph(np.unique(ends).tolist()).number_of_edges() == len(cycle)

    violated = False
    for u, v, value in list(graph.edges(data="value")):
        graph.remove_edge(u, v)
        if nx.has_path(graph, u, v):
            distance = nx.shortest_path_length(graph, u, v, weight="value")
            violated |= bool(distance < value - 1e-5)
        graph.add_edge(u, v, value=value)
    assert violated <= (len(offsets) > 1)
