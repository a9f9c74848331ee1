"""Batches put together on the device are those put together from problems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import multicut as mc
from multicut.nn import GraphBatch
from multicut.nn.cycles import CycleSet
from multicut.training import DeviceDataset


def mixed_problems() -> list[mc.Problem]:
    return [
        mc.datasets.randommp(25, seed=1),
        mc.Problem(np.empty((0, 2), dtype=np.int64), [], num_nodes=3),
        mc.Problem([[0, 1], [1, 2], [0, 2]], [1.0, -2.0, 0.5]),
        mc.datasets.irismp(seed=2),
        mc.Problem(np.empty((0, 2), dtype=np.int64), [], num_nodes=0),
    ]


@pytest.fixture(scope="module")
def dataset() -> DeviceDataset:
    problems = mixed_problems()
    results = mc.solve_batch(problems, "gaec", num_workers=1)
    return DeviceDataset(mc.Dataset.from_problems(problems, results).arrays(), "cpu")


@settings(max_examples=40, deadline=None)
@given(chosen=st.lists(st.integers(0, 4), max_size=7))
def test_batches_are_those_of_problems(dataset: DeviceDataset, chosen: list[int]) -> None:
    problems = [mixed_problems()[i] for i in chosen]
    cuts = [mc.solve(problem, "gaec").cut for problem in problems]
    expected = GraphBatch.from_problems(problems, cuts=cuts)
    batch, cycles = dataset.batch_with_cycles(np.array(chosen, dtype=np.int64), 8)
    assert batch.num_nodes == expected.num_nodes
    for name in ("edges", "costs", "node_offsets", "edge_offsets", "cut"):
        got, wanted = getattr(batch, name), getattr(expected, name)
        assert got.dtype == wanted.dtype, name
        torch.testing.assert_close(got, wanted, rtol=0, atol=0)
    for got, wanted in zip(cycles.rows, CycleSet.of(expected, 8).rows, strict=True):
        assert got.dtype == torch.int32
        torch.testing.assert_close(got, wanted, rtol=0, atol=0)
    assert cycles.num_edges == batch.num_edges


def test_without_cycles_the_graphs_are_the_same(dataset: DeviceDataset) -> None:
    chosen = np.array([3, 0])
    torch.testing.assert_close(
        dataset.batch(chosen).edges, dataset.batch_with_cycles(chosen, 3)[0].edges
    )


def test_graphs_without_labels_have_no_cut() -> None:
    dataset = DeviceDataset(mc.datasets.generate("irismp", 2).arrays(), "cpu")
    assert not dataset.has_cuts
    assert not dataset.has_objectives
    assert dataset.batch(np.array([1])).cut is None


def test_some_labels_are_not_enough() -> None:
    problems = mixed_problems()[:2]
    labelled = mc.Dataset.from_problems(problems, mc.solve_batch(problems, "gaec"))
    arrays = mc.datasets.DatasetArrays.concatenate(
        [labelled.arrays(), mc.datasets.generate("irismp", 1).arrays()]
    )
    assert not DeviceDataset(arrays, "cpu").has_objectives
    # A cost without a solution is no label to learn from.
    arrays = replace(labelled.arrays(), objective=labelled.objective - 1.0)
    dataset = DeviceDataset(arrays, "cpu")
    assert dataset.has_objectives
    assert not dataset.has_cuts
    assert dataset.batch(np.array([0])).cut is None


def test_infinite_costs_are_refused() -> None:
    problems = [mc.datasets.irismp(), mc.Problem([[0, 1]], [float("inf")])]
    with pytest.raises(ValueError, match=r"finite in single precision, got inf in graph 1"):
        DeviceDataset(mc.Dataset.from_problems(problems).arrays(), "cpu")
    problems[1] = mc.Problem([[0, 1]], [1e39])
    with pytest.raises(ValueError, match=r"finite in single precision, got 1e\+39 in graph 1"):
        DeviceDataset(mc.Dataset.from_problems(problems).arrays(), "cpu")


def test_too_many_cycles_are_refused() -> None:
    dataset = DeviceDataset(mc.datasets.generate("irismp", 2).arrays(), "cpu", max_cycles=10)
    with pytest.raises(ValueError, match="graph 0 has more than 10 chordless cycles"):
        dataset.list_cycles(3)
