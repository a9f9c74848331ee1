"""Mutex watershed and signed agglomeration, compared with their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import multicut as mc
from multicut.partition import labels_of_cut
from tests.problems import random_problem, small_problems
from tests.solvers import agglomerations

every_linkage = pytest.mark.parametrize("linkage", list(agglomerations.LINKAGES))
with_and_without = pytest.mark.parametrize("cannot_links", [False, True])


@pytest.mark.parametrize("integers", [False, True])
def test_mutex_watershed_is_that_of_the_definition(integers):
    for seed in range(150):
        problem = random_problem(3 + seed % 20, 0.2 + 0.05 * (seed % 16), seed, integers)
        result = mc.solve(problem, "mutex-watershed")
        expected = agglomerations.mutex_watershed(
            problem.edges, problem.costs.tolist(), problem.num_nodes
        )
        assert np.array_equal(result.labels, expected)


@settings(max_examples=200, deadline=None)
@given(problem=small_problems(constrained=True))
def test_mutex_watershed_of_awkward_problems(problem):
    result = mc.solve(problem, "mutex-watershed")
    expected = agglomerations.mutex_watershed(
        problem.edges, problem.costs.tolist(), problem.num_nodes
    )
    assert np.array_equal(result.labels, expected)


@every_linkage
@with_and_without
def test_gasp_is_that_of_the_definition(linkage, cannot_links):
    for seed in range(100):
        problem = random_problem(3 + seed % 12, 0.3 + 0.05 * (seed % 14), seed)
        result = mc.solve(problem, "gasp", linkage=linkage, cannot_links=cannot_links)
        possible = agglomerations.outcomes(problem, linkage, cannot_links)
        assert len(possible) == 1  # there are no ties
        assert tuple(result.labels.tolist()) in possible


@every_linkage
@with_and_without
def test_gasp_takes_ties_in_some_order(linkage, cannot_links):
    several = 0
    for seed in range(60):
        problem = random_problem(3 + seed % 4, 0.8, seed, integers=True)
        result = mc.solve(problem, "gasp", linkage=linkage, cannot_links=cannot_links)
        possible = agglomerations.outcomes(problem, linkage, cannot_links)
        several += len(possible) > 1
        assert tuple(result.labels.tolist()) in possible
    assert several > 5 or linkage == "max"  # single linkage has no ties that matter


@every_linkage
@with_and_without
@settings(max_examples=40, deadline=None)
@given(problem=small_problems(constrained=True).filter(lambda problem: problem.num_edges < 9))
def test_gasp_of_awkward_problems(linkage, cannot_links, problem):
    result = mc.solve(problem, "gasp", linkage=linkage, cannot_links=cannot_links)
    possible = agglomerations.outcomes(problem, linkage, cannot_links)
    assert tuple(result.labels.tolist()) in possible


@settings(max_examples=100, deadline=None)
@given(problem=small_problems(constrained=True))
def test_max_abs_is_mutex_watershed(problem):
    labels = mc.solve(problem, "gasp", linkage="max-abs").labels
    assert np.array_equal(labels, mc.solve(problem, "mutex-watershed").labels)


@pytest.mark.parametrize("seed", range(10))
def test_sum_is_gaec(seed):
    rng = np.random.default_rng(seed)
    problem = mc.Problem(rng.integers(0, 300, (1_500, 2)), rng.normal(size=1_500), 300)
    labels = mc.solve(problem, "gasp", linkage="sum").labels
    assert np.array_equal(labels, mc.solve(problem, "gaec").labels)


@pytest.mark.parametrize("seed", range(5))
def test_sum_with_cannot_links_is_greedy_fixation(seed):
    problem = mc.datasets.randommp(2_000, seed=seed)
    own = mc.solve(problem, "gasp", linkage="sum", cannot_links=True)
    assert np.array_equal(own.labels, mc.solve(problem, "greedy-fixation").labels)


def test_max_joins_the_components_of_attractive_edges():
    problem = mc.datasets.randommp(3_000, seed=0)
    own = mc.solve(problem, "gasp", linkage="max")
    assert np.array_equal(own.labels, labels_of_cut(problem, problem.costs <= 0))


@pytest.mark.parametrize("solver", ["mutex-watershed", "gasp"])
def test_a_complete_partition_is_kept_though_a_trivial_one_costs_less(solver):
    """The first edge forbids what all others together would have."""
    ends = [[0, 1], *([i, 2 + k] for k in range(3) for i in (0, 1))]
    problem = mc.Problem(ends, [-5.0] + [4.9] * 6)
    options = {"linkage": "sum", "cannot_links": True} if solver == "gasp" else {}
    result = mc.solve(problem, solver, **options)
    assert result.stopped_by == "converged"
    assert result.cut[0]
    assert result.objective > 0
    assert result.trace[-1, 1] == result.objective


@pytest.mark.parametrize("solver", ["mutex-watershed", "gasp"])
def test_whoever_wants_a_complete_run_to_stop_gets_what_is_complete(solver):
    problem = random_problem(30, 0.4, seed=1)
    heard = []

    def stop_at_the_end(progress):
        heard.append(progress.objective)
        return len(heard) > 1

    result = mc.solve(problem, solver, callback=stop_at_the_end)
    assert result.stopped_by == "converged"
    assert heard[-1] == result.objective
    assert np.array_equal(result.labels, mc.solve(problem, solver).labels)


def lifted_problem(seed: int) -> mc.Problem:
    """A random problem, some of whose edges are lifted."""
    whole = random_problem(3 + seed % 12, 0.6, seed, integers=seed % 2 == 0)
    is_lifted = np.random.default_rng(seed).random(whole.num_edges) < 0.4
    return mc.Problem(
        whole.edges[~is_lifted],
        whole.costs[~is_lifted],
        num_nodes=whole.num_nodes,
        lifted_edges=whole.edges[is_lifted],
        lifted_costs=whole.costs[is_lifted],
    )


@pytest.mark.parametrize("seed", range(100))
def test_repulsive_lifted_edges_are_mutexes_and_attractive_ones_nothing(seed):
    problem = lifted_problem(seed)
    result = mc.solve(problem, "mutex-watershed")
    repulsive = problem.lifted_costs < 0
    expected = agglomerations.mutex_watershed(
        [*problem.edges.tolist(), *problem.lifted_edges[repulsive].tolist()],
        [*problem.costs.tolist(), *problem.lifted_costs[repulsive].tolist()],
        problem.num_nodes,
    )
    assert np.array_equal(result.labels, expected)
    assert result.objective == mc.objective(problem, result.labels)
    u, v = problem.lifted_edges.T
    assert np.array_equal(result.lifted_cut, result.labels[u] != result.labels[v])
    same = mc.solve(problem, "gasp", linkage="max-abs")
    assert np.array_equal(same.labels, result.labels)


@pytest.mark.parametrize("time_limit", [0, 1e-6, 1e-3])
def test_lifted_runs_that_are_stopped_are_not_worse_than_trivial_ones(time_limit):
    problem = lifted_problem(11)
    result = mc.solve(problem, "mutex-watershed", time_limit)
    if result.stopped_by == "time_limit":
        assert result.objective <= min(0.0, problem.costs.sum() + problem.lifted_costs.sum())


def test_lifted_must_links_and_other_linkages_give_one_clear_line():
    must = mc.Problem([[0, 1], [1, 2]], [1, 1], lifted_edges=[[0, 2]], lifted_costs=[np.inf])
    with pytest.raises(ValueError, match=r"cannot meet lifted must-links \(cost \+inf\)"):
        mc.solve(must, "mutex-watershed")
    with pytest.raises(ValueError, match="gasp takes lifted edges with linkage max-abs, or sum"):
        mc.solve(lifted_problem(1), "gasp", linkage="average")


@given(order=st.permutations(range(8)))
@settings(max_examples=20, deadline=None)
def test_nodes_may_be_numbered_in_any_order(order):
    """Without ties, the numbering of nodes and edges makes no difference."""
    problem = random_problem(8, 0.7, seed=3)
    shuffled = mc.Problem(np.array(order)[problem.edges], problem.costs, num_nodes=8)
    for solver in ("mutex-watershed", "gasp"):
        labels = mc.solve(problem, solver).labels
        others = mc.solve(shuffled, solver).labels[list(order)]
        assert agglomerations.canonical(others.tolist()) == tuple(labels.tolist())


def test_an_unknown_linkage_gives_one_clear_line():
    with pytest.raises(ValueError, match="linkage must be one of sum, average, max-abs, min, max"):
        mc.solve(random_problem(5, 0.5, seed=0), "gasp", linkage="mean")
