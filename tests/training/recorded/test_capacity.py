from __future__ import annotations

import numpy as np
import pytest

from multicut.nn import GraphBatch
from multicut.nn.cycles import CycleSet
from multicut.training.recorded.capacity import Capacity
from tests.problems import random_problem


def equal(number: int) -> np.ndarray:
    return np.full(number, 1 / number)


def test_graphs_of_one_size_need_no_more_room_than_their_own():
    sizes = np.full(50, 64)
    room = Capacity.of_batches(10, equal(50), sizes, 2 * sizes, [3 * sizes])
    # A multiple of 128, and for nodes one more, so that padding edges have an end.
    assert (room.nodes, room.edges, room.cycles) == (640 + 128, 1280, (1920,))


def test_nearly_all_batches_fit():
    rng = np.random.default_rng(0)
    sizes = rng.integers(50, 150, size=1000)
    room = Capacity.of_batches(100, equal(1000), sizes, sizes)
    totals = rng.choice(sizes, size=(20_000, 100)).sum(axis=1)
    assert (totals > room.edges).mean() < 1e-3
    assert room.edges < 1.2 * totals.mean()


def test_there_is_never_room_for_much_more_than_the_mean():
    sizes = np.array([10] * 99 + [10_000])
    mean = float(sizes.mean())
    room = Capacity.of_batches(10, equal(100), sizes, sizes)
    assert room.edges <= 1.5 * 10 * mean + 128
    # Nor for more than the largest batch there can be.
    assert Capacity.of_batches(1, equal(2), np.array([1, 255]), np.array([1, 255])).edges == 256


def test_graphs_that_are_never_drawn_take_no_room():
    sizes, chances = np.array([100, 100_000]), np.array([1.0, 0.0])
    assert Capacity.of_batches(8, chances, sizes, sizes).edges == 896


def test_without_edges_there_is_room_for_one():
    nothing = np.zeros(4, dtype=np.int64)
    assert Capacity.of_batches(2, equal(4), np.ones(4), nothing).edges == 128


@pytest.fixture
def batch() -> tuple[GraphBatch, CycleSet]:
    graphs = GraphBatch.from_problems([random_problem(8, 0.6, seed=0)])
    return graphs, CycleSet.of(graphs, 8)


def test_a_batch_fits_if_all_its_parts_do(batch):
    graphs, cycles = batch
    counts = tuple(len(rows) for rows in cycles.rows)
    assert counts[0] > 0
    # One node has to be left over.
    exact = Capacity(graphs.num_nodes + 1, graphs.num_edges, counts)
    assert exact.holds(graphs, cycles)
    assert exact.holds(graphs, None)
    assert not Capacity(graphs.num_nodes, graphs.num_edges, counts).holds(graphs, cycles)
    assert not Capacity(exact.nodes, graphs.num_edges - 1, counts).holds(graphs, cycles)
    fewer = (counts[0] - 1, *counts[1:])
    assert not Capacity(exact.nodes, exact.edges, fewer).holds(graphs, cycles)
    assert Capacity(exact.nodes, exact.edges).holds(graphs, None)
    assert not Capacity(exact.nodes, exact.edges).holds(graphs, cycles)
