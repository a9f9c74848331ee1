"""The solver ``learned`` on tensors."""

from __future__ import annotations

import signal

import pytest
import torch

import multicut as mc
from multicut.nn import GraphBatch
from multicut.nn.rounding import connected_components
from multicut.solvers.learned import packing_search


@pytest.mark.parametrize("when", ["at once", "after contraction"])
def test_ctrl_c_returns_the_best_so_far(monkeypatch, when):
    problem = mc.datasets.randommp(300, seed=1)
    batch = GraphBatch.from_problems(problem)
    whole = mc.solve(batch, "learned", effort="best")
    ever_better = packing_search.ever_better

    def pressed(*given, **options):
        for number, labels in enumerate(ever_better(*given, **options)):
            if when == "at once" or number == 30:
                signal.raise_signal(signal.SIGINT)
            yield labels

    monkeypatch.setattr(packing_search, "ever_better", pressed)
    result = mc.solve(batch, "learned", effort="best")
    assert result.stopped_by == "interrupt"
    assert result.objective <= min(0.0, float(problem.costs.sum())) + 1e-3
    assert result.objective >= whole.objective - 1e-3
    if when == "after contraction":
        assert result.objective <= 0.99 * mc.solve(problem, "gaec").objective
    # Ctrl-C is Python's again.
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("effort", ["fastest", "fast"])
def test_clusters_are_connected(effort):
    batch = GraphBatch.from_problems([mc.datasets.randommp(500, seed=seed) for seed in range(4)])
    labels = mc.solve_batch(batch, "learned", effort=effort).labels
    first, second = batch.edges
    parts = connected_components(batch.edges, labels[first] != labels[second], batch.num_nodes)
    assert len(torch.unique(parts)) == len(torch.unique(labels)) == int(labels.max()) + 1
