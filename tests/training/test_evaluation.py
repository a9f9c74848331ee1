"""The measures of validation, against solutions whose quality is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

import multicut as mc
from multicut.nn import GraphBatch
from multicut.nn.cycles import CycleSet
from multicut.training import DeviceDataset, evaluate
from multicut.training.evaluation import objective_ratios


def exact(count: int) -> mc.Dataset:
    graphs = mc.datasets.generate("irismp", count)
    return graphs.with_results(mc.solve_batch(graphs, "ilp", num_workers=1))


@pytest.fixture(scope="module")
def graphs() -> mc.Dataset:
    return exact(6)


def as_logits(cut: torch.Tensor) -> torch.Tensor:
    return torch.where(cut > 0.5, 30.0, -30.0)


def test_the_optimum_is_optimal(graphs: mc.Dataset) -> None:
    dataset = DeviceDataset(graphs.arrays(), "cpu")
    result = evaluate(lambda batch: as_logits(batch.cut), dataset, max_cycle_length=3)
    assert result.num_graphs == 6
    assert result.objective_ratio == pytest.approx(1.0)
    assert result.optimal_ratio == result.feasible_ratio == 1.0
    assert result.bce < 1e-9
    assert result.ccl == pytest.approx(0.0, abs=1e-6)


def test_measures_of_a_heuristic(graphs: mc.Dataset) -> None:
    dataset = DeviceDataset(graphs.arrays(), "cpu")
    results = mc.solve_batch(list(graphs), "greedy-fixation", num_workers=1)
    cut = torch.from_numpy(np.concatenate([r.cut for r in results]))
    ratios = np.array([r.objective for r in results]) / graphs.objective
    result = evaluate(lambda _: as_logits(cut), dataset)
    assert result.ccl is None
    assert result.feasible_ratio == 1.0
    assert result.objective_ratio == pytest.approx(ratios.mean(), rel=1e-6)
    assert result.optimal_ratio == pytest.approx((ratios > 1 - 1e-6).mean())


def test_scores_that_are_no_multicut(graphs: mc.Dataset) -> None:
    """One cut edge in a complete graph is reinstated, and the ratio is that of no cut at all."""
    dataset = DeviceDataset(graphs.arrays(), "cpu")

    def predict(batch: GraphBatch) -> torch.Tensor:
        cut = torch.zeros(batch.num_edges)
        cut[batch.edge_offsets[:-1]] = 1.0
        return as_logits(cut)

    result = evaluate(predict, dataset, max_cycle_length=3)
    assert result.feasible_ratio == result.optimal_ratio == result.objective_ratio == 0.0
    # Each of the n − 2 triangles at the edge is cut once.
    assert result.ccl == pytest.approx((graphs.num_nodes - 2).mean(), rel=1e-5)


def test_large_datasets_are_cut_into_batches(
    graphs: mc.Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = DeviceDataset(graphs.arrays(), "cpu")
    weights = torch.linspace(-2, 2, int(graphs.num_nodes.max()))

    def predict(batch: GraphBatch) -> torch.Tensor:
        local = batch.edges - batch.node_offsets[batch.graph_of_edge()]
        return weights[local[0]] + weights[local[1]] - 0.1 * batch.costs

    whole = evaluate(predict, dataset, max_cycle_length=3)
    monkeypatch.setattr("multicut.training.evaluation._EDGES_PER_BATCH", 300)
    assert evaluate(predict, dataset, max_cycle_length=3).to_dict() == pytest.approx(
        whole.to_dict()
    )


def test_graphs_where_nothing_is_to_be_gained() -> None:
    attractive = mc.Problem([[0, 1], [1, 2]], [1.0, 2.0])
    batch = GraphBatch.from_problems(
        [attractive, attractive, attractive], cuts=[[False, False]] * 3
    )
    cut = torch.tensor([False, False, True, False, True, True])
    assert objective_ratios(batch, cut, torch.zeros(3).double()).tolist() == [1.0, 0.0, 0.0]


def test_ccl_is_that_of_the_batch(graphs: mc.Dataset) -> None:
    dataset = DeviceDataset(graphs.arrays(), "cpu")
    batch = dataset.batch(np.arange(6))
    from multicut.nn.losses import cycle_consistency

    logits = torch.randn(batch.num_edges, generator=torch.Generator().manual_seed(0))
    result = evaluate(lambda _: logits, dataset, max_cycle_length=3)
    expected = cycle_consistency(torch.sigmoid(logits), batch, CycleSet.of(batch, 3))
    assert result.ccl == pytest.approx(expected.item(), rel=1e-5)


def test_costs_of_optima_are_enough(graphs: mc.Dataset) -> None:
    arrays = replace(graphs.arrays(), cut=None)
    result = evaluate(lambda batch: -batch.costs, DeviceDataset(arrays, "cpu"))
    labelled = evaluate(lambda batch: -batch.costs, DeviceDataset(graphs.arrays(), "cpu"))
    assert result.bce is None
    assert labelled.bce is not None
    assert result.objective_ratio == labelled.objective_ratio


def test_labels_are_needed() -> None:
    unlabelled = DeviceDataset(mc.datasets.generate("irismp", 2).arrays(), "cpu")
    with pytest.raises(ValueError, match="evaluation needs graphs with known optima"):
        evaluate(lambda batch: batch.costs, unlabelled)
    empty = DeviceDataset(exact(1)[:0].arrays(), "cpu")
    with pytest.raises(ValueError, match="at least one graph"):
        evaluate(lambda batch: batch.costs, empty)
