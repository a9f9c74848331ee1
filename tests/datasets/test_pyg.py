from __future__ import annotations

import numpy as np
import pytest

import multicut as mc
from multicut.datasets import Dataset, generate

pytest.importorskip("torch_geometric")


@pytest.fixture(scope="module")
def dataset():
    return generate("irismp", 5, min_nodes=4, max_nodes=7).label("ilp", num_workers=1)


def test_data_say_what_the_problems_say(dataset):
    for both in (True, False):
        for problem, data in zip(dataset, dataset.to_pyg(both_directions=both), strict=True):
            m = problem.num_edges
            assert data.num_nodes == problem.num_nodes
            assert data.edge_index.shape == (2, 2 * m if both else m)
            assert np.array_equal(data.edge_index[:, :m].T, problem.edges)
            assert np.allclose(data.edge_weight[:m], problem.costs)
            assert np.array_equal(data.edge_label[:m].bool(), problem.cut)
            assert data.objective.item() == problem.objective
            if both:
                assert np.array_equal(data.edge_index[:, m:].flip(0).T, problem.edges)
                assert np.array_equal(data.edge_weight[m:], data.edge_weight[:m])
                assert np.array_equal(data.edge_label[m:], data.edge_label[:m])
                assert np.array_equal(mc.Problem.from_pyg(data).edges, problem.edges)


def test_a_batch_can_be_taken_apart_again(dataset):
    batch = dataset.to_batch()
    assert batch.num_graphs == len(dataset)
    assert batch.num_nodes == dataset.num_nodes.sum()
    assert np.array_equal(batch.ptr, dataset.arrays().node_offsets)
    for problem, data in zip(dataset, batch.to_data_list(), strict=True):
        assert np.array_equal(data.edge_index[:, : problem.num_edges].T, problem.edges)


def test_graphs_without_labels():
    data = generate("erdos-renyi", 1).to_pyg()[0]
    assert "edge_label" not in data
    assert "objective" not in data
    assert "pos" not in data


def test_a_batch_is_labelled_as_a_whole(dataset):
    """Whichever graph comes first, labels are never dropped silently."""
    mixed = Dataset.from_problems([generate("irismp", 1)[0], *dataset])
    for order in ([0, 1], [1, 0]):
        with pytest.raises(ValueError, match="only 1 of 2 graphs have labels; take those with"):
            mixed[order].to_batch()
    assert mixed[mixed.labelled].to_batch().num_graphs == 5
    assert ["edge_label" in data for data in mixed.to_pyg()] == [False] + 5 * [True]
    with pytest.raises(ValueError, match="a batch needs at least one graph"):
        dataset[:0].to_batch()
