"""Conversion of problems from and to graphs, matrices and tables of other packages."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._arrays import given_array
from multicut._extras import needed
from multicut._problem_arguments import as_costs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from multicut._arrays import BoolArray, FloatArray, IntArray
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


def from_networkx(graph: Any, cost: str) -> tuple[list[tuple[int, int]], list[Any], list[Any]]:
    """Return edges, costs and node ids of a ``networkx.Graph``."""
    _check_graph(graph, "networkx.Graph", "nodes", "edges")
    names = list(graph.nodes)
    index = {name: i for i, name in enumerate(names)}
    edges, costs = [], []
    for u, v, value in graph.edges(data=cost):
        if value is None:
            raise ValueError(
                f"edge ({u!r}, {v!r}) has no attribute {cost!r}; name the one that holds the "
                f"cost with cost=..."
            )
        if value != value:
            raise ValueError(f"edge ({u!r}, {v!r}) has the cost nan; drop or impute it")
        edges.append((index[u], index[v]))
        costs.append(value)
    return edges, costs, names


def from_igraph(graph: Any, cost: str) -> tuple[list[tuple[int, int]], list[Any], list[Any]]:
    """Return edges, costs and node ids of an ``igraph.Graph``."""
    _check_graph(graph, "igraph.Graph", "edge_attributes", "get_edgelist")
    if cost not in graph.edge_attributes() and graph.ecount() > 0:
        raise ValueError(
            f"the graph has no edge attribute {cost!r}, only {graph.edge_attributes()}; name "
            f"the one that holds the cost with cost=..."
        )
    names = graph.vs["name"] if "name" in graph.vertex_attributes() else range(graph.vcount())
    costs = graph.es[cost] if graph.ecount() > 0 else []
    return graph.get_edgelist(), costs, list(names)


def from_scipy(matrix: Any) -> tuple[NDArray[Any], FloatArray, int]:
    """Return edges, costs and the number of nodes of a sparse matrix."""
    if not hasattr(matrix, "tocoo"):
        raise TypeError(
            f"matrix must be sparse, got {type(matrix).__name__}; "
            f"wrap it in scipy.sparse.csr_array(...)"
        )
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"matrix must be square, got shape {matrix.shape}")
    entries = matrix.tocoo(copy=True)
    entries.sum_duplicates()
    edges = np.stack([entries.row, entries.col], axis=1).astype(np.int64, copy=False)
    costs = as_costs(entries.data, len(edges))
    return *_undirected(edges, costs, _rounding(entries.data)), matrix.shape[0]


def from_pyg(data: Any, cost: str | None) -> tuple[NDArray[Any], FloatArray, int, Any]:
    """Return edges, costs, the number of nodes and node ids of a ``torch_geometric.data.Data``."""
    _check_graph(data, "torch_geometric.data.Data", "edge_index")
    candidates = [cost] if cost is not None else ["edge_weight", "edge_attr"]
    values = next((v for name in candidates if (v := getattr(data, name, None)) is not None), None)
    if values is None:
        raise ValueError(
            f"data has no {' or '.join(candidates)}; name the attribute that holds the costs "
            f"with cost=..."
        )
    costs = given_array(values, "costs")
    if costs.ndim == 2 and costs.shape[1] == 1:
        costs = costs[:, 0]
    edges = given_array(data.edge_index, "edge_index").T
    with warnings.catch_warnings():
        # PyG warns when it has to infer the number of nodes; the largest index will do.
        warnings.simplefilter("ignore", UserWarning)
        num_nodes = data.num_nodes
    node_ids = getattr(data, "node_ids", None)
    return *_undirected(edges, as_costs(costs, len(edges))), num_nodes, node_ids


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
                    f"nodes must contain every node of the frame, but lack {values[unknown]!r} of "
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
            f"column {name!r} must contain real numbers, got {column.dtype}; convert it with "
            f"pandas.to_numeric"
        ) from None


def _both_directions(edges: IntArray) -> IntArray:
    return np.concatenate([edges, edges[:, ::-1]]).T


def _check_graph(value: object, kind: str, *attributes: str) -> None:
    if not all(hasattr(value, name) for name in attributes):
        raise TypeError(f"the graph must be a {kind}, got {type(value).__name__}")


def _rounding(values: NDArray[Any]) -> float:
    """Return the difference that rounding can make between two computations of one value."""
    if values.dtype.kind != "f":
        return 0.0
    finite = np.abs(values[np.isfinite(values)])
    return float(100 * np.finfo(values.dtype).eps * np.max(finite, initial=0.0))


def _undirected(
    edges: NDArray[Any], costs: FloatArray, tolerance: float = 0.0
) -> tuple[NDArray[Any], FloatArray]:
    """Keep one direction of each edge if all edges have both with equal costs; else keep all.

    Costs may differ by a tolerance; an edge whose |cost| is below it may have one direction only.
    """
    if tolerance > 0:
        lonely = (np.abs(costs) <= tolerance) & ~_has_reverse(edges)
        if lonely.any():
            some, some_costs = _undirected(edges[~lonely], costs[~lonely], tolerance)
            return np.concatenate([some, edges[lonely]]), np.append(some_costs, costs[lonely])
    forward: BoolArray = edges[:, 0] < edges[:, 1]
    backward: BoolArray = edges[:, 0] > edges[:, 1]
    if forward.sum() != backward.sum():
        return edges, costs
    there, back = edges[forward], edges[backward][:, ::-1]
    order = np.lexsort((costs[forward], there[:, 1], there[:, 0]))
    order_back = np.lexsort((costs[backward], back[:, 1], back[:, 0]))
    symmetric = np.array_equal(there[order], back[order_back]) and np.allclose(
        costs[forward][order], costs[backward][order_back], rtol=0, atol=tolerance
    )
    keep = ~backward if symmetric else slice(None)
    return edges[keep], costs[keep]


def _has_reverse(edges: NDArray[Any]) -> BoolArray:
    size = int(np.max(edges, initial=0)) + 1
    keys = edges[:, 0] * size + edges[:, 1]
    found: BoolArray = np.isin(edges[:, 1] * size + edges[:, 0], keys)
    return found
