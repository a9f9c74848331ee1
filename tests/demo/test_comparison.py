from __future__ import annotations

import numpy as np
import pytest

import multicut as mc
from multicut.demo import Example, compare, make_examples
from multicut.demo.comparison import best_of


@pytest.fixture
def triangles():
    triangle = mc.Problem([[0, 1], [1, 2], [0, 2]], [1.0, 2.0, -4.0])
    return Example("two triangles", (triangle, triangle), np.zeros((3, 2)))


def test_rows_add_up(triangles):
    steps = []
    rows = compare([triangles], ["gaec", "klj"], report=steps.append)
    assert [row.solver for row in rows] == ["gaec", "klj"]
    assert [row.objective for row in rows] == [-6, -6]
    assert [row.num_clusters for row in rows] == [4, 4]
    assert all(row.seconds > 0 for row in rows)
    assert steps == ["gaec on two triangles", "klj on two triangles"]


def test_best_is_the_lowest_objective():
    problem = mc.datasets.randommp(100, seed=0)
    example = Example("graph", (problem,), mc.datasets.randommp_points(100, seed=0))
    rows = compare([example], ["gaec", "fusion"])
    assert rows[1].objective < rows[0].objective
    assert best_of(rows, example) is rows[1]


def test_examples_have_a_point_for_each_node():
    for example in make_examples(seed=1):
        assert example.points.shape == (example.problems[0].num_nodes, 2)
