"""Datasets as PyTorch Geometric data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._extras import needed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multicut._arrays import FloatArray, IntArray
    from multicut.datasets.arrays import DatasetArrays


def to_data_list(arrays: DatasetArrays, *, both_directions: bool) -> list[Any]:
    """Make one ``Data`` per graph; all of them are views of few large tensors."""
    needed("torch", "torch_geometric", by="to_pyg")
    import torch
    from torch_geometric.data import Data

    cut = None if arrays.cut is None else arrays.cut.astype(np.float32)
    if both_directions and cut is not None:
        cut = _doubled(arrays.edge_offsets, cut, cut)
    edge_index, edge_weight, offsets = _tensors(
        arrays.edges, arrays.costs, arrays.edge_offsets, both_directions
    )
    lifted: list[Any] = []
    if (
        arrays.lifted_edges is not None
        and arrays.lifted_costs is not None
        and arrays.lifted_offsets is not None
    ):
        lifted = _tensors(
            arrays.lifted_edges, arrays.lifted_costs, arrays.lifted_offsets, both_directions
        )
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
        if lifted:
            index, weights, starts = lifted
            own = slice(starts[i], starts[i + 1])
            values["lifted_edge_index"] = index[:, own]
            values["lifted_edge_weight"] = weights[own]
        if positions is not None:
            values["pos"] = positions[nodes[i] : nodes[i + 1]]
        if is_labelled[i]:
            values["objective"] = objective[i : i + 1]
            if edge_label is not None:
                values["edge_label"] = edge_label[part]
        result.append(Data(**values))
    return result


def _tensors(
    edges: NDArray[np.int32], costs: FloatArray, offsets: IntArray, both_directions: bool
) -> list[Any]:
    """Return the ends and costs of edges as tensors, and where those of each graph begin."""
    import torch

    ends = edges.T.astype(np.int64)
    weights = costs.astype(np.float32)
    if both_directions:
        u, v = ends
        ends = np.stack([_doubled(offsets, u, v), _doubled(offsets, v, u)])
        weights = _doubled(offsets, weights, weights)
        offsets = 2 * offsets
    return [torch.from_numpy(np.ascontiguousarray(ends)), torch.from_numpy(weights), offsets]


def _doubled(offsets: IntArray, forth: NDArray[Any], back: NDArray[Any]) -> NDArray[Any]:
    """Put the values of both directions of each graph behind each other."""
    counts = np.diff(offsets)
    starts = np.repeat(offsets[:-1], counts)
    sizes = np.repeat(counts, counts)
    places = np.arange(len(forth)) + starts
    result = np.empty(2 * len(forth), dtype=forth.dtype)
    result[places] = forth
    result[places + sizes] = back
    return result
