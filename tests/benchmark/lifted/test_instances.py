from __future__ import annotations

import numpy as np
import pytest

from multicut.benchmark.lifted.instances import AffinityArrays, grid, image, list_lifted_sets


@pytest.mark.parametrize("lifted_set", list_lifted_sets([3_000]), ids=lambda made: made.name)
def test_instances_are_about_as_large_as_they_say(lifted_set):
    arrays = lifted_set.load()
    total = arrays.num_edges + arrays.num_lifted
    assert 0.4 * lifted_set.num_edges < total < 2.5 * lifted_set.num_edges
    again = lifted_set.load()
    assert arrays.num_edges == again.num_edges
    if lifted_set.kind == "lifted":
        assert np.array_equal(arrays.lifted_costs, again.lifted_costs)
        pairs = {tuple(pair) for pair in np.sort(arrays.edges, axis=1).tolist()}
        far = {tuple(pair) for pair in np.sort(arrays.lifted_edges, axis=1).tolist()}
        assert len(pairs) == arrays.num_edges
        assert len(far) == arrays.num_lifted
        assert not pairs & far


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_a_share_of_the_edges_of_a_grid_is_lifted(share):
    arrays = grid(20_000, share)
    assert arrays.num_lifted / (arrays.num_edges + arrays.num_lifted) == pytest.approx(share, 0.05)


def test_the_objective_of_affinities_counts_pairs_between_segments():
    affinities = np.full((2, 2, 3), 0.25, dtype=np.float32)
    arrays = AffinityArrays(affinities, ((-1, 0), (0, 2)))
    labels = np.array([0, 0, 0, 1, 1, 2])
    # Three pairs across the rows, and one of the two pairs along them.
    assert arrays.objective(labels) == pytest.approx(4 * -0.25)
    assert arrays.objective(np.zeros(6, dtype=int)) == 0


def test_affinities_are_probabilities():
    affinities = image(2_000).affinities
    assert affinities.dtype == np.float32
    assert 0 < affinities.min() < affinities.max() < 1
