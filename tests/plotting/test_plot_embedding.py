from __future__ import annotations

import numpy as np
import pytest

from multicut.plotting import plot_embedding, plot_similarity
from multicut.plotting.embedding import cosine_similarity, principal_axes, similarity_order
from tests.problems import random_problem


@pytest.fixture
def axes():
    from matplotlib.figure import Figure

    return Figure().subplots()


def test_principal_axes_keep_distances_within_a_plane():
    rng = np.random.default_rng(0)
    plane = rng.normal(size=(20, 2))
    turn, _ = np.linalg.qr(rng.normal(size=(5, 5)))
    points = principal_axes(plane @ turn[:2] + 3)
    apart = np.linalg.norm(plane[:, None] - plane[None], axis=-1)
    np.testing.assert_allclose(np.linalg.norm(points[:, None] - points[None], axis=-1), apart)
    assert points[:, 0].std() >= points[:, 1].std()


@pytest.mark.parametrize("shape", [(0, 4), (1, 4), (2, 1), (5, 1)])
def test_principal_axes_of_little(shape):
    assert principal_axes(np.ones(shape)).shape == (shape[0], 2)


def test_cosine_similarity():
    states = np.array([[1.0, 0], [2, 0], [0, 3], [-1, 0], [0, 0]])
    expected = np.array(
        [[1, 1, 0, -1, 0], [1, 1, 0, -1, 0], [0, 0, 1, 0, 0], [-1, -1, 0, 1, 0], [0] * 5]
    )
    np.testing.assert_allclose(cosine_similarity(states), expected, atol=1e-12)


def test_similar_nodes_come_together():
    groups = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])
    order = similarity_order(cosine_similarity(np.eye(3)[groups] + 0.01))
    assert sorted(order) == list(range(9))
    assert np.count_nonzero(np.diff(groups[order])) == 2


def test_figures(axes):
    problem = random_problem(12, 0.4, seed=0)
    states = np.random.default_rng(0).normal(size=(12, 6))
    assert plot_embedding(problem, states, np.arange(12) % 3, axes) is axes
    (dots,) = [c for c in axes.collections if len(c.get_offsets()) == 12]
    np.testing.assert_allclose(dots.get_offsets(), principal_axes(states))


def test_similarity_figure(axes):
    states = np.random.default_rng(0).normal(size=(7, 3))
    plot_similarity(states, axes)
    shown = axes.images[0].get_array()
    assert shown.shape == (7, 7)
    np.testing.assert_allclose(np.sort(shown.ravel()), np.sort(cosine_similarity(states).ravel()))


def test_states_must_fit(axes):
    with pytest.raises(ValueError, match=r"states must have shape \(5, width\), got \(4, 2\)"):
        plot_embedding(random_problem(5, 1.0, seed=0), np.zeros((4, 2)), [0] * 5, axes)
    with pytest.raises(ValueError, match=r"states must have shape \(num_nodes, width\)"):
        plot_similarity(np.zeros(3), axes)
    with pytest.raises(ValueError, match="states must be finite, got nan or inf at node 1"):
        plot_embedding(random_problem(2, 1.0, seed=0), [[0, 1], [np.nan, 0]], [0, 0], axes)
