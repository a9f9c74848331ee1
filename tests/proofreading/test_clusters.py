"""Corrections about whole clusters."""

from __future__ import annotations

import numpy as np
import pytest

import multicut as mc
from multicut.proofreading import ContradictionError
from multicut.proofreading.clusters import divide_cluster, join_clusters

# Two triangles with a strongly repulsive border: a must-link of two nodes moves one of them.
PAIR = mc.Problem(
    [[0, 1], [0, 2], [1, 2], [3, 4], [3, 5], [4, 5], [1, 3], [1, 4], [2, 3], [2, 4]],
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -9.0, -9.0, -9.0, -9.0],
)


def test_whole_clusters_are_joined_where_nodes_alone_would_move():
    alone = mc.Proofreader(PAIR)
    alone.join(0, 5)
    assert alone.num_clusters == 2
    proof = mc.Proofreader(PAIR)
    correction = join_clusters(proof, 0, 5)
    assert proof.num_clusters == 1
    assert len(proof.history) == 1
    assert set(correction.pairs) == {(0, 5), (1, 3), (1, 4), (2, 3), (2, 4)}
    proof.undo()
    assert proof.result.labels.tolist() == [0, 0, 0, 1, 1, 1]
    assert np.array_equal(proof.problem.costs, PAIR.costs)


def test_a_must_link_is_enough_where_it_joins_all():
    weak = mc.Problem(PAIR.edges, np.where(PAIR.costs < 0, -0.1, 1.0))
    proof = mc.Proofreader(weak)
    assert join_clusters(proof, 0, 5).kind == "join"
    assert proof.num_clusters == 1


def test_names_and_contradictions():
    names = mc.Problem([["a", "b"], ["b", "c"], ["c", "d"]], [1.0, -9.0, 1.0])
    proof = mc.Proofreader(names)
    join_clusters(proof, "a", "d")
    assert proof.num_clusters == 1
    proof = mc.Proofreader(names)
    proof.separate("a", "d")
    with pytest.raises(ContradictionError):
        join_clusters(proof, "a", "d")
    assert len(proof.history) == 1


def test_a_cluster_is_divided_where_nodes_alone_would_be_cut_off():
    """Two triangles with a border that attracts more than either corner."""
    problem = mc.Problem(PAIR.edges, np.where(PAIR.costs < 0, 0.9, 1.0))
    alone = mc.Proofreader(problem)
    alone.separate(0, 5)
    assert sorted(np.bincount(alone.result.labels)) == [1, 5]
    proof = mc.Proofreader(problem)
    correction = divide_cluster(proof, 0, 5)
    assert proof.result.labels.tolist() == [0, 0, 0, 1, 1, 1]
    assert correction.pairs[0] == (0, 5)
    assert set(correction.pairs[1:]) == {(1, 3), (1, 4), (2, 3), (2, 4)}
    proof.undo()
    assert proof.num_clusters == 1
    assert np.array_equal(proof.problem.costs, problem.costs)


def test_must_links_stay_on_one_side():
    chain = mc.Problem([[0, 1], [1, 2], [2, 3], [3, 4]], [1.0, 0.1, 1.0, 1.0])
    proof = mc.Proofreader(chain)
    proof.join(0, 2)
    divide_cluster(proof, 0, 4)
    assert proof.labels[0] == proof.labels[2] != proof.labels[4]
    with pytest.raises(ContradictionError):
        divide_cluster(proof, 0, 2)
    divide_cluster(proof, 0, 4)  # already
    assert proof.history[-1].kind == "separate"
