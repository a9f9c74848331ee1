"""The estimate of the time that a contraction takes."""

from __future__ import annotations

import numpy as np
import pytest

from multicut.solvers.dual_greedy import Policy
from multicut.training.policy.work import count_packings, estimate_work


def packings_one_by_one(share: float, num_nodes: int, num_clusters: int) -> float:
    nodes, packed = num_nodes, num_nodes
    while True:
        nodes = max(nodes - max(int(share * nodes), 1), num_clusters)
        if nodes == num_clusters:
            return packed / num_nodes
        packed += nodes


@pytest.mark.parametrize("share", [1.0, 0.5, 0.3, 0.1, 0.001])
def test_packings_are_counted_for_each_graph(share):
    nodes, clusters = np.array([1, 2, 10, 10, 57, 200]), np.array([1, 1, 10, 3, 20, 50])
    expected = [packings_one_by_one(share, n, k) for n, k in zip(nodes, clusters, strict=True)]
    assert count_packings(share, nodes, clusters) == pytest.approx(expected)


def test_one_packing_suffices_if_all_may_be_joined():
    assert count_packings(1.0, np.array([10]), np.array([3])) == [1.0]
    assert count_packings(0.5, np.array([10]), np.array([3])) == [1.5]


def test_more_packings_and_more_sweeps_take_longer():
    def work(**constants: float) -> float:
        return float(estimate_work(Policy(**constants), np.array([100]), np.array([40]))[0])

    shares = [work(share=share) for share in (1.0, 0.5, 0.2, 0.1, 0.05)]
    assert shares == sorted(shares)
    assert work(triangle_sweeps=0) < work(triangle_sweeps=1) < work(triangle_sweeps=4)
    assert work(square_sweeps=0) < work(square_sweeps=1) < work(square_sweeps=4)
    # What triangles have used up is no square any more.
    squares_alone = work(triangle_sweeps=0) - work(triangle_sweeps=0, square_sweeps=0)
    assert work() - work(square_sweeps=0) < squares_alone


def test_the_weight_of_costs_takes_no_time():
    nodes, clusters = np.array([100]), np.array([40])
    light, heavy = (estimate_work(Policy(cost_weight=weight), nodes, clusters) for weight in (0, 1))
    assert light == heavy
