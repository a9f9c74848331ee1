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


#: The attribute or column that marks lifted edges.
LIFTED = "lifted"


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
    """Make a ``networkx.Graph``, or a ``MultiGraph`` if lifted edges are parallel to edges."""
    networkx = need("networkx", "to_networkx")
    is_multigraph = problem.is_lifted and _has_parallel_edges(problem)
    graph = networkx.MultiGraph() if is_multigraph else networkx.Graph()
    ids = problem.node_ids.tolist()
    graph.add_nodes_from(ids)
    graph.add_edges_from(
        (ids[u], ids[v], {cost: value})
        for (u, v), value in zip(problem.edges.tolist(), problem.costs.tolist(), strict=True)
    )
    lifted = zip(problem.lifted_edges.tolist(), problem.lifted_costs.tolist(), strict=True)
    graph.add_edges_from((ids[u], ids[v], {cost: c, LIFTED: True}) for (u, v), c in lifted)
    return graph


def to_igraph(problem: Problem, cost: str) -> Any:
    """Make an ``igraph.Graph``."""
    igraph = need("igraph", "to_igraph")
    graph = igraph.Graph(problem.num_nodes, problem.edges.tolist() + problem.lifted_edges.tolist())
    graph.es[cost] = problem.costs.tolist() + problem.lifted_costs.tolist()
    if problem.is_lifted:
        graph.es[LIFTED] = _lifted_flags(problem).tolist()
    if problem.has_own_ids:
        graph.vs["name"] = problem.node_ids.tolist()
    return graph


def to_scipy(problem: Problem) -> Any:
    """Make a symmetric ``scipy.sparse.csr_array``; costs of zero are stored."""
    from scipy.sparse import csr_array

    if problem.is_lifted:
        raise ValueError(
            f"a matrix holds no lifted edges, got {problem.num_lifted_edges}; use to_networkx, "
            f"to_pandas or to_pyg"
        )
    shape = (problem.num_nodes, problem.num_nodes)
    rows, columns = _both_directions(problem.edges)
    return csr_array((np.tile(problem.costs, 2), (rows, columns)), shape=shape)


def to_pyg(problem: Problem, *, both_directions: bool, dtype: Any) -> Any:
    """Make a ``torch_geometric.data.Data``."""
    needed("torch", "torch_geometric", by="to_pyg")
    import torch
    from torch_geometric import data

    def tensors(edges: IntArray, costs: FloatArray) -> tuple[Any, Any]:
        ends = _both_directions(edges) if both_directions else edges.T
        weights = np.concatenate([costs] * (1 + both_directions))
        return (
            torch.from_numpy(np.array(ends, order="C")),
            torch.from_numpy(weights).to(torch.float64 if dtype is None else dtype),
        )

    index, weights = tensors(problem.edges, problem.costs)
    graph = data.Data(edge_index=index, edge_weight=weights, num_nodes=problem.num_nodes)
    if problem.is_lifted:
        # Attributes of these names are numbered on as edge_index is where PyG batches graphs.
        graph.lifted_edge_index, graph.lifted_edge_weight = tensors(
            problem.lifted_edges, problem.lifted_costs
        )
    if problem.has_own_ids:
        graph.node_ids = problem.node_ids.tolist()
    return graph


def to_pandas(problem: Problem, source: str, target: str, cost: str) -> Any:
    """Make a ``pandas.DataFrame`` with one row per edge."""
    pandas = need("pandas", "to_pandas")
    ends = problem.node_ids[np.concatenate([problem.edges, problem.lifted_edges])]
    costs = np.concatenate([problem.costs, problem.lifted_costs])
    columns = {source: ends[:, 0], target: ends[:, 1], cost: costs}
    if problem.is_lifted:
        columns[LIFTED] = _lifted_flags(problem)
    return pandas.DataFrame(columns)


def _lifted_flags(problem: Problem) -> BoolArray:
    return np.arange(problem.num_edges + problem.num_lifted_edges) >= problem.num_edges


def _has_parallel_edges(problem: Problem) -> bool:
    own, lifted = (
        {tuple(pair) for pair in np.sort(edges, axis=1).tolist()}
        for edges in (problem.edges, problem.lifted_edges)
    )
    return not own.isdisjoint(lifted)


def _divided(edges: Any, costs: Any, is_lifted: BoolArray) -> Any:
    """Return edges and costs of the ordinary edges, and keyword arguments for the lifted ones."""
    if not is_lifted.any():
        return edges, costs, {}
    pairs: NDArray[Any] = np.asarray(edges).reshape(-1, 2)
    values = np.asarray(costs)
    lifted = {"lifted_edges": pairs[is_lifted], "lifted_costs": values[is_lifted]}
    return pairs[~is_lifted], values[~is_lifted], lifted


