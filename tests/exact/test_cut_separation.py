"""Cut inequalities of lifted edges, against their definition."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import multicut as mc
from multicut import _core
from multicut.exact.union import Union
from multicut.partition import labels_of_cut
from tests.problems import connected_partitions, random_lifted_problem


def union_of(seed: int, num_nodes: int = 7) -> Union:
    problem = random_lifted_problem(num_nodes, 0.45, 0.4, seed)
    return Union.of(problem)


def separate(union: Union, values: np.ndarray, tolerance: float = 1e-6, **options):
    offsets, edges = _core.separate_cuts(
        union.ordinary, union.problem.graph, values, tolerance, **options
    )
    return [edges[begin:end] for begin, end in pairwise(offsets.tolist())]


@pytest.mark.parametrize("seed", range(40))
def test_every_partition_satisfies_what_is_separated(seed):
    union = union_of(seed)
    u, v = union.problem.edges.T
    rng = np.random.default_rng(seed)
    ordinary = random_lifted_problem(7, 0.45, 0.4, seed)
    feasible = connected_partitions(ordinary)
    cuts = feasible[:, u] != feasible[:, v]
    for _ in range(5):
        values = rng.random(union.problem.num_edges) ** 0.3
        values[rng.random(len(values)) < 0.3] = rng.integers(2)
        for row in separate(union, values):
            lifted, others = row[0], row[1:]
            assert lifted >= union.num_ordinary
            assert (1 - values[lifted]) - (1 - values[others]).sum() > 1e-6
            assert np.all(~cuts[:, lifted] <= (~cuts[:, others]).sum(axis=1))


@pytest.mark.parametrize("seed", range(40))
def test_cut_edges_that_separate_the_ends_are_found(seed):
    """Integral values: a joined lifted edge violates something if its ends are not connected."""
    union = union_of(seed)
    rng = np.random.default_rng(seed)
    u, v = union.problem.edges.T
    for _ in range(10):
        values = rng.integers(0, 2, union.problem.num_edges).astype(float)
        clusters = union.labels_of_cut(values > 0.5)
        apart = np.flatnonzero((clusters[u] != clusters[v]) & (values < 0.5))
        found = {int(row[0]) for row in separate(union, values)}
        assert found >= set(apart[apart >= union.num_ordinary].tolist())


def test_a_node_that_is_joined_with_an_end_stands_for_all_edges_at_it():
    # From 0 to 4 by way of 1, 2 or 3, and then 5; 0 and 5 have a lifted edge.
    ordinary = [[0, 1], [0, 2], [0, 3], [1, 5], [2, 5], [3, 5], [5, 4]]
    lifted = [[0, 5], [0, 4]]
    union = Union.of(_problem(ordinary, lifted))
    values = np.array([0.6] * 6 + [0.0, 0.8, 0.3])
    rows = [row.tolist() for row in separate(union, values)]
    # The three ways let through 0.4 each, but node 5 only 0.2, as it is joined with 0 by so much.
    assert [8, 7] in rows


def _problem(ordinary, lifted):
    return mc.Problem(
        ordinary, np.ones(len(ordinary)), lifted_edges=lifted, lifted_costs=np.ones(len(lifted))
    )


def test_threads_do_not_change_what_is_found():
    problem = random_lifted_problem(60, 0.08, 0.7, 1)
    union = Union.of(problem)
    values = np.random.default_rng(0).random(union.problem.num_edges)
    one = separate(union, values)
    two = separate(union, values, num_threads=2)
    assert len(one) == len(two) > 100
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def test_no_time_means_nothing_is_found():
    union = union_of(3)
    assert separate(union, np.zeros(union.problem.num_edges), time_limit=0.0) == []


def test_graphs_that_do_not_belong_together_are_refused():
    first, second = union_of(1), union_of(2)
    values = np.zeros(second.problem.num_edges)
    with pytest.raises(ValueError, match="begin with its edges"):
        _core.separate_cuts(first.ordinary, second.problem.graph, values, 1e-6)


def test_labels_of_cut_ignores_lifted_edges():
    union = Union.of(_problem([[0, 1], [1, 2]], [[0, 2]]))
    assert union.labels_of_cut(np.array([True, False, False])).tolist() == [0, 1, 1]
    assert labels_of_cut(union.problem, [True, False, False]).tolist() == [0, 0, 0]
