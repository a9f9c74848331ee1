"""The statistics of a dataset, as the published tables have them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np

from multicut._arrays import FloatArray
from multicut.datasets.arrays import DatasetArrays
from multicut.datasets.dataset import Dataset


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation over graphs."""

    mean: float
    deviation: float

    @classmethod
    def of(cls, values: Any) -> Self | None:
        """Return both, of graphs where there is a value; None if there is none."""
        known = np.asarray(values, dtype=np.float64)
        known = known[~np.isnan(known)]
        return cls(float(known.mean()), float(known.std())) if len(known) else None


@dataclass(frozen=True)
class Statistics:
    """One column of a table.

    Attributes
    ----------
    num_graphs
        The number of graphs.
    num_nodes, num_edges, num_lifted_edges
        Nodes, edges and lifted edges of a graph; the last is None if no graph has any.
    cost_min, cost_mean, cost_max
        The smallest, the mean and the largest cost of a graph.
    negative, optimum, all_cut, positive
        Means over graphs of a cost divided by the number of edges: of cutting all negative edges
        (a lower bound), of the best known solution, of cutting all edges, and of cutting all
        positive ones.
    num_labelled, num_optimal
        How many graphs have a solution, and one that is proven to be optimal.
    largest_gap
        The largest relative gap between a solution and its lower bound; None if there are no
        bounds.

    Costs are those of edges and lifted edges alike.
    """

    num_graphs: int
    num_nodes: Spread | None
    num_edges: Spread | None
    cost_min: Spread | None
    cost_mean: Spread | None
    cost_max: Spread | None
    negative: float | None
    optimum: float | None
    all_cut: float | None
    positive: float | None
    num_labelled: int | None = None
    num_optimal: int | None = None
    largest_gap: float | None = None
    num_lifted_edges: Spread | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


def describe_dataset(dataset: Dataset) -> Statistics:
    """Collect the statistics of a dataset.

    Edges of infinite cost are constraints and do not count.
    """
    arrays = _with_lifted_costs(dataset.arrays())
    finite = np.isfinite(arrays.costs)
    costs = np.where(finite, arrays.costs, 0.0)
    count = arrays.per_graph(finite.astype(np.float64))
    has_edges = count > 0

    def per_edge(values: FloatArray) -> FloatArray:
        result = np.full(len(count), np.nan)
        result[has_edges] = values[has_edges] / count[has_edges]
        return result

    means = {
        "negative": per_edge(arrays.per_graph(np.minimum(costs, 0.0))),
        "optimum": per_edge(arrays.objective),
        "all_cut": per_edge(arrays.per_graph(costs)),
        "positive": per_edge(arrays.per_graph(np.maximum(costs, 0.0))),
    }
    gaps = dataset.gap[np.isfinite(dataset.gap)]
    spreads = {name: Spread.of(values) for name, values in means.items()}
    return Statistics(
        num_graphs=len(dataset),
        num_nodes=Spread.of(arrays.num_nodes),
        num_edges=Spread.of(dataset.num_edges),
        num_lifted_edges=Spread.of(dataset.num_lifted_edges) if dataset.is_lifted else None,
        cost_min=Spread.of(_extreme(arrays, np.where(finite, arrays.costs, np.inf), np.minimum)),
        cost_mean=spreads["all_cut"],
        cost_max=Spread.of(_extreme(arrays, np.where(finite, arrays.costs, -np.inf), np.maximum)),
        num_labelled=int(dataset.labelled.sum()),
        num_optimal=int(dataset.optimal.sum()),
        largest_gap=float(gaps.max()) if len(gaps) else None,
        **{name: None if spread is None else spread.mean for name, spread in spreads.items()},
    )


def _with_lifted_costs(arrays: DatasetArrays) -> DatasetArrays:
    """Return the graphs with lifted edges among the others."""
    if arrays.lifted_edges is None or arrays.lifted_costs is None or arrays.lifted_offsets is None:
        return arrays
    graphs = [np.repeat(np.arange(arrays.num_graphs), arrays.num_lifted_edges)]
    order = np.argsort(np.concatenate([arrays.graph_of_edges(), *graphs]), kind="stable")
    return DatasetArrays(
        arrays.node_offsets,
        arrays.edge_offsets + arrays.lifted_offsets,
        np.concatenate([arrays.edges, arrays.lifted_edges])[order],
        np.concatenate([arrays.costs, arrays.lifted_costs])[order],
        None,
        arrays.objective,
        arrays.lower_bound,
    )


def _extreme(arrays: DatasetArrays, costs: FloatArray, pick: np.ufunc) -> FloatArray:
    """Return the smallest or largest cost of each graph; nan for graphs without edges."""
    result = np.full(arrays.num_graphs, np.nan)
    occupied = arrays.num_edges > 0
    if occupied.any():
        # Empty sections would take the value of the next one, so they are left out.
        result[occupied] = pick.reduceat(costs, arrays.edge_offsets[:-1][occupied])
    return np.where(np.isinf(result), np.nan, result)