def from_networkx(graph: Any, cost: str) -> tuple[Any, Any, dict[str, Any], list[Any]]:
    """Return edges, costs, lifted edges and node ids of a ``networkx.Graph``."""
    _check_graph(graph, "networkx.Graph", "nodes", "edges")
    names = list(graph.nodes)
    index = {name: i for i, name in enumerate(names)}
    edges, costs, flags = [], [], []
    for u, v, attributes in graph.edges(data=True):
        value = attributes.get(cost)
        if value is None:
            raise ValueError(
                f"edge ({u!r}, {v!r}) has no attribute {cost!r}; name the one that holds the "
                f"cost with cost=..."
            )
        if value != value:
            raise ValueError(f"edge ({u!r}, {v!r}) has the cost nan; drop or impute it")
        edges.append((index[u], index[v]))
        costs.append(value)
        flags.append(bool(attributes.get(LIFTED, False)))
    return *_divided(edges, costs, np.array(flags, dtype=np.bool_)), names


def from_igraph(graph: Any, cost: str) -> tuple[Any, Any, dict[str, Any], list[Any]]:
    """Return edges, costs, lifted edges and node ids of an ``igraph.Graph``."""
    _check_graph(graph, "igraph.Graph", "edge_attributes", "get_edgelist")
    if cost not in graph.edge_attributes() and graph.ecount() > 0:
        raise ValueError(
            f"the graph has no edge attribute {cost!r}, only {graph.edge_attributes()}; name "
            f"the one that holds the cost with cost=..."
        )
    names = graph.vs["name"] if "name" in graph.vertex_attributes() else range(graph.vcount())
    costs = graph.es[cost] if graph.ecount() > 0 else []
    flags = graph.es[LIFTED] if LIFTED in graph.edge_attributes() else [False] * graph.ecount()
    is_lifted = np.array(list(map(bool, flags)), dtype=np.bool_)
    return *_divided(graph.get_edgelist(), costs, is_lifted), list(names)


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


def from_pyg(
    data: Any, cost: str | None
) -> tuple[NDArray[Any], FloatArray, dict[str, Any], int, Any]:
    """Return edges, costs, lifted edges, the number of nodes and node ids of a PyG ``Data``."""
    _check_graph(data, "torch_geometric.data.Data", "edge_index")
    candidates = [cost] if cost is not None else ["edge_weight", "edge_attr"]
    values = next((v for name in candidates if (v := getattr(data, name, None)) is not None), None)
    if values is None:
        raise ValueError(
            f"data has no {' or '.join(candidates)}; name the attribute that holds the costs "
            f"with cost=..."
        )
    edges, costs = _pyg_edges(data.edge_index, values, "edge_index", "costs")
    lifted = {}
    lifted_index = getattr(data, "lifted_edge_index", None)
    if lifted_index is not None:
        weights = getattr(data, "lifted_edge_weight", None)
        if weights is None:
            raise ValueError("data has lifted_edge_index but no lifted_edge_weight; add the costs")
        names = ("lifted_edge_index", "lifted_edge_weight")
        lifted["lifted_edges"], lifted["lifted_costs"] = _pyg_edges(lifted_index, weights, *names)
    with warnings.catch_warnings():
        # PyG warns when it has to infer the number of nodes; the largest index will do.
        warnings.simplefilter("ignore", UserWarning)
        num_nodes = data.num_nodes
    node_ids = getattr(data, "node_ids", None)
    return edges, costs, lifted, num_nodes, node_ids


def _pyg_edges(
    index: Any, values: Any, index_name: str, values_name: str
) -> tuple[NDArray[Any], FloatArray]:
    costs = given_array(values, values_name)
    if costs.ndim == 2 and costs.shape[1] == 1:
        costs = costs[:, 0]
    edges = given_array(index, index_name).T
    return _undirected(edges, as_costs(costs, len(edges), values_name))


def from_pandas(
    frame: Any, source: str, target: str, cost: str, nodes: Iterable[Any] | None
) -> tuple[IntArray, NDArray[Any], dict[str, Any], list[Any]]:
    """Return edges, costs, lifted edges and node ids of a frame with one row per edge."""
    pandas = need("pandas", "from_pandas")
    if not isinstance(frame, pandas.DataFrame):
        raise TypeError(f"frame must be a pandas.DataFrame, got {type(frame).__name__}")
    for argument, column in (("source", source), ("target", target), ("cost", cost)):
        if column not in frame.columns:
            raise ValueError(
                f"frame has no column {column!r}, only {list(frame.columns)}; name the one that "
                f"holds the {argument} with {argument}=..."
            )
    has_lifted = LIFTED in frame.columns and LIFTED not in (source, target, cost)
    columns = (source, target, cost, LIFTED) if has_lifted else (source, target, cost)
    for column in columns:
        several = int((frame.columns == column).sum())
        if several > 1:
            raise ValueError(
                f"frame has {several} columns {column!r}; rename or drop all but one of them"
            )
    for column in columns:
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
    is_lifted = _flags(frame[LIFTED]) if has_lifted else np.zeros(len(frame), dtype=np.bool_)
    return *_divided(edges.T, _numbers(frame[cost], cost), is_lifted), names


def _flags(column: Any) -> BoolArray:
    if not column.isin((0, 1)).all():
        odd = column[~column.isin((0, 1))].iloc[0]
        raise ValueError(f"column {LIFTED!r} must contain True and False, got {odd!r}")
    return np.asarray(column.to_numpy(dtype=np.bool_))


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
