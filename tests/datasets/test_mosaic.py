from __future__ import annotations

import numpy as np
import pytest

import multicut as mc


def test_parts_fit_together():
    made = mc.datasets.mosaic(300, seed=4)
    n = made.problem.num_nodes
    assert 250 < n < 350
    assert made.image.shape == (*made.fragments.shape, 3)
    assert made.image.min() >= 0
    assert made.image.max() <= 1
    assert np.array_equal(np.unique(made.fragments), np.arange(n))
    assert made.points.shape == (n, 2)
    assert made.truth.shape == (n,)


def test_edges_are_the_pairs_that_touch():
    made = mc.datasets.mosaic(60, seed=1, height=40, width=50)
    f = made.fragments
    touching = {
        tuple(sorted(pair))
        for a, b in ((f[:, 1:], f[:, :-1]), (f[1:], f[:-1]))
        for pair in zip(a.ravel().tolist(), b.ravel().tolist(), strict=True)
        if pair[0] != pair[1]
    }
    assert {tuple(edge) for edge in made.problem.edges.tolist()} == touching


def test_solving_almost_restores_the_objects():
    made = mc.datasets.mosaic(seed=0)
    labels = mc.solve(made.problem, "gaec").labels
    u, v = made.problem.edges.T
    same = made.truth[u] == made.truth[v]
    assert np.mean((labels[u] == labels[v]) == same) > 0.93


def test_seed_determines_everything():
    one, two, other = (mc.datasets.mosaic(100, seed=s) for s in (7, 7, 8))
    assert one.problem == two.problem
    assert np.array_equal(one.image, two.image)
    assert one.problem != other.problem


def test_count_is_checked():
    with pytest.raises(ValueError, match="num_fragments must be between 2 and"):
        mc.datasets.mosaic(1)
