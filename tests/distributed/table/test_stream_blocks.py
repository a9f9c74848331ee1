from __future__ import annotations

import numpy as np
import pytest

from multicut import _core
from multicut.distributed.table.stream_blocks import _filled
from tests.distributed.graphs import grid


def grown(edges, costs, most, least_cost=0.0, pieces=1):
    number = int(edges.max()) + 1
    parents = np.arange(number, dtype=np.uint32)
    sizes = np.ones(number, dtype=np.uint32)
    for rows in np.array_split(np.arange(len(edges)), pieces):
        u, v = np.ascontiguousarray(edges[rows].T)
        _core.grow_sets(parents, sizes, u, v, costs[rows], least_cost=least_cost, most=most)
    _core.finish_sets(parents)
    return parents, sizes


def test_sets_grow_in_the_order_of_edges_up_to_a_size():
    edges = np.array([[4, 3], [0, 1], [3, 1], [2, 0], [1, 2]])
    costs = np.array([1.0, 1.0, -1.0, 2.0, 1.0])
    parents, sizes = grown(edges, costs, most=3)
    assert parents.tolist() == [0, 0, 0, 3, 3]
    assert sizes[[0, 3]].tolist() == [3, 2]
    assert grown(edges, costs, most=2)[0].tolist() == [0, 0, 2, 3, 3]
    assert grown(edges, costs, most=5, least_cost=-np.inf)[0].tolist() == [0] * 5


def test_pieces_make_no_difference():
    edges, costs = grid(15, 15)
    one, sizes = grown(edges, costs, most=20)
    assert np.array_equal(one, grown(edges, costs, most=20, pieces=7)[0])
    counts = np.bincount(one, minlength=len(one))
    assert counts.max() <= 20
    assert np.array_equal(sizes[counts > 0], counts[counts > 0])


def test_nodes_out_of_range_are_refused():
    parents = np.arange(2, dtype=np.uint32)
    ends = np.array([2])
    with pytest.raises(IndexError, match="nodes must be below"):
        _core.grow_sets(parents, parents + 1, ends, ends, np.ones(1), least_cost=0, most=2)


def test_blocks_are_filled_in_order():
    assert _filled(np.array([3, 2, 4, 1, 1, 5]), 5).tolist() == [0, 0, 1, 1, 2, 3]
