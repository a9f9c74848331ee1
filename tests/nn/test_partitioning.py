from __future__ import annotations

import contextlib
import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import multicut as mc
from multicut.nn import GraphBatch, partition
from multicut.nn.precision import fast_precision
from multicut.nn.search import contraction_rounds
from multicut.nn.search.contraction_rounds import greedy_labels, greedy_rounds
from multicut.nn.search.fusion_moves import PACKING, Proposer, fusion_moves
from tests.networks import small_contraction_network
from tests.problems import random_problem


def labels_of(*problems: mc.Problem, **options) -> list[np.ndarray]:
    batch = GraphBatch.from_problems(problems, dtype=torch.float64)
    labels = partition(batch, **options)
    bounds = batch.node_offsets.tolist()
    return [labels[a:b].numpy() for a, b in itertools.pairwise(bounds)]


@pytest.mark.parametrize("strict_rounds", [1, 3, 16])
@settings(max_examples=100)
@given(seed=st.integers(0, 10**6), density=st.floats(0, 1), integers=st.booleans())
def test_nothing_attracts_at_the_end_and_each_round_gains(strict_rounds, seed, density, integers):
    problem = random_problem(14, density, seed, integers)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contraction_rounds, "_STRICT_ROUNDS", strict_rounds)
        states = list(greedy_rounds(GraphBatch.from_problems(problem, dtype=torch.float64)))
    objectives = [mc.objective(problem, np.arange(14))]
    objectives += [mc.objective(problem, state.labels.numpy()) for state in states]
    assert all(after < before for before, after in itertools.pairwise(objectives))
    if states:
        assert (states[-1].batch.costs <= 0).all()
        assert float(states[-1].batch.costs.sum()) == pytest.approx(objectives[-1])
    else:
        assert (problem.costs <= 0).all()


def test_followers_that_repel_each_other_do_not_all_follow():
    generator = np.random.default_rng(0)
    leaves = np.arange(1, 501)
    hub = np.stack([np.zeros(500, int), leaves], axis=1)
    among = np.stack([np.repeat(leaves, 5), generator.integers(1, 501, 2500)], axis=1)
    costs = np.concatenate([np.linspace(4.0, 4.1, 500), np.full(2500, -1.5)])
    problem = mc.Problem(np.concatenate([hub, among]), costs)
    states = list(greedy_rounds(GraphBatch.from_problems(problem)))
    found = mc.objective(problem, states[-1].labels.numpy())
    assert found < 0.95 * mc.solve(problem, "gaec").objective
    assert len(states) < 100


def test_a_tree_is_solved():
    problem = mc.Problem([[0, 1], [1, 2], [2, 3], [3, 4], [1, 5]], [1.0, -2.0, 3.0, 1.0, 0.0])
    (labels,) = labels_of(problem)
    assert labels.tolist() == [0, 0, 1, 1, 1, 2]


@pytest.mark.parametrize("repulsion", [0.0, 1.5])
def test_a_node_of_many_neighbours_takes_few_rounds(repulsion):
    leaves = np.arange(1, 501)
    ring = np.stack([leaves, np.roll(leaves, 1)], axis=1)
    edges = np.concatenate([np.stack([np.zeros(500, int), leaves], axis=1), ring])
    costs = np.concatenate([np.linspace(4.0, 4.1, 500), np.full(500, -repulsion)])
    problem = mc.Problem(edges, costs)
    states = list(greedy_rounds(GraphBatch.from_problems(problem)))
    assert len(states) <= 32
    # Everything together is optimal: each leaf gains 4 and loses at most 2 x 1.5.
    assert set(states[-1].labels.tolist()) == {0}


def test_ties_are_broken():
    problem = mc.Problem([[i, j] for i in range(8) for j in range(i)], [1.0] * 28)
    assert set(labels_of(problem)[0]) == {0}


def test_it_is_nearly_as_good_as_one_edge_at_a_time():
    problems = [mc.datasets.randommp(seed=seed) for seed in range(20)]
    ratios = [
        mc.objective(problem, labels) / mc.solve(problem, "gaec").objective
        for problem, labels in zip(problems, labels_of(*problems), strict=True)
    ]
    assert np.mean(ratios) > 0.99


def test_attraction_counts_however_small_it_is_beside_other_costs():
    problem = mc.Problem([[0, 1], [1, 2], [2, 3], [3, 4]], [1e-300, -1e300, 2e-300, 1e300])
    assert labels_of(problem, moves=False)[0].tolist() == [0, 0, 1, 1, 1]


def test_with_a_network_what_still_attracts_is_joined_too():
    problems = [mc.datasets.randommp(seed=seed) for seed in range(3)]
    labels = labels_of(*problems, model=small_contraction_network().double(), sure=(0.05,))
    assert len(np.concatenate([np.unique(part) for part in labels])) == max(map(max, labels)) + 1
    for problem, part in zip(problems, labels, strict=True):
        ends = part[problem.edges]
        keys, inverse = np.unique(np.sort(ends, axis=1), axis=0, return_inverse=True)
        between = np.bincount(inverse.ravel(), weights=problem.costs)[keys[:, 0] != keys[:, 1]]
        assert (between <= 1e-9).all()


def test_networks_of_the_paper_do_not_contract():
    batch = GraphBatch.from_problems(mc.datasets.irismp())
    with pytest.raises(TypeError, match=r"got one of architecture 'gcn_w'.*round_scores"):
        partition(batch, mc.load_model("gcn_w_bn-irismp"))


def test_a_precision_that_there_is_not():
    batch = GraphBatch.from_problems(mc.datasets.irismp())
    with pytest.raises(ValueError, match="precision must be one of float32, bfloat16, got"):
        partition(batch, precision="half")


def test_numbers_are_short_by_default_only_where_that_is_fast(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device", lambda _: contextlib.nullcontext())
    for has_bfloat16, expected in ((True, "bfloat16"), (False, "float32")):
        monkeypatch.setattr(
            torch.cuda,
            "is_bf16_supported",
            lambda including_emulation, has=has_bfloat16: has and not including_emulation,
        )
        assert fast_precision(torch.device("cuda")) == expected
        assert fast_precision(torch.device("cpu")) == "float32"


def test_with_proposals_a_network_is_never_worse_than_a_packing():
    """Not even one that knows nothing."""
    problems = [mc.datasets.randommp(seed=seed) for seed in range(5)]
    packed = labels_of(*problems)
    found = labels_of(*problems, model=small_contraction_network().double(), proposals=1)
    for problem, one, other in zip(problems, found, packed, strict=True):
        assert mc.objective(problem, one) <= mc.objective(problem, other) + 1e-9


def test_proposals_of_a_packing_are_worth_more_than_greedy_ones():
    problems = list(mc.datasets.RandomMP("valid")[:10])
    batch = GraphBatch.from_problems(problems)
    start = greedy_labels(batch)
    totals = []
    for proposer in (Proposer(greedy_labels, 0.3), PACKING):
        search = fusion_moves(batch, start, torch.Generator().manual_seed(0), proposers=[proposer])
        labels = next(itertools.islice(search, 1, None))
        u, v = batch.edges
        totals.append(float(batch.costs[labels[u] != labels[v]].double().sum()))
    assert totals[1] < totals[0]
