from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import multicut as mc
from multicut.nn import GraphBatch, partition
from multicut.nn.search.fusion_moves import fuse, fusion_moves, join_and_move
from multicut.nn.search.moves import improve_by_moves
from tests.problems import optimum, random_problem


def batch_of(*problems: mc.Problem) -> GraphBatch:
    return GraphBatch.from_problems(problems, dtype=torch.float64)


def random_labels(num_nodes: int, seed: int) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).integers(0, 4, num_nodes))


def best_single_move(problem: mc.Problem, labels: np.ndarray) -> float:
    """The least objective that one node can reach by moving anywhere, from the definition."""
    found = []
    for node in range(problem.num_nodes):
        for label in [*np.unique(labels), labels.max() + 1]:
            moved = labels.copy()
            moved[node] = label
            found.append(mc.objective(problem, moved))
    return min(found)


@settings(max_examples=100)
@given(seed=st.integers(0, 10**6), density=st.floats(0, 1), integers=st.booleans())
def test_no_node_has_anything_to_gain_in_the_end(seed, density, integers):
    problem = random_problem(9, density, seed, integers)
    labels = random_labels(9, seed)
    before = mc.objective(problem, labels.numpy())
    after = improve_by_moves(batch_of(problem), labels, max_rounds=1000).numpy()
    found = mc.objective(problem, after)
    assert found <= before + 1e-9
    assert best_single_move(problem, after) >= found - 1e-4
    assert set(after) == set(range(after.max() + 1))


def test_each_round_gains():
    problem = mc.datasets.randommp(seed=3)
    batch = batch_of(problem)
    values = [
        mc.objective(problem, improve_by_moves(batch, torch.arange(batch.num_nodes), max_rounds=n))
        for n in range(8)
    ]
    assert all(after <= before for before, after in itertools.pairwise(values))
    assert values[-1] < values[0]


def test_neighbours_do_not_move_at_once():
    # Each alone gains by joining the other; both at once would only change places.
    batch = batch_of(mc.Problem([[0, 1]], [1.0]))
    assert improve_by_moves(batch, torch.tensor([0, 1]), max_rounds=1).tolist() == [0, 0]


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6))
def test_fused_partitions_are_no_worse_than_either(seed):
    problems = [random_problem(8, 0.5, seed + i) for i in range(3)]
    batch = batch_of(*problems)
    offsets = batch.graph_of_node() * 4
    one, other = (
        (random_labels(24, seed + i) + offsets).unique(return_inverse=True)[1] for i in (1, 2)
    )
    fused = fuse(batch, one, other)
    values = [batch.objectives(x[batch.edges[0]] != x[batch.edges[1]]) for x in (fused, one, other)]
    assert (values[0] <= torch.minimum(values[1], values[2]) + 1e-9).all()


def test_fusion_takes_over_regions_not_the_whole():
    # Two pairs that attract; each partition joins one of them.
    batch = batch_of(mc.Problem([[0, 1], [1, 2], [2, 3]], [1.0, -1.0, 1.0]))
    fused = fuse(batch, torch.tensor([0, 0, 1, 2]), torch.tensor([0, 1, 2, 2]))
    assert fused.tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])


def test_fusion_moves_reach_optima_of_small_graphs():
    problems = [random_problem(7, 0.8, seed) for seed in range(20)]
    labels = partition(batch_of(*problems), proposals=25)
    found = [
        mc.objective(problem, labels[7 * i : 7 * i + 7].numpy())
        for i, problem in enumerate(problems)
    ]
    hits = [value <= optimum(p) + 1e-9 for value, p in zip(found, problems, strict=True)]
    assert sum(hits) >= 19


def test_moves_and_fusion_beat_greedy_on_average():
    graphs = mc.datasets.RandomMP("valid")[:10]
    batch = batch_of(*graphs)
    best = torch.tensor(graphs.objective)

    def ratio(**options):
        labels = partition(batch, **options)
        return float(
            (batch.objectives(labels[batch.edges[0]] != labels[batch.edges[1]]) / best).mean()
        )

    greedy, moved, fused = ratio(moves=False), ratio(), ratio(proposals=15)
    assert greedy < moved < fused
    assert fused > 0.9995


def test_the_seed_decides():
    batch = batch_of(mc.datasets.randommp(seed=1))
    first, again, other = (partition(batch, proposals=3, seed=seed) for seed in (5, 5, 6))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


@pytest.mark.parametrize("num_nodes", [0, 1, 4])
def test_without_edges_nothing_happens(num_nodes):
    batch = batch_of(mc.Problem(np.empty((0, 2), int), [], num_nodes=num_nodes))
    nodes = torch.arange(num_nodes)
    assert torch.equal(partition(batch, proposals=2), nodes)
    assert torch.equal(join_and_move(batch, nodes), nodes)
    generator = torch.Generator()
    assert torch.equal(next(fusion_moves(batch, nodes, generator)), nodes)


def test_an_exception_after_a_round_ends_the_search():
    batch = batch_of(mc.datasets.randommp(seed=1))

    def end():
        raise TimeoutError

    with pytest.raises(TimeoutError):
        partition(batch, after_step=end)


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), integers=st.booleans())
def test_graphs_of_any_scale_are_treated_alike_side_by_side(seed, integers):
    scales = [1.0, 2.0**-1000, 2.0**1000, 2.0**40]
    plain = random_problem(10, 0.6, seed, integers)
    problems = [mc.Problem(plain.edges, plain.costs * s, num_nodes=10) for s in scales]
    batch = batch_of(*problems)
    first, second = random_labels(10, seed), random_labels(10, seed + 1)
    offsets = 4 * torch.arange(len(scales)).repeat_interleave(10)
    one, other = (x.repeat(len(scales)) + offsets for x in (first, second))
    one, other = (x.unique(return_inverse=True)[1] for x in (one, other))
    for found in (
        improve_by_moves(batch, one),
        fuse(batch, one, other),
        join_and_move(batch, one),
        partition(batch),
    ):
        parts = [mc.partition.canonical(part.numpy()).tolist() for part in found.split(10)]
        assert all(part == parts[0] for part in parts)


def test_noise_is_of_the_scale_of_its_graph():
    graphs = [mc.datasets.randommp(seed=1), mc.datasets.randommp(seed=2)]
    small = mc.Problem(graphs[1].edges, graphs[1].costs * 1e-30)
    batch = batch_of(graphs[0], small)
    greedy, fused = partition(batch), partition(batch, proposals=10)
    before, after = (
        mc.objective(small, labels[graphs[0].num_nodes :].numpy()) for labels in (greedy, fused)
    )
    assert after < before
