"""How good a network is: the paper's measures on labelled graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from multicut.nn.architectures import get_architecture
from multicut.nn.batch import GraphBatch
from multicut.nn.losses import binary_cross_entropy, cycle_consistency
from multicut.nn.model import Network
from multicut.nn.rounding import round_scores
from multicut.nn.search.contraction_rounds import contraction_rounds
from multicut.nn.threads import threads_for
from multicut.training.device_dataset import DeviceDataset

# An objective this much above the optimum, relative to it, still counts as optimal: costs are added
# up in another order than the exact solver does, and are known in single precision only.
_OPTIMAL = 1e-5

_EDGES_PER_BATCH = 2**18

_MEASURES = ("bce", "ccl", "feasible_ratio", "optimal_ratio", "objective_ratio")


@dataclass(frozen=True)
class Evaluation:
    """Means over graphs.

    Attributes
    ----------
    num_graphs
        How many graphs.
    bce
        Cross entropy to the optimal solutions, mean over edges; None where only their costs are
        known.
    ccl
        Cycle consistency loss (Eq. 9 with α = 1), mean over graphs; None where not asked for.
    feasible_ratio
        The share of graphs whose thresholded scores are a multicut before rounding.
    optimal_ratio
        The share of graphs whose solution is optimal after rounding.
    objective_ratio
        The optimal objective ratio max(0, c(y) / c(optimal y)) after rounding.
    by_dataset
        The objective ratio of each dataset, where there were several; then the other values are
        means by the weights of datasets, but for the number of graphs.
    """

    num_graphs: int
    bce: float | None
    ccl: float | None
    feasible_ratio: float
    optimal_ratio: float
    objective_ratio: float
    by_dataset: Mapping[str, float] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


@torch.no_grad()
def evaluate(
    predict: Callable[[GraphBatch], Tensor],
    dataset: DeviceDataset,
    *,
    max_cycle_length: int | None = None,
    find_cut: Callable[[GraphBatch], Tensor] | None = None,
) -> Evaluation:
    """Measure a network on graphs with known optima.

    Parameters
    ----------
    predict
        Returns one logit per edge: a network in evaluation mode.
    dataset
        Graphs whose optimal solutions, or at least the costs of these, are known.
    max_cycle_length
        Up to which length chordless cycles count for CCL; None leaves that measure out.
    find_cut
        Finds the edges that a partition cuts, for networks that do it in another way than by
        rounding once; by default, predictions are rounded.
    """
    if not dataset.has_objectives:
        raise ValueError("evaluation needs graphs with known optima; these have no labels")
    if dataset.num_graphs == 0:
        raise ValueError("evaluation needs at least one graph")
    # Sums stay on the device until the end.
    sums = torch.zeros(5, dtype=torch.float64, device=dataset.device)
    for chosen in _batches(dataset.arrays.edge_offsets):
        if max_cycle_length is None:
            batch, cycles = dataset.batch(chosen), None
        else:
            batch, cycles = dataset.batch_with_cycles(chosen, max_cycle_length)
        with threads_for(batch.num_edges, device=batch.device):
            logits = predict(batch)
            probabilities = torch.sigmoid(logits.float())
            rounding = round_scores(batch, probabilities)
            cut = rounding.cut if find_cut is None else find_cut(batch)
        ratios = objective_ratios(batch, cut, dataset.objectives(chosen))
        nothing = torch.zeros((), dtype=torch.float64, device=dataset.device)
        sums += torch.stack(
            [
                nothing
                if batch.cut is None
                else binary_cross_entropy(logits, batch, reduction="sum").double(),
                nothing
                if cycles is None
                else cycle_consistency(probabilities, batch, cycles, reduction="sum").double(),
                (rounding.num_infeasible == 0).sum().double(),
                (ratios >= 1 - _OPTIMAL).sum().double(),
                ratios.sum(),
            ]
        )
    bce, ccl, feasible, optimal, ratio = sums.tolist()
    count = dataset.num_graphs
    return Evaluation(
        num_graphs=count,
        bce=bce / max(int(dataset.arrays.edge_offsets[-1]), 1) if dataset.has_cuts else None,
        ccl=None if max_cycle_length is None else ccl / count,
        feasible_ratio=feasible / count,
        optimal_ratio=optimal / count,
        objective_ratio=ratio / count,
    )


def cut_finder(network: Network) -> Callable[[GraphBatch], Tensor] | None:
    """Return how a network finds the edges to cut, if not by rounding once: in its rounds."""
    if get_architecture(network.config.architecture).solver != "learned":
        return None

    def find(batch: GraphBatch) -> Tensor:
        labels = torch.arange(batch.num_nodes, device=batch.device)
        for state in contraction_rounds(network, batch):
            labels = state.labels
        return labels[batch.edges[0]] != labels[batch.edges[1]]

    return find


def mean_evaluation(
    evaluations: Mapping[str, Evaluation], weights: Mapping[str, float]
) -> Evaluation:
    """Return the weighted mean of evaluations of several datasets."""

    def mean(measure: str) -> float | None:
        values = {name: getattr(each, measure) for name, each in evaluations.items()}
        if any(value is None for value in values.values()):
            return None
        total = sum(weights[name] * value for name, value in values.items())
        return float(total / sum(weights[name] for name in values))

    return Evaluation(
        num_graphs=sum(each.num_graphs for each in evaluations.values()),
        **{name: mean(name) for name in _MEASURES},  # type: ignore[arg-type]
        by_dataset={name: each.objective_ratio for name, each in evaluations.items()},
    )


def objective_ratios(batch: GraphBatch, cut: Tensor, best: Tensor) -> Tensor:
    """Return max(0, c(y) / c(optimal y)) for each graph, in double precision; `best` is the latter.

    Where nothing is gained by any cut, c(optimal y) is 0 and the ratio is 1 for a solution that
    costs nothing and 0 for all others.
    """
    found = batch.objectives(cut)
    size = batch.sum_per_graph(batch.costs.double().abs())
    is_zero = best.abs() <= 1e-9 * size
    without_gain = (found <= 1e-9 * size).double()
    ratios = (found / torch.where(is_zero, 1.0, best)).clamp(min=0.0)
    return torch.where(is_zero, without_gain, ratios)


def _batches(
    edge_offsets: np.ndarray[Any, np.dtype[np.int64]],
) -> Iterator[np.ndarray[Any, np.dtype[np.int64]]]:
    """Cut a dataset into runs of graphs of a bounded number of edges, at least one graph each."""
    num_graphs = len(edge_offsets) - 1
    first = 0
    while first < num_graphs:
        limit = edge_offsets[first] + _EDGES_PER_BATCH
        last = max(int(np.searchsorted(edge_offsets, limit, side="right")) - 1, first + 1)
        yield np.arange(first, last)
        first = last
