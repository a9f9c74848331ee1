"""The problem: a simple graph with a cost on each edge."""

from __future__ import annotations

import operator
import os
import warnings
from collections.abc import Iterable, Mapping
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any, Self, SupportsIndex

import numpy as np

from multicut import _core, interchange
from multicut._arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    MaskedError,
    frozen,
    given_array,
    plain,
)
from multicut._notebook import html_table
from multicut._provided import provided
from multicut._words import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray


class Problem:
    """A minimum cost multicut problem.

    The graph is made simple once, here, and never changes afterwards:

    - Duplicate edges, in either direction, become one; their costs add up.
    - Self-loops are dropped, since they can never be cut.
    - A cost of ``+inf`` is a must-link, ``-inf`` a cannot-link. Such edges are constraints: they
      add nothing to an objective. Constraints that contradict each other are an error.
    - Without `num_nodes`, the nodes are the ids that occur in `edges`: integers ascending, names in
      order of appearance. Integers need be neither small nor contiguous. With `num_nodes`, the
      nodes are ``0 … num_nodes-1``, which allows isolated ones.

    Everything else keeps the caller's order: if nothing had to be merged or dropped, ``edges[i]``
    and ``costs[i]`` are those that came in.

    Parameters
    ----------
    edges
        Array of shape (m, 2): the two nodes of each edge, integers or names (strings).
    costs
        Array of shape (m,): the cost of cutting each edge. Positive attracts, negative repels.
        Tensors of torch will do, on any device.
    num_nodes
        The number of nodes, if the ids in `edges` are indices below that number.
    node_ids
        A name for each node, all different: any objects that can be dictionary keys. Integers in
        `edges` are then positions in this list; strings are names in it.
    """

    __slots__ = (
        "_costs",
        "_edge_of_input",
        "_edges",
        "_graph",
        "_node_ids",
        "_num_duplicates",
        "_num_self_loops",
    )

    def __init__(
        self,
        edges: ArrayLike,
        costs: ArrayLike,
        num_nodes: SupportsIndex | None = None,
        *,
        node_ids: Sequence[Any] | NDArray[Any] | None = None,
    ) -> None:
        edge_array = _as_edges(edges)
        cost_array = _as_costs(costs, len(edge_array))
        own_ids = None if node_ids is None else _as_node_ids(node_ids, num_nodes)
        if edge_array.dtype != np.int64:
            edge_array, own_ids = _number_names(edge_array, own_ids, num_nodes)
        known = _as_count(num_nodes) if own_ids is None else len(own_ids)
        graph, merged_costs, found_ids, edge_of_input, num_self_loops, num_duplicates = (
            _core.simplify(edge_array, cost_array, known)
        )
        self._graph = graph
        self._costs = frozen(cost_array if merged_costs is None else merged_costs)
        if own_ids is None and found_ids is not None:
            own_ids = plain(found_ids)
        if own_ids is not None and np.array_equal(own_ids, np.arange(len(own_ids))):
            own_ids = None
        self._node_ids = None if own_ids is None else frozen(own_ids)
        self._edge_of_input = edge_of_input
        self._num_self_loops: int = num_self_loops
        self._num_duplicates: int = num_duplicates
        self._edges: IntArray | None = None
        self._check_constraints()

    def _check_constraints(self) -> None:
        edge = _core.find_contradiction(self._graph, self._costs)
        if edge is not None:
            u, v = (self.node_ids[node : node + 1].tolist()[0] for node in self.edges[edge])
            raise ValueError(
                f"nodes {u!r} and {v!r} must not be linked (cost -inf), but must-links (cost +inf) "
                f"join them; remove one of these constraints"
            )

    @classmethod
    def from_networkx(cls, graph: Any, cost: str = "weight") -> Self:
        """Take nodes and edges of a networkx graph, costs from the edge attribute `cost`.

        Nodes may be any objects; they come back as ``node_ids``. Parallel edges, and the two
        directions of a directed graph, add up.
        """
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
        return cls(edges, costs, node_ids=names)

    @classmethod
    def from_igraph(cls, graph: Any, cost: str = "weight") -> Self:
        """Take nodes and edges of an igraph graph, costs from the edge attribute `cost`.

        The vertex attribute ``name``, where there is one, comes back as ``node_ids``.
        """
        _check_graph(graph, "igraph.Graph", "edge_attributes", "get_edgelist")
        if cost not in graph.edge_attributes() and graph.ecount() > 0:
            raise ValueError(
                f"the graph has no edge attribute {cost!r}, only {graph.edge_attributes()}; name "
                f"the one that holds the cost with cost=..."
            )
        names = graph.vs["name"] if "name" in graph.vertex_attributes() else range(graph.vcount())
        costs = graph.es[cost] if graph.ecount() > 0 else []
        return cls(graph.get_edgelist(), costs, node_ids=list(names))

    @classmethod
    def from_scipy(
        cls, matrix: Any, *, node_ids: Sequence[Any] | NDArray[Any] | None = None
    ) -> Self:
        """Take a square sparse matrix (or array) whose entry (i, j) is the cost of edge (i, j).

        A symmetric matrix states each edge once. In any other, entries (i, j) and (j, i) add up.
        Symmetric means up to rounding: entries differ by no more than 100 units in the last place
        of the largest finite one, as in products and logarithms of symmetric matrices.
        The diagonal is dropped; stored zeros are edges of cost zero. `node_ids` names the rows.
        """
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
        return cls(
            *_undirected(edges, _as_costs(entries.data, len(edges)), _rounding(entries.data)),
            num_nodes=matrix.shape[0],
            node_ids=node_ids,
        )

    @classmethod
    def from_pyg(cls, data: Any, cost: str | None = None) -> Self:
        """Take a PyTorch Geometric ``Data`` object: ``edge_index`` and one cost per edge.

        Costs come from the attribute `cost`, by default ``edge_weight`` or else ``edge_attr``.
        Where each edge is stored in both directions with equal costs, as PyG does, it counts once;
        otherwise the directions add up. Node ids are those that :meth:`to_pyg` left in
        ``data.node_ids``, if any.
        """
        _check_graph(data, "torch_geometric.data.Data", "edge_index")
        candidates = [cost] if cost is not None else ["edge_weight", "edge_attr"]
        values = next(
            (v for name in candidates if (v := getattr(data, name, None)) is not None), None
        )
        if values is None:
            raise ValueError(
                f"data has no {' or '.join(candidates)}; name the attribute that holds the costs "
                f"with cost=..."
            )
        costs = given_array(values, "costs")
        if costs.ndim == 2 and costs.shape[1] == 1:
            costs = costs[:, 0]
        edges = given_array(data.edge_index, "edge_index").T
        costs = _as_costs(costs, len(edges))
        with warnings.catch_warnings():
            # PyG warns when it has to infer the number of nodes; the largest index will do.
            warnings.simplefilter("ignore", UserWarning)
            num_nodes = data.num_nodes
        node_ids = getattr(data, "node_ids", None)
        return cls(*_undirected(edges, costs), num_nodes=num_nodes, node_ids=node_ids)

    @classmethod
    def from_pandas(
        cls,
        frame: Any,
        source: str = "source",
        target: str = "target",
        cost: str = "cost",
        *,
        nodes: Iterable[Any] | None = None,
    ) -> Self:
        """Take a pandas DataFrame with one row per edge: the ids of its ends, and its cost.

        Parameters
        ----------
        frame
            The edges, for instance candidate pairs of records with a score.
        source, target, cost
            The columns that hold the two ends and the cost of each edge.
        nodes
            All node ids, where some may have no edge (``records.index``); they also fix the order
            of the nodes. By default, the ids in the frame in order of appearance.
        """
        edges, costs, node_ids = interchange.from_pandas(frame, source, target, cost, nodes)
        return cls(edges, costs, node_ids=node_ids)

    @classmethod
    def from_image(cls, image: ArrayLike, *arguments: Any, **options: Any) -> Problem:
        """Divide an image or a volume into regions and take these as nodes.

        Arguments are those of :func:`multicut.vision.region_problem`, which also tells which pixel
        belongs to which node.
        """
        problem: Problem = provided("region_problem")(image, *arguments, **options).problem
        return problem

    @property
    def graph(self) -> _core.Graph:
        """The native graph, for solvers."""
        return self._graph

    @property
    def num_nodes(self) -> int:
        """The number of nodes, isolated ones included."""
        return self._graph.num_nodes

    @property
    def num_edges(self) -> int:
        """The number of edges after merging duplicates and dropping self-loops."""
        return self._graph.num_edges

    @property
    def edges(self) -> IntArray:
        """The two nodes of each edge, as positions in `node_ids` and in ``result.labels``."""
        if self._edges is None:
            self._edges = frozen(plain(self._graph.edges()))
        return self._edges

    @property
    def costs(self) -> FloatArray:
        """The cost of cutting each edge."""
        return self._costs

    @property
    def node_ids(self) -> NDArray[Any]:
        """The caller's id of each node: ``0 … n-1`` if the ids were indices."""
        if self._node_ids is None:
            return frozen(np.arange(self.num_nodes))
        return self._node_ids

    @property
    def has_own_ids(self) -> bool:
        """Whether the caller's node ids differ from the indices ``0 … n-1``."""
        return self._node_ids is not None

    @property
    def edge_of_input(self) -> IntArray:
        """The edge that each edge given by the caller became, -1 for a self-loop."""
        if self._edge_of_input is None:
            return frozen(np.arange(self.num_edges))
        return frozen(self._edge_of_input.astype(np.int64))

    @property
    def num_self_loops(self) -> int:
        """How many of the caller's edges were self-loops, and dropped."""
        return self._num_self_loops

    @property
    def num_duplicates(self) -> int:
        """How many of the caller's edges were merged into an earlier one."""
        return self._num_duplicates

    def to_networkx(self, cost: str = "weight") -> Any:
        """Return a ``networkx.Graph`` whose nodes are `node_ids`, costs in the attribute `cost`.

        ``Problem.from_networkx`` leads back; networkx has its own order of edges.
        """
        return interchange.to_networkx(self, cost)

    def to_igraph(self, cost: str = "weight") -> Any:
        """Return an ``igraph.Graph`` with costs in the edge attribute `cost`.

        Node ids that are not just indices become the vertex attribute ``name``.
        """
        return interchange.to_igraph(self, cost)

    def to_scipy(self) -> Any:
        """Return the symmetric ``scipy.sparse.csr_array`` of costs; zero costs are stored.

        Rows are in the order of `node_ids`, which the matrix does not hold:
        ``Problem.from_scipy(matrix, node_ids=problem.node_ids)`` leads back.
        """
        return interchange.to_scipy(self)

    def to_pyg(self, *, both_directions: bool = True, dtype: Any = None) -> Any:
        """Return a PyTorch Geometric ``Data`` with ``edge_index`` and ``edge_weight``.

        Node ids that are not just indices become the list ``data.node_ids``.

        Parameters
        ----------
        both_directions
            Whether each edge is stored in both directions, as message passing expects.
        dtype
            The type of ``edge_weight``, by default ``torch.float64``, which loses nothing.
        """
        return interchange.to_pyg(self, both_directions=both_directions, dtype=dtype)

    def to_pandas(self, source: str = "source", target: str = "target", cost: str = "cost") -> Any:
        """Return a ``pandas.DataFrame`` with one row per edge: node ids of its ends, and cost.

        Isolated nodes have no row: ``Problem.from_pandas(frame, nodes=problem.node_ids)`` leads
        back.
        """
        return interchange.to_pandas(self, source, target, cost)

    def __repr__(self) -> str:
        attractive = int(np.count_nonzero(self._costs > 0))
        repulsive = int(np.count_nonzero(self._costs < 0))
        return (
            f"Problem({count(self.num_nodes, 'node')}, {count(self.num_edges, 'edge')}: "
            f"{attractive:,} attractive, {repulsive:,} repulsive)"
        )

    def _repr_html_(self) -> str:
        """Return what a notebook shows: a small table."""
        finite = self._costs[np.isfinite(self._costs)]
        rows = {
            "nodes": f"{self.num_nodes:,}",
            "edges": f"{self.num_edges:,}",
            "attractive": f"{int(np.count_nonzero(self._costs > 0)):,}",
            "repulsive": f"{int(np.count_nonzero(self._costs < 0)):,}",
            "costs": f"{finite.min():.6g} … {finite.max():.6g}" if finite.size else "none",
        }
        return html_table(type(self).__name__, rows)

    def __eq__(self, other: object) -> bool:
        """Equal nodes, and equal edges and costs in the same order."""
        if not isinstance(other, Problem):
            return NotImplemented
        return (
            self.num_nodes == other.num_nodes
            and np.array_equal(self._costs, other._costs)
            and np.array_equal(self.edges, other.edges)
            and np.array_equal(self.node_ids, other.node_ids)
        )

    def __hash__(self) -> int:
        # Adding zero turns -0.0 into the 0.0 that it equals.
        return hash((self.num_nodes, self.num_edges, (self._costs + 0.0).tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        state = (self._node_ids, self._edge_of_input, self._num_self_loops, self._num_duplicates)
        return _rebuild, (self.edges, self._costs, self.num_nodes, state)


def check_problem(value: object, several: str = "mc.solve_batch") -> None:
    """Refuse what is no problem; say how to make one of what is often passed in its place."""
    if isinstance(value, Problem):
        return
    kind = type(value)
    package = kind.__module__.partition(".")[0]
    if isinstance(value, str | os.PathLike):
        advice = f"read it first: mc.read({str(value)!r})"
    elif package in ("networkx", "igraph", "scipy", "pandas", "torch_geometric"):
        maker = package.replace("torch_geometric", "pyg")
        advice = f"make one of it: mc.Problem.from_{maker}(...)"
    elif isinstance(value, list | tuple) and value and isinstance(value[0], Problem):
        advice = f"{several} takes several"
    else:
        advice = "make one of edges and costs: mc.Problem(edges, costs)"
    raise TypeError(f"problem must be a multicut.Problem, got {kind.__name__}; {advice}")


def _rebuild(edges: IntArray, costs: FloatArray, num_nodes: int, state: tuple[Any, ...]) -> Problem:
    node_ids, edge_of_input, num_self_loops, num_duplicates = state
    problem = Problem(edges, costs, num_nodes, node_ids=node_ids)
    problem._edge_of_input = edge_of_input
    problem._num_self_loops = num_self_loops
    problem._num_duplicates = num_duplicates
    return problem


def _as_array(values: ArrayLike, name: str, shape: str) -> NDArray[Any]:
    try:
        array = given_array(values, name)
    except MaskedError:
        raise
    except ValueError:
        raise ValueError(f"{name} must have shape {shape}, got rows of different lengths") from None
    except (TypeError, RuntimeError, OverflowError) as error:
        raise TypeError(f"{name} cannot be made an array ({error}); pass numbers") from None
    if array.ndim == 0:
        advice = ""
        if isinstance(values, Mapping):
            advice = "; pass its keys as edges and its values as costs, each as a list"
        elif isinstance(values, Iterable) and not isinstance(values, str | bytes):
            advice = "; wrap it in list(...)"
        elif isinstance(values, int | float) and name == "costs":
            advice = f"; one for each edge: numpy.full(len(edges), {values!r})"
        raise TypeError(f"{name} must be an array or a list, got {type(values).__name__}{advice}")
    return array


def _as_edges(edges: ArrayLike) -> NDArray[Any]:
    """Validate the ends of edges: integers of 64 bits, or names as objects."""
    array = _as_array(edges, "edges", "(m, 2)")
    if array.shape in ((0,), (0, 2)):
        return np.empty((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"edges must have shape (m, 2), got {array.shape}{_advice_on(array)}")
    if array.dtype.kind in "fO" and not isinstance(edges, np.ndarray):
        array = _whole_numbers(edges, array)
    if array.dtype.kind in "UOT":
        return _as_names(edges, array)
    if array.dtype.kind not in "iu":
        kind = "str" if array.dtype.kind == "S" else "int"
        raise TypeError(
            f"edges must hold node ids, integers or strings, got {array.dtype}; convert them, "
            f"for example with edges.astype({kind})"
        )
    if array.dtype == np.uint64 and array.max() > np.iinfo(np.int64).max:
        raise ValueError(_too_large(array.max()))
    return np.ascontiguousarray(array, dtype=np.int64)


def _advice_on(array: NDArray[Any]) -> str:
    """Say what an array of another shape than (m, 2) may have been meant to be."""
    if array.ndim == 3:
        return "; a node id must be an integer or a string: pass tuples and the like as node_ids"
    if array.ndim != 2:
        return ""
    if array.shape[1] == 3 and (array.dtype.kind == "f" or array.shape[0] != 2):
        return "; pass the last column as costs: Problem(a[:, :2].astype(int), a[:, 2])"
    if array.shape[0] == 2:
        return "; transpose it"
    if array.shape[0] == array.shape[1]:
        return "; for a matrix of costs, Problem.from_scipy(scipy.sparse.csr_array(matrix))"
    return ""


def _too_large(node: Any) -> str:
    return f"node ids must be below 2^63, got {node}; number the nodes, or pass ids as strings"


def _whole_numbers(edges: ArrayLike, array: NDArray[Any]) -> NDArray[Any]:
    """Complain about integers that numpy has made something else, as they have too many bits."""
    entries = np.asarray(edges, dtype=object).reshape(-1).tolist()
    if all(isinstance(entry, int | np.integer) for entry in entries):
        _check_size(entries)
    return array


def _check_size(entries: list[Any]) -> None:
    largest = max(entries, key=abs)
    if not -(2**63) <= largest < 2**63:
        raise ValueError(_too_large(largest))


def _as_names(edges: ArrayLike, array: NDArray[Any]) -> NDArray[Any]:
    """Validate names; an array of objects that are all integers holds no names."""
    # Of a list that mixes both, numpy would make the integers strings.
    names = array if isinstance(edges, np.ndarray) else np.asarray(edges, dtype=object)
    names = names.astype(object)
    entries = names.reshape(-1).tolist()
    if all(isinstance(entry, int | np.integer) for entry in entries):
        _check_size(entries)
        return names.astype(np.int64)
    odd = next((i for i, entry in enumerate(entries) if not isinstance(entry, str)), None)
    if odd is not None:
        raise TypeError(
            f"edges must hold node ids that are all integers or all strings, got "
            f"{entries[odd]!r} at edge {odd // 2}; convert them, or pass other names as node_ids"
        )
    return names


def _number_names(
    edges: NDArray[Any], node_ids: NDArray[Any] | None, num_nodes: SupportsIndex | None
) -> tuple[IntArray, NDArray[Any]]:
    """Replace names by their positions among all names, or among those that occur."""
    entries = edges.reshape(-1).tolist()
    if node_ids is None:
        if num_nodes is not None:
            raise ValueError(
                f"num_nodes={num_nodes} does not fit edges of names; list all names with node_ids="
            )
        names = list(dict.fromkeys(entries))
        node_ids = np.empty(len(names), dtype=object)
        node_ids[:] = names
    positions = {name: i for i, name in enumerate(node_ids.tolist())}
    try:
        numbers = [positions[name] for name in entries]
    except KeyError as error:
        raise ValueError(
            f"edges name the node {error.args[0]!r}, which is not in node_ids; add it there"
        ) from None
    return np.array(numbers, dtype=np.int64).reshape(-1, 2), node_ids


def _as_costs(costs: ArrayLike, num_edges: int) -> FloatArray:
    array = _as_array(costs, "costs", f"({num_edges},)")
    if array.dtype.kind == "O" and array.ndim == 1:
        array = _real_numbers(array)
    if array.size > 0 and array.dtype.kind not in "iufb":
        raise TypeError(
            f"costs must be real numbers, got {array.dtype}; convert them, for example with "
            f"costs.astype(float)"
        )
    if array.ndim != 1 or len(array) != num_edges:
        raise ValueError(
            f"costs must hold one value per edge, shape ({num_edges},), got {array.shape}"
        )
    try:
        with np.errstate(over="raise"):
            return np.array(array, dtype=np.float64)
    except FloatingPointError:
        raise ValueError("costs must fit a double (1.8e308); scale them down") from None


def _real_numbers(array: NDArray[Any]) -> NDArray[Any]:
    """Turn objects into numbers: fractions, decimals, large integers; name what is none."""
    for edge, value in enumerate(array.tolist()):
        if value is None:
            raise ValueError(
                f"costs must be real numbers, got None at edge {edge}; drop or impute it"
            )
        if not isinstance(value, Real | Decimal):
            return array
    try:
        return array.astype(np.float64)
    except OverflowError:
        raise ValueError("costs must fit a double (1.8e308); scale them down") from None


def _as_count(num_nodes: SupportsIndex | None) -> int | None:
    if num_nodes is None:
        return None
    try:
        number = operator.index(num_nodes)
    except TypeError:
        raise TypeError(f"num_nodes must be an integer, got {num_nodes!r}") from None
    if not 0 <= number < 2**31:
        raise ValueError(f"num_nodes must be at least 0 and below 2^31, got {number}")
    return number


def _as_node_ids(
    node_ids: Sequence[Any] | NDArray[Any], num_nodes: SupportsIndex | None
) -> NDArray[Any]:
    names = list(node_ids)
    if num_nodes is not None and _as_count(num_nodes) != len(names):
        raise ValueError(f"num_nodes={num_nodes} does not fit {len(names)} node_ids; omit it")
    if len(set(names)) != len(names):
        seen: set[Any] = set()
        repeated = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"node_ids must be different, got {repeated!r} more than once")
    try:
        if all(isinstance(name, int | np.integer) for name in names):
            return np.array(names, dtype=np.int64)
    except OverflowError:
        pass  # integers of more than 64 bits are names like any other
    array = np.empty(len(names), dtype=object)
    array[:] = names
    return array


def _check_graph(value: object, kind: str, *attributes: str) -> None:
    if not all(hasattr(value, name) for name in attributes):
        raise TypeError(f"the graph must be a {kind}, got {type(value).__name__}")


def _rounding(values: NDArray[Any]) -> float:
    """Return by how much equal values may differ that were computed in different ways."""
    if values.dtype.kind != "f":
        return 0.0
    finite = np.abs(values[np.isfinite(values)])
    return float(100 * np.finfo(values.dtype).eps * np.max(finite, initial=0.0))


def _undirected(
    edges: NDArray[Any], costs: FloatArray, tolerance: float = 0.0
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Keep one direction of each edge if both are there with equal costs; else leave all.

    Costs may differ by a tolerance; one within it may be there in one direction only.
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
