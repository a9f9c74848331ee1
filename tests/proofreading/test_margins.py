from __future__ import annotations

import pickle

import numpy as np
import pytest

import multicut as mc
from multicut.proofreading.calibration import DEFAULT, frustration_of, scale_of
from tests.problems import partitions, random_problem


def margins_by_enumeration(problem, labels):
    """The least cost of all partitions that treat each edge otherwise, less that of the labels."""
    u, v = problem.edges.T
    cut = partitions(problem.num_nodes)[:, u] != partitions(problem.num_nodes)[:, v]
    finite = np.isfinite(problem.costs)
    totals = cut[:, finite] @ problem.costs[finite]
    violates = cut[:, problem.costs == np.inf].any(1) | ~cut[:, problem.costs == -np.inf].all(1)
    totals[violates] = np.inf
    own = labels[u] != labels[v]
    return np.array(
        [totals[cut[:, edge] != own[edge]].min() for edge in range(problem.num_edges)]
    ) - mc.objective(problem, labels)


@pytest.mark.parametrize("seed", range(8))
def test_bounds_hold_and_small_problems_are_exact(seed):
    problem = random_problem(8, 0.5, seed)
    result = mc.solve(problem, "ilp")
    expected = margins_by_enumeration(problem, result.labels)
    bounds = mc.edge_margins(problem, result, exact_below=0)
    assert (bounds.lower <= expected + 1e-9).all()
    assert (bounds.upper >= expected - 1e-9).all()
    rough = mc.edge_margins(problem, result, exact_below=0, num_resolved=0)
    assert (rough.upper >= bounds.upper).all()
    exact = mc.edge_margins(problem, result)
    assert exact.is_exact.all()
    assert exact.upper == pytest.approx(expected, abs=1e-9)
    assert (exact.upper >= -1e-9).all()


def test_margins_of_a_partition_that_is_not_optimal():
    for seed in range(4):
        problem = random_problem(8, 0.9, seed)
        labels = np.random.default_rng(seed).integers(0, 3, 8)
        expected = margins_by_enumeration(problem, labels)
        bounds = mc.edge_margins(problem, labels, exact_below=0)
        assert (bounds.lower <= expected + 1e-9).all()
        assert (bounds.upper >= expected - 1e-9).all()
        assert mc.edge_margins(problem, labels).upper == pytest.approx(expected, abs=1e-9)


def test_constraints_cannot_be_flipped():
    problem = mc.Problem([[0, 1], [1, 2], [0, 2], [2, 3]], [np.inf, 1.0, -np.inf, -1.0])
    result = mc.solve(problem, "ilp")
    expected = margins_by_enumeration(problem, result.labels)
    for limit in (0, 150):
        margins = mc.edge_margins(problem, result, exact_below=limit)
        # The edge between the two that are kept apart cannot be joined, either.
        assert np.isinf(margins.upper).tolist() == [True, True, True, False]
        assert (margins.lower <= expected + 1e-9).all()
        assert margins.upper[3] == pytest.approx(expected[3])
        assert margins.confidence[:3].tolist() == [1.0, 1.0, 1.0]


def test_confidence_grows_with_the_margin():
    problem = random_problem(40, 0.2, 0)
    result = mc.solve(problem, "fusion")
    margins = mc.edge_margins(problem, result)
    order = np.argsort(margins.upper)
    assert (np.diff(margins.confidence[order]) >= 0).all()
    assert (margins.confidence > 0.4).all()
    assert (margins.confidence <= 1.0).all()
    assert np.array_equal(result.confidence, margins.confidence)
    assert np.array_equal(margins.cut, result.cut)


def test_confidence_does_not_depend_on_the_unit_of_costs():
    problem = random_problem(40, 0.2, 0)
    scaled = mc.Problem(problem.edges, 1000 * problem.costs, num_nodes=40)
    labels = mc.solve(problem, "klj").labels
    first, second = mc.edge_margins(problem, labels), mc.edge_margins(scaled, labels)
    assert second.confidence == pytest.approx(first.confidence, abs=1e-9)


def test_results_without_a_problem_say_so():
    problem = random_problem(10, 0.5, 0)
    (batched,) = mc.solve_batch([problem], "klj")
    sent = pickle.loads(pickle.dumps(mc.solve(problem, "klj")))
    for result in (batched, sent):
        with pytest.raises(ValueError, match=r"mc\.edge_margins\(problem, result\)"):
            _ = result.confidence


def test_calibrated_on_families_whose_truth_is_known():
    """Graphs that the fit has not seen: the test split."""
    from multicut.datasets.generate import draw_graph

    probabilities, is_right = [], []
    for family in ("planted", "voronoi"):
        for index in range(8):
            graph = draw_graph(family, index, split="test")
            # The same graph without noise: the signs of its costs are the truth.
            truth = draw_graph(family, index, split="test", noise=0.0)
            problem = graph.to_problem()
            result = mc.solve(problem, "klj")
            probabilities.append(mc.edge_margins(problem, result, exact_below=0).confidence)
            is_right.append(result.cut == (truth.costs < 0))
    probability, right = np.concatenate(probabilities), np.concatenate(is_right)
    assert abs(probability.mean() - right.mean()) < 0.05
    sure = probability > 0.95
    assert right[sure].mean() > 0.95
    assert right[~sure].mean() < 0.85


def test_bad_arguments_give_one_clear_line():
    problem = mc.Problem([[0, 1]], [np.inf])
    with pytest.raises(ValueError, match="violates a must-link"):
        mc.edge_margins(problem, [0, 1])
    with pytest.raises(ValueError, match="one label per node"):
        mc.edge_margins(problem, [0])
    with pytest.raises(TypeError, match="problem must be"):
        mc.edge_margins([1], [0])
    assert len(mc.edge_margins(mc.Problem([], [], num_nodes=3), [0, 1, 2]).upper) == 0


def test_scale_and_frustration():
    costs = np.array([1.0, -3.0, 0.0, np.inf, 2.0])
    assert scale_of(costs) == 2.0
    assert scale_of(np.zeros(0)) == 1.0
    cut = np.array([True, True, False, False, False])
    assert frustration_of(costs, cut) == pytest.approx(1 / 6)
    assert DEFAULT.probabilities(np.array([np.inf, -1.0]), 1.0, 0.1)[0] == 1.0
