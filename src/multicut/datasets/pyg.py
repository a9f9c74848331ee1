"""Datasets as PyTorch Geometric data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._extras import needed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multicut.datasets.arrays import DatasetArrays


def to_data_list(arrays: DatasetArrays, *, both_directions: bool) -> list[Any]:
    """Make one ``Data`` per graph; all of them are views of few large tensors."""
    needed("torch", "torch_geometric", by="to_pyg")
    import torch
    from torch_geometric.data import Data

    edges = arrays.edges.T.astype(np.int64)
    weights = arrays.costs.astype(np.float32)
    cut = None if arrays.cut is None else arrays.cut.astype(np.float32)
    offsets = arrays.edge_offsets
    if both_directions:
        u, v = edges
        edges = np.stack([_doubled(arrays, u, v), _doubled(arrays, v, u)])
        weights = _doubled(arrays, weights, weights)
        cut = None if cut is None else _doubled(arrays, cut, cut)
        offsets = 2 * offsets
    edge_index = torch.from_numpy(np.ascontiguousarray(edges))
    edge_weight = torch.from_numpy(weights)
    edge_label = None if cut is None else torch.from_numpy(cut)
    objective = torch.from_numpy(np.array(arrays.objective))
    positions = None if arrays.positions is None else torch.from_numpy(np.array(arrays.positions))
    ends, nodes = offsets.tolist(), arrays.node_offsets.tolist()
    is_labelled = (~np.isnan(arrays.objective)).tolist()
    result = []
    for i in range(arrays.num_graphs):
        part = slice(ends[i], ends[i + 1])
        values = {
            "edge_index": edge_index[:, part],
            "edge_weight": edge_weight[part],
            "num_nodes": nodes[i + 1] - nodes[i],
        }
        if positions is not None:
            values["pos"] = positions[nodes[i] : nodes[i + 1]]
        if is_labelled[i]:
            values["objective"] = objective[i : i + 1]
            if edge_label is not None:
                values["edge_label"] = edge_label[part]
        result.append(Data(**values))
    return result


def _doubled(arrays: DatasetArrays, forth: NDArray[Any], back: NDArray[Any]) -> NDArray[Any]:
    """Put the values of both directions of each graph behind each other."""
    starts = np.repeat(arrays.edge_offsets[:-1], arrays.num_edges)
    sizes = np.repeat(arrays.num_edges, arrays.num_edges)
    places = np.arange(len(forth)) + starts
    result = np.empty(2 * len(forth), dtype=forth.dtype)
    result[places] = forth
    result[places + sizes] = back
    return result
