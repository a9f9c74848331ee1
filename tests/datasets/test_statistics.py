from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import multicut as mc
from multicut.datasets import PUBLISHED, Dataset, describe_dataset, generate


def test_by_hand():
    problems = [
        mc.Problem([[0, 1], [1, 2], [0, 2]], [1.0, 2.0, -4.0]),
        mc.Problem([[0, 1]], [-1.0], num_nodes=5),
    ]
    dataset = Dataset.from_problems(problems).label("ilp", num_workers=1)
    found = describe_dataset(dataset)
    assert (found.num_graphs, found.num_labelled, found.num_optimal) == (2, 2, 2)
    assert (found.num_nodes.mean, found.num_nodes.deviation) == (4, 1)
    assert (found.num_edges.mean, found.num_edges.deviation) == (2, 1)
    assert (found.cost_min.mean, found.cost_min.deviation) == (-2.5, 1.5)
    assert (found.cost_max.mean, found.cost_max.deviation) == (0.5, 1.5)
    assert found.cost_mean.mean == pytest.approx((-1 / 3 - 1) / 2)
    assert found.negative == pytest.approx((-4 / 3 - 1) / 2)
    assert found.positive == pytest.approx(0.5)
    assert found.all_cut == pytest.approx((-1 / 3 - 1) / 2)
    assert found.optimum == pytest.approx((-3 / 3 - 1) / 2)


def test_graphs_without_edges_or_labels_do_not_disturb():
    problems = [
        mc.Problem([], [], num_nodes=3),
        mc.Problem([[0, 1], [1, 2]], [np.inf, -2.0]),
        mc.Problem([], [], num_nodes=1),
    ]
    found = describe_dataset(Dataset.from_problems(problems))
    assert found.num_edges.mean == pytest.approx(2 / 3)
    assert (found.cost_min.mean, found.cost_max.mean, found.cost_mean.mean) == (-2, -2, -2)
    assert found.optimum is None
    assert describe_dataset(Dataset.from_problems([])).num_nodes is None


@pytest.mark.parametrize("name", ["irismp", "randommp"])
def test_published_numbers_are_consistent(name):
    for split in ("train", "valid", "test"):
        table = PUBLISHED[name][split]
        assert table.negative + table.positive == pytest.approx(table.all_cut, abs=0.0021)
        assert table.negative < table.optimum < 0


def test_iris_statistics_are_close_to_those_published():
    found = describe_dataset(generate("irismp", 1500))
    published = PUBLISHED["irismp"]["train"]
    assert found.num_edges.mean == pytest.approx(published.num_edges.mean, abs=5)
    assert found.cost_min.mean == pytest.approx(published.cost_min.mean, abs=0.05)
    assert found.cost_mean.mean == pytest.approx(published.cost_mean.mean, abs=0.07)
    assert found.cost_max.mean == pytest.approx(published.cost_max.mean, abs=0.03)
    assert found.negative == pytest.approx(published.negative, abs=0.04)
    assert found.positive == pytest.approx(published.positive, abs=0.05)


def test_gaps_of_what_is_not_proven():
    dataset = generate("irismp", 3, min_nodes=4, max_nodes=6).label("ilp", num_workers=1)
    assert describe_dataset(dataset).largest_gap == 0
    arrays = dataset.arrays()
    bounds = arrays.objective * [1.0, 1.25, 1.5] - [0, 0, np.inf]
    found = describe_dataset(Dataset(replace(arrays, lower_bound=bounds)))
    assert (found.num_labelled, found.num_optimal) == (3, 1)
    assert found.largest_gap == pytest.approx(0.25)
    assert describe_dataset(generate("irismp", 2)).largest_gap is None
