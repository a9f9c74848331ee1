"""The proof that ``gaec`` finds nothing better, before it has ended."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

import multicut as mc
from multicut import _core
from multicut.nn import GraphBatch
from multicut.nn.search.greedy_groups import contracted, independent_groups
from multicut.solvers.gnn.plain_problem import is_constrained
from multicut.solvers.learned import attempt, gaec_certificate, place
from multicut.solvers.learned.beside import Beside
from multicut.solvers.learned.gaec_certificate import GaecCertificate
from tests.problems import random_problem
from tests.test_solve import check_contract

THRESHOLDS = (0.2, 1.0, 2.0, 3.5)


def with_ties(problem: mc.Problem) -> mc.Problem:
    return mc.Problem(problem.edges, np.round(problem.costs), num_nodes=problem.num_nodes)


def in_halves() -> mc.Problem:
    problem = mc.datasets.randommp(800, seed=5)
    return mc.Problem(problem.edges, np.round(2 * problem.costs) / 2 + 0.01, num_nodes=800)


# Made by each test: pytest would keep them until Python ends, and nanobind then tells of leaks.
PROBLEMS: dict[str, Callable[[], mc.Problem]] = {
    "randommp": lambda: mc.datasets.randommp(1_500, seed=3),
    "ties": lambda: with_ties(mc.datasets.randommp(1_500, seed=4)),
    "halves": in_halves,
    "dense": lambda: random_problem(60, 0.5, seed=6),
    "grid": lambda: mc.datasets.randommp(400, seed=7),
}


def tensors_of(problem: mc.Problem) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.tensor(problem.edges.T.copy()), torch.tensor(problem.costs)


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_no_two_groups_attract_each_other_by_the_threshold(name, threshold):
    problem = PROBLEMS[name]()
    edges, costs = tensors_of(problem)
    groups = independent_groups(edges, costs, problem.num_nodes, threshold)
    assert sorted(set(groups.tolist())) == list(range(int(groups.max()) + 1))
    _, between = contracted(edges, costs.clamp(min=0), groups, int(groups.max()) + 1)
    assert (between < threshold).all()
    # They are no larger than they have to be: each costly edge is within one.
    first, second = groups[edges]
    assert (first == second)[costs >= threshold].all()


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("threshold", THRESHOLDS)
@pytest.mark.parametrize("num_threads", [1, 3])
def test_what_is_joined_for_sure_is_joined_by_gaec(name, threshold, num_threads):
    problem = PROBLEMS[name]()
    edges, costs = tensors_of(problem)
    groups = independent_groups(edges, costs, problem.num_nodes, threshold).numpy()
    labels = _core.gaec_prefix(
        problem.graph, problem.costs, groups, threshold, num_threads=num_threads
    )
    greedy = mc.solve(problem, "gaec").labels
    for cluster in range(int(labels.max()) + 1):
        assert len(set(greedy[labels == cluster].tolist())) == 1


def test_without_ties_nothing_of_the_prefix_is_missing():
    problem = PROBLEMS["randommp"]()
    edges, costs = tensors_of(problem)
    groups = independent_groups(edges, costs, problem.num_nodes, 3.0)
    labels = _core.gaec_prefix(problem.graph, problem.costs, groups.numpy(), 3.0, num_threads=2)
    _, left = contracted(edges, costs, torch.tensor(labels), int(labels.max()) + 1)
    assert (left >= 3.0).sum() < 0.01 * problem.num_nodes  # sums that are almost equal
    assert labels.max() + 1 < 0.75 * problem.num_nodes


def test_ties_end_the_prefix():
    problem = mc.Problem([[0, 1], [1, 2], [3, 4]], [2.0, 2.0, 3.0])
    groups = np.array([0, 0, 0, 1, 1])
    labels = _core.gaec_prefix(problem.graph, problem.costs, groups, 1.0, num_threads=1)
    assert labels.tolist() == [0, 1, 2, 3, 3]


def certificate_of(problem: mc.Problem) -> GaecCertificate:
    certificate = GaecCertificate(problem, 2)
    certificate.begin(GraphBatch.from_problems(problem))
    return certificate


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_bound_never_exceeds_what_gaec_finds(name):
    problem = PROBLEMS[name]()
    greedy = mc.solve(problem, "gaec").objective
    certificate = certificate_of(problem)
    # To exceed this is impossible, so it tries until it can get no further.
    assert not certificate.holds_for(greedy, lambda: False)
    assert certificate.bound <= greedy


def test_it_holds_for_a_better_partition_of_a_large_graph():
    problem = PROBLEMS["randommp"]()
    better = mc.solve(problem, "fusion").objective
    certificate = certificate_of(problem)
    assert certificate.holds_for(better, lambda: False)
    assert better < certificate.bound <= mc.solve(problem, "gaec").objective


def test_it_ends_when_it_is_told_to():
    problem = PROBLEMS["randommp"]()
    greedy = mc.solve(problem, "gaec").objective
    asked = []
    assert not certificate_of(problem).holds_for(greedy, lambda: asked.append(1) or True)
    assert asked == [1]


def test_groups_that_are_too_large_are_left_alone(monkeypatch):
    monkeypatch.setattr(gaec_certificate, "_MOST_NODES_OF_GROUP", 1)
    certificate = certificate_of(PROBLEMS["randommp"]())
    assert not certificate.holds_for(-np.inf, lambda: False)


@pytest.mark.parametrize("costs", [[np.inf, 1.0, 1.0], [1.0, 1.0, -np.inf], [np.inf, 1.0, -np.inf]])
def test_constraints_are_noticed(costs):
    assert is_constrained(mc.Problem([[0, 1], [1, 2], [2, 3]], costs))
    assert not is_constrained(PROBLEMS["dense"]())


@pytest.mark.parametrize("effort", ["fast", "balanced"])
def test_learned_does_not_wait_for_a_gaec_that_cannot_be_better(monkeypatch, effort):
    monkeypatch.setattr(place, "_FEW_EDGES_FOR_GPU", 0)
    monkeypatch.setattr(place, "_is_gpu", lambda _: True)
    monkeypatch.setattr(attempt, "_MANY_EDGES_FOR_KLJ", 0)
    # As if it took very long.
    monkeypatch.setattr(Beside, "is_done", False)
    problem = PROBLEMS["randommp"]()
    result = mc.solve(problem, "learned", effort=effort, device="cpu")
    check_contract(problem, result)
    assert list(result.details["objectives"]) == ["packing"]
    greedy = mc.solve(problem, "gaec").objective
    assert result.objective < result.details["gaec_bound"] <= greedy
    assert result.stopped_by == "converged"
