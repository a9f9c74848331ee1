"""Datasets as PyTorch Geometric data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from multicut.datasets.arrays import DatasetArrays


def to_data_list(arrays: DatasetArrays, *, both_directions: bool) -> list[Any]:
    """Make one ``Data`` per graph; all of them are views of few large tensors."""
    import torch
    from torch_geometric.data import Data

    repeats = 2 if both_directions else 1
    order = _order_of_both_directions(arrays) if both_directions else slice(None)
    edges = arrays.edges.astype(np.int64)
    if both_directions:
        edges = np.concatenate([edges, edges[:, ::-1]])[order]
    # Sections of a tensor of shape (2, m) are views; PyG keeps them as they are.
    edge_index = torch.from_numpy(np.ascontiguousarray(edges.T))
    weights = _per_edge(arrays.costs.astype(np.float32), order, repeats)
    cut = None if arrays.cut is None else _per_edge(arrays.cut.astype(np.float32), order, repeats)
    positions = None if arrays.positions is None else torch.from_numpy(arrays.positions.copy())
    offsets = (repeats * arrays.edge_offsets).tolist()
    nodes = arrays.node_offsets.tolist()
    objective = torch.from_numpy(arrays.objective.astype(np.float64))
    is_labelled = (~np.isnan(arrays.objective)).tolist()
    result = []
    for i in range(arrays.num_graphs):
        part = slice(offsets[i], offsets[i + 1])
        data = Data(
            edge_index=edge_index[:, part],
            edge_weight=weights[part],
            num_nodes=nodes[i + 1] - nodes[i],
        )
        if positions is not None:
            data.pos = positions[nodes[i] : nodes[i + 1]]
        if is_labelled[i]:
            data.objective = objective[i : i + 1]
            if cut is not None:
                data.edge_label = cut[part]
        result.append(data)
    return result


def _order_of_both_directions(arrays: DatasetArrays) -> Any:
    """Return the order that puts the two directions of each graph behind each other."""
    graph = np.concatenate([2 * arrays.graph_of_edges(), 2 * arrays.graph_of_edges() + 1])
    return np.argsort(graph, kind="stable")


def _per_edge(values: Any, order: Any, repeats: int) -> Any:
    import torch

    return torch.from_numpy(np.ascontiguousarray(np.tile(values, repeats)[order]))
