from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import multicut as mc
from multicut.nn import GraphBatch, partition
from multicut.nn.search import packing_rounds
from multicut.nn.search.contraction_rounds import greedy_labels
from multicut.nn.search.packing_rounds import Rules, packing_labels, packing_partitions
from multicut.nn.search.short_cycles import Sweeps
from tests.problems import random_problem


def batch_of(*problems: mc.Problem) -> GraphBatch:
    return GraphBatch.from_problems(problems, dtype=torch.float64)


def mean_ratio(batch: GraphBatch, labels: torch.Tensor, best: torch.Tensor) -> float:
    cut = labels[batch.edges[0]] != labels[batch.edges[1]]
    return float((batch.objectives(cut) / best).mean())


@settings(max_examples=100)
@given(
    seed=st.integers(0, 10**6),
    density=st.floats(0, 1),
    integers=st.booleans(),
    strictness=st.sampled_from([0.0, 0.5, 1.0]),
    few_joins=st.sampled_from([0.0, 0.02, 10.0]),
)
def test_nothing_attracts_at_the_end_and_each_round_gains(
    seed, density, integers, strictness, few_joins
):
    problem = random_problem(14, density, seed, integers)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing_rounds, "_FEW_JOINS", few_joins)
        patch.setattr(packing_rounds, "_FEW_PAIRS", few_joins)
        rules = Rules(strictness=strictness)
        found = [labels.numpy() for labels in packing_partitions(batch_of(problem), rules)]
    objectives = [mc.objective(problem, labels) for labels in found]
    assert all(after < before + 1e-9 for before, after in itertools.pairwise(objectives))
    labels = found[-1]
    assert set(labels) == set(range(labels.max() + 1))
    ends = np.sort(labels[problem.edges], axis=1)
    keys, inverse = np.unique(ends, axis=0, return_inverse=True)
    between = np.bincount(inverse.ravel(), weights=problem.costs)[keys[:, 0] != keys[:, 1]]
    assert (between <= 1e-9).all()


def test_a_packing_joins_better_than_costs_do():
    graphs = mc.datasets.RandomMP("valid")[:30]
    batch, best = batch_of(*graphs), torch.tensor(graphs.objective)
    greedy = mean_ratio(batch, greedy_labels(batch), best)
    found = [
        mean_ratio(batch, packing_labels(batch, rules), best)
        for rules in (
            Rules(Sweeps(0, 0), strictness=0.0),
            Rules(Sweeps(3, 0), strictness=0.0),
            Rules(Sweeps(3, 2), strictness=0.0),
            Rules(Sweeps(3, 2), strictness=0.7),
        )
    ]
    assert greedy < 0.985
    assert all(after > before for before, after in itertools.pairwise(found))
    assert found[-1] > 0.9985


@pytest.mark.parametrize("repulsion", [0.0, 1.5])
def test_a_node_of_many_neighbours_takes_few_rounds(repulsion):
    leaves = np.arange(1, 501)
    ring = np.stack([leaves, np.roll(leaves, 1)], axis=1)
    edges = np.concatenate([np.stack([np.zeros(500, int), leaves], axis=1), ring])
    costs = np.concatenate([np.linspace(4.0, 4.1, 500), np.full(500, -repulsion)])
    states = list(packing_rounds.packing_rounds(batch_of(mc.Problem(edges, costs))))
    assert len(states) <= 40
    # Everything together is optimal: each leaf gains 4 and loses at most 2 x 1.5.
    assert states[-1].num_nodes == 1


def test_many_edges_of_equal_score_join_at_once():
    edges = [[i, j] for i in range(64) for j in range(i)]
    batch = batch_of(mc.Problem(edges, [1.0] * len(edges)))
    states = list(packing_rounds.packing_rounds(batch, Rules(strictness=0.0)))
    assert states[-1].num_nodes == 1
    assert len(states) <= 16


def test_strict_rounds_are_more_and_better():
    graphs = mc.datasets.RandomMP("valid")[:60]
    batch, best = batch_of(*graphs), torch.tensor(graphs.objective)
    rounds, ratios = [], []
    for strictness in (0.0, 0.5, 1.0):
        rules = Rules(strictness=strictness)
        states = list(packing_rounds.packing_rounds(batch, rules))
        rounds.append(len(states))
        ratios.append(mean_ratio(batch, packing_labels(batch, rules), best))
    assert rounds[0] < rounds[1] < rounds[2]
    assert ratios[0] < ratios[1] < ratios[2]


def test_no_graph_depends_on_those_beside_it():
    problems = [mc.datasets.randommp(seed=seed) for seed in range(4)]
    problems += [random_problem(12, 1.0, seed=5, integers=True)] * 2
    together = packing_labels(batch_of(*problems))
    bounds = np.cumsum([0, *(problem.num_nodes for problem in problems)])
    for problem, (start, end) in zip(problems, itertools.pairwise(bounds), strict=True):
        alone = packing_labels(batch_of(problem))
        part = mc.partition.canonical(together[start:end].numpy())
        assert part.tolist() == mc.partition.canonical(alone.numpy()).tolist()


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), density=st.floats(0.3, 1))
def test_ends_of_forbidden_edges_stay_apart(seed, density):
    problem = random_problem(14, density, seed)
    batch = batch_of(problem)
    forbidden = torch.from_numpy(np.random.default_rng(seed).random(problem.num_edges) < 0.2)
    labels = packing_labels(batch, forbidden=forbidden)
    together = labels[batch.edges[0]] == labels[batch.edges[1]]
    assert not bool((together & forbidden).any())


def test_attraction_counts_however_small_it_is_beside_other_costs():
    problem = mc.Problem([[0, 1], [1, 2], [2, 3], [3, 4]], [1e-300, -1e300, 2e-300, 1e300])
    assert packing_labels(batch_of(problem)).tolist() == [0, 0, 1, 1, 1]


@pytest.mark.parametrize("num_nodes", [0, 1, 4])
def test_without_edges_nothing_happens(num_nodes):
    batch = batch_of(mc.Problem(np.empty((0, 2), int), [], num_nodes=num_nodes))
    assert torch.equal(packing_labels(batch), torch.arange(num_nodes))
    assert packing_labels(GraphBatch.from_problems([])).tolist() == []


def test_an_exception_after_a_round_ends_the_rounds():
    def end():
        raise TimeoutError

    with pytest.raises(TimeoutError):
        packing_labels(batch_of(mc.datasets.randommp(seed=1)), after_round=end)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strictness": 1.5}, "strictness must be between 0 and 1, got 1.5"),
        ({"strictness": -0.1}, "strictness must be between 0 and 1, got -0.1"),
        ({"sweeps": (3, -1)}, "sweeps must be at least 0 and below"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=message):
        partition(batch_of(mc.datasets.irismp()), **options)


def test_sweeps_and_strictness_reach_the_rounds():
    graphs = mc.datasets.RandomMP("valid")[:20]
    batch, best = batch_of(*graphs), torch.tensor(graphs.objective)
    plain = partition(batch, moves=False, sweeps=(0, 0), strictness=0.0)
    loose = partition(batch, moves=False, strictness=0.0)
    default = partition(batch, moves=False)
    ratios = [mean_ratio(batch, labels, best) for labels in (plain, loose, default)]
    assert ratios[0] < ratios[1] < ratios[2]
