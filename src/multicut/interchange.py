"""Problems as graphs and tables of other packages, and from tables."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._extras import needed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from multicut._arrays import IntArray
    from multicut.problem import Problem


def need(module: str, what: str) -> Any:
    """Import a package that is not among the dependencies."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise ModuleNotFoundError(
            f"{what} needs {module}, which is not installed; pip install {module}", name=module
        ) from None


def to_networkx(problem: Problem, cost: str) -> Any:
    """Make a ``networkx.Graph``."""
    networkx = need("networkx", "to_networkx")
    graph = networkx.Graph()
    ids = problem.node_ids.tolist()
    graph.add_nodes_from(ids)
    graph.add_edges_from(
        (ids[u], ids[v], {cost: value})
        for (u, v), value in zip(problem.edges.tolist(), problem.costs.tolist(), strict=True)
    )
    return graph


def to_igraph(problem: Problem, cost: str) -> Any:
    """Make an ``igraph.Graph``."""
    igraph = need("igraph", "to_igraph")
    graph = igraph.Graph(problem.num_nodes, problem.edges.tolist())
    graph.es[cost] = problem.costs.tolist()
    if problem.has_own_ids:
        graph.vs["name"] = problem.node_ids.tolist()
    return graph


def to_scipy(problem: Problem) -> Any:
    """Make a symmetric ``scipy.sparse.csr_array``; costs of zero are stored."""
    from scipy.sparse import csr_array

    shape = (problem.num_nodes, problem.num_nodes)
    rows, columns = _both_directions(problem.edges)
    return csr_array((np.tile(problem.costs, 2), (rows, columns)), shape=shape)


def to_pyg(problem: Problem, *, both_directions: bool, dtype: Any) -> Any:
    """Make a ``torch_geometric.data.Data``."""
    needed("torch", "torch_geometric", by="to_pyg")
    import torch
    from torch_geometric import data

    ends = _both_directions(problem.edges) if both_directions else problem.edges.T
    costs = np.concatenate([problem.costs] * (1 + both_directions))
    graph = data.Data(
        edge_index=torch.from_numpy(np.array(ends, order="C")),
        edge_weight=torch.from_numpy(costs).to(torch.float64 if dtype is None else dtype),
        num_nodes=problem.num_nodes,
    )
    if problem.has_own_ids:
        graph.node_ids = problem.node_ids.tolist()
    return graph


def to_pandas(problem: Problem, source: str, target: str, cost: str) -> Any:
    """Make a ``pandas.DataFrame`` with one row per edge."""
    pandas = need("pandas", "to_pandas")
    ends = problem.node_ids[problem.edges]
    return pandas.DataFrame({source: ends[:, 0], target: ends[:, 1], cost: problem.costs})


def from_pandas(
    frame: Any, source: str, target: str, cost: str, nodes: Iterable[Any] | None
) -> tuple[IntArray, NDArray[Any], list[Any]]:
    """Return edges, costs and node ids of a frame with one row per edge."""
    pandas = need("pandas", "from_pandas")
    if not isinstance(frame, pandas.DataFrame):
        raise TypeError(f"frame must be a pandas.DataFrame, got {type(frame).__name__}")
    for argument, column in (("source", source), ("target", target), ("cost", cost)):
        if column not in frame.columns:
            raise ValueError(
                f"frame has no column {column!r}, only {list(frame.columns)}; name the one that "
                f"holds the {argument} with {argument}=..."
            )
    for column in (source, target, cost):
        several = int((frame.columns == column).sum())
        if several > 1:
            raise ValueError(
                f"frame has {several} columns {column!r}; rename or drop all but one of them"
            )
    for column in (source, target, cost):
        missing = np.flatnonzero(frame[column].isna().to_numpy())
        if len(missing):
            raise ValueError(
                f"column {column!r} has no value in row {frame.index[missing[0]]!r}; "
                f"drop or impute it"
            )
    given = list(frame[source].tolist()), list(frame[target].tolist())
    names = list(dict.fromkeys(name for pair in zip(*given, strict=True) for name in pair))
    if nodes is not None:
        names = list(nodes)
        known = set(names)
        for column, values in zip((source, target), given, strict=True):
            unknown = next((i for i, name in enumerate(values) if name not in known), None)
            if unknown is not None:
                raise ValueError(
                    f"nodes must hold every node of the frame, but lack {values[unknown]!r} of "
                    f"column {column!r}, row {frame.index[unknown]!r}"
                )
    position = {name: i for i, name in enumerate(names)}
    edges = np.array([[position[name] for name in column] for column in given], dtype=np.int64)
    return edges.T, _numbers(frame[cost], cost), names


def _numbers(column: Any, name: str) -> NDArray[Any]:
    try:
        return np.asarray(column.to_numpy(dtype=np.float64))
    except (TypeError, ValueError):
        raise TypeError(
            f"column {name!r} must hold real numbers, got {column.dtype}; convert it with "
            f"pandas.to_numeric"
        ) from None


def _both_directions(edges: IntArray) -> IntArray:
    return np.concatenate([edges, edges[:, ::-1]]).T
