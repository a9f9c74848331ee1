"""The problem: a simple graph with a cost on each edge, and lifted edges if there are any."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, SupportsIndex

import numpy as np

from multicut import _core, interchange
from multicut._arrays import FloatArray, IntArray, frozen
from multicut._lifted_arguments import as_lifted_edges
from multicut._notebook import html_table
from multicut._problem_arguments import as_costs, as_edges
from multicut._provided import provided
from multicut._simple_graph import (
    SimpleGraph,
    check_constraints,
    check_lifted_constraints,
    make_simple,
    make_simple_lifted,
)
from multicut._words import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

_NO_EDGES: IntArray = frozen(np.zeros((0, 2), dtype=np.int64))
_NO_COSTS: FloatArray = frozen(np.zeros(0))


class Problem:
    """A minimum cost multicut problem, or a lifted one.

    The constructor makes the graph simple; it does not change afterwards:

    - Duplicate edges, in either direction, are merged; their costs are added.
    - Self-loops are dropped, since no partition cuts them.
    - A cost of ``+inf`` is a must-link, ``-inf`` a cannot-link. Such edges are constraints: they
      do not count towards the objective. Contradictory constraints raise an error.
    - Without `num_nodes`, the nodes are the ids that occur in `edges`: integers ascending, names in
      order of appearance. Integers need be neither small nor contiguous. With `num_nodes`, the
      nodes are ``0 … num_nodes-1``, which allows isolated ones.

    The order of edges is kept: if nothing was merged or dropped, ``edges[i]`` and ``costs[i]`` are
    those that were passed.

    Lifted edges add their cost where their ends lie in different clusters, but they connect
    nothing: clusters are connected by edges alone. They are merged and dropped as edges are, and
    kept apart from these: a lifted edge between the ends of an edge counts in addition. A lifted
    must-link demands that its ends are in one cluster, so it raises an error if no path of edges
    without cannot-links joins them.

    Parameters
    ----------
    edges
        Array of shape (m, 2): the two nodes of each edge, integers or names (strings).
    costs
        Array of shape (m,): the cost of cutting each edge. Positive attracts, negative repels.
        Tensors of torch are accepted, on any device.
    num_nodes
        The number of nodes, if the ids in `edges` are indices below that number.
    node_ids
        A name for each node, all different: any objects that can be dictionary keys. Integers in
        `edges` are then positions in this list; strings are names in it.
    lifted_edges
        Array of shape (k, 2): the two nodes of each lifted edge, as in `edges`. They must be nodes
        of the problem: without `num_nodes` and `node_ids`, ids that occur in `edges`.
    lifted_costs
        Array of shape (k,): the cost of each lifted edge if its ends are in different clusters.
    """

    __slots__ = ("_lifted", "_simple")

    def __init__(
        self,
        edges: ArrayLike,
        costs: ArrayLike,
        num_nodes: SupportsIndex | None = None,
        *,
        node_ids: Sequence[Any] | NDArray[Any] | None = None,
        lifted_edges: ArrayLike | None = None,
        lifted_costs: ArrayLike | None = None,
    ) -> None:
        edge_array = as_edges(edges)
        cost_array = as_costs(costs, len(edge_array))
        lifted = as_lifted_edges(lifted_edges, lifted_costs)
        self._simple = make_simple(edge_array, cost_array, num_nodes, node_ids)
        self._lifted: SimpleGraph | None = None
        if lifted is None:
            check_constraints(self._simple)
            return
        if node_ids is not None:
            given = "node_ids"
        elif edge_array.dtype != np.int64:
            given = "names"
        else:
            given = "edges" if num_nodes is None else "num_nodes"
        self._lifted = make_simple_lifted(*lifted, self._simple, given=given)
        check_lifted_constraints(self._simple, self._lifted)

    @classmethod
    def from_networkx(cls, graph: Any, cost: str = "weight") -> Self:
        """Return the problem of a networkx graph, with costs from the edge attribute `cost`.

        Nodes may be any objects; they become ``node_ids``. Costs of parallel edges, and of the two
        directions of a directed graph, are added. Edges whose attribute ``lifted`` is true are
        lifted edges.
        """
        edges, costs, lifted, node_ids = interchange.from_networkx(graph, cost)
        return cls(edges, costs, node_ids=node_ids, **lifted)

    @classmethod
    def from_igraph(cls, graph: Any, cost: str = "weight") -> Self:
        """Return the problem of an igraph graph, with costs from the edge attribute `cost`.

        The vertex attribute ``name``, if there is one, becomes ``node_ids``. Edges whose attribute
        ``lifted`` is true are lifted edges.
        """
        edges, costs, lifted, node_ids = interchange.from_igraph(graph, cost)
        return cls(edges, costs, node_ids=node_ids, **lifted)

    @classmethod
    def from_scipy(
        cls, matrix: Any, *, node_ids: Sequence[Any] | NDArray[Any] | None = None
    ) -> Self:
        """Return the problem of a sparse matrix whose entry (i, j) is the cost of edge (i, j).

        The matrix (or array) must be square. If it is symmetric, each pair of entries is one edge;
        otherwise entries (i, j) and (j, i) are added. Symmetry is tested up to rounding: entries
        may differ by 100 units in the last place of the largest finite one, as they do in products
        and logarithms of symmetric matrices. The diagonal is dropped; stored zeros are edges of
        cost zero. `node_ids` names the rows.
        """
        edges, costs, num_nodes = interchange.from_scipy(matrix)
        return cls(edges, costs, num_nodes, node_ids=node_ids)

    @classmethod
    def from_pyg(cls, data: Any, cost: str | None = None) -> Self:
        """Return the problem of a PyTorch Geometric ``Data``: ``edge_index`` and a cost per edge.

        Costs come from the attribute `cost`, by default ``edge_weight`` or else ``edge_attr``.
        If each edge is stored in both directions with equal costs, as is usual in PyG, it counts
        once; otherwise the costs of both directions are added. Node ids are taken from
        ``data.node_ids``, where :meth:`to_pyg` stores them, if that exists. Lifted edges are taken
        from ``lifted_edge_index`` and ``lifted_edge_weight``.
        """
        edges, costs, lifted, num_nodes, node_ids = interchange.from_pyg(data, cost)
        return cls(edges, costs, num_nodes, node_ids=node_ids, **lifted)

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
        """Return the problem of a pandas DataFrame with one row per edge: two node ids and a cost.

        Rows whose column ``lifted`` is true, if there is such a column, are lifted edges.

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
        edges, costs, lifted, node_ids = interchange.from_pandas(frame, source, target, cost, nodes)
        return cls(edges, costs, node_ids=node_ids, **lifted)

    @classmethod
    def from_image(cls, image: ArrayLike, *arguments: Any, **options: Any) -> Problem:
        """Return the problem whose nodes are the regions of an image or a volume.

        Arguments are those of :func:`multicut.vision.region_problem`, which also returns
        the node that each pixel belongs to.
        """
        problem: Problem = provided("region_problem")(image, *arguments, **options).problem
        return problem

    @property
    def graph(self) -> _core.Graph:
        """The native graph, for solvers."""
        return self._simple.graph

    @property
    def num_nodes(self) -> int:
        """The number of nodes, isolated ones included."""
        return self._simple.graph.num_nodes

    @property
    def num_edges(self) -> int:
        """The number of edges after merging duplicates and dropping self-loops."""
        return self._simple.graph.num_edges

    @property
    def edges(self) -> IntArray:
        """The two nodes of each edge, as positions in `node_ids` and in ``result.labels``."""
        return self._simple.edges

    @property
    def costs(self) -> FloatArray:
        """The cost of cutting each edge."""
        return self._simple.costs

    @property
    def is_lifted(self) -> bool:
        """Whether there are lifted edges."""
        return self._lifted is not None and self._lifted.graph.num_edges > 0

    @property
    def lifted_graph(self) -> _core.Graph:
        """The native graph of the lifted edges, over the same nodes, for solvers."""
        if self._lifted is None:
            return _core.simplify(_NO_EDGES, _NO_COSTS, self.num_nodes)[0]
        return self._lifted.graph

    @property
    def num_lifted_edges(self) -> int:
        """The number of lifted edges after merging duplicates and dropping self-loops."""
        return 0 if self._lifted is None else self._lifted.graph.num_edges

    @property
    def lifted_edges(self) -> IntArray:
        """The two nodes of each lifted edge, as positions in `node_ids`."""
        return _NO_EDGES if self._lifted is None else self._lifted.edges

    @property
    def lifted_costs(self) -> FloatArray:
        """The cost of each lifted edge whose ends are in different clusters."""
        return _NO_COSTS if self._lifted is None else self._lifted.costs

    @property
    def node_ids(self) -> NDArray[Any]:
        """The caller's id of each node: ``0 … n-1`` if the ids were indices."""
        if self._simple.node_ids is None:
            return frozen(np.arange(self.num_nodes))
        return self._simple.node_ids

    @property
    def has_own_ids(self) -> bool:
        """Whether the caller's node ids differ from the indices ``0 … n-1``."""
        return self._simple.node_ids is not None

    @property
    def edge_of_input(self) -> IntArray:
        """For each edge that the caller passed, its position in `edges`; -1 for a self-loop."""
        if self._simple.edge_of_input is None:
            return frozen(np.arange(self.num_edges))
        return frozen(self._simple.edge_of_input.astype(np.int64))

    @property
    def lifted_edge_of_input(self) -> IntArray:
        """For each lifted edge that the caller passed, its position in `lifted_edges`, or -1."""
        if self._lifted is None or self._lifted.edge_of_input is None:
            return frozen(np.arange(self.num_lifted_edges))
        return frozen(self._lifted.edge_of_input.astype(np.int64))

    @property
    def num_self_loops(self) -> int:
        """The number of self-loops that were dropped."""
        return self._simple.num_self_loops

    @property
    def num_duplicates(self) -> int:
        """The number of edges that were merged into an earlier one."""
        return self._simple.num_duplicates

    def to_networkx(self, cost: str = "weight") -> Any:
        """Return a ``networkx.Graph`` whose nodes are `node_ids`, costs in the attribute `cost`.

        Lifted edges have the attribute ``lifted=True``. If one of them is parallel to an edge, the
        graph is a ``MultiGraph``. ``Problem.from_networkx`` is the inverse, except for the order
        of edges.
        """
        return interchange.to_networkx(self, cost)

    def to_igraph(self, cost: str = "weight") -> Any:
        """Return an ``igraph.Graph`` with costs in the edge attribute `cost`.

        Node ids other than the indices become the vertex attribute ``name``. If there are lifted
        edges, the edge attribute ``lifted`` tells which these are.
        """
        return interchange.to_igraph(self, cost)

    def to_scipy(self) -> Any:
        """Return the symmetric ``scipy.sparse.csr_array`` of costs; zero costs are stored.

        Rows are in the order of `node_ids`, which the matrix does not hold:
        ``Problem.from_scipy(matrix, node_ids=problem.node_ids)`` is the inverse. Problems with
        lifted edges raise an error, since a matrix has no place for them.
        """
        return interchange.to_scipy(self)

    def to_pyg(self, *, both_directions: bool = True, dtype: Any = None) -> Any:
        """Return a PyTorch Geometric ``Data`` with ``edge_index`` and ``edge_weight``.

        Node ids other than the indices become the list ``data.node_ids``. Lifted edges become
        ``lifted_edge_index`` and ``lifted_edge_weight``.

        Parameters
        ----------
        both_directions
            Whether each edge is stored in both directions, as message passing expects.
        dtype
            The type of ``edge_weight``, by default ``torch.float64``, which is exact.
        """
        return interchange.to_pyg(self, both_directions=both_directions, dtype=dtype)

    def to_pandas(self, source: str = "source", target: str = "target", cost: str = "cost") -> Any:
        """Return a ``pandas.DataFrame`` with one row per edge: node ids of its ends, and cost.

        If there are lifted edges, the column ``lifted`` tells which these are. Isolated nodes have
        no row: ``Problem.from_pandas(frame, nodes=problem.node_ids)`` is
        the inverse.
        """
        return interchange.to_pandas(self, source, target, cost)

    def __repr__(self) -> str:
        attractive = int(np.count_nonzero(self.costs > 0))
        repulsive = int(np.count_nonzero(self.costs < 0))
        lifted = f"; {count(self.num_lifted_edges, 'lifted edge')}" if self.is_lifted else ""
        return (
            f"Problem({count(self.num_nodes, 'node')}, {count(self.num_edges, 'edge')}: "
            f"{attractive:,} attractive, {repulsive:,} repulsive{lifted})"
        )

    def _repr_html_(self) -> str:
        """Return the table that a notebook shows."""
        rows = {
            "nodes": f"{self.num_nodes:,}",
            "edges": f"{self.num_edges:,}",
            "attractive": f"{int(np.count_nonzero(self.costs > 0)):,}",
            "repulsive": f"{int(np.count_nonzero(self.costs < 0)):,}",
            "costs": _range_of(self.costs),
        }
        if self.is_lifted:
            rows["lifted edges"] = f"{self.num_lifted_edges:,}"
            rows["lifted costs"] = _range_of(self.lifted_costs)
        return html_table(type(self).__name__, rows)

    def __eq__(self, other: object) -> bool:
        """Whether nodes, edges, lifted edges and costs are equal, in the same order."""
        if not isinstance(other, Problem):
            return NotImplemented
        return (
            self.num_nodes == other.num_nodes
            and np.array_equal(self.costs, other.costs)
            and np.array_equal(self.edges, other.edges)
            and np.array_equal(self.node_ids, other.node_ids)
            and np.array_equal(self.lifted_costs, other.lifted_costs)
            and np.array_equal(self.lifted_edges, other.lifted_edges)
        )

    def __hash__(self) -> int:
        # Adding zero turns -0.0 into the 0.0 that it equals.
        key = (self.num_nodes, self.num_edges, (self.costs + 0.0).tobytes())
        return hash((*key, (self.lifted_costs + 0.0).tobytes()) if self.is_lifted else key)

    def __reduce__(self) -> tuple[Any, ...]:
        simple = self._simple
        state = (
            simple.node_ids,
            simple.edge_of_input,
            simple.num_self_loops,
            simple.num_duplicates,
        )
        arguments = (self.edges, self.costs, self.num_nodes, state)
        if self._lifted is None:
            return _rebuild, arguments
        lifted = (self.lifted_edges, self.lifted_costs, self._lifted.edge_of_input)
        return _rebuild, (*arguments, lifted)


def check_problem(value: object, several: str = "mc.solve_batch") -> None:
    """Raise TypeError if `value` is not a problem, with advice on how to make one of it."""
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


def _range_of(costs: FloatArray) -> str:
    finite = costs[np.isfinite(costs)]
    return f"{finite.min():.6g} … {finite.max():.6g}" if finite.size else "none"


def _rebuild(
    edges: IntArray,
    costs: FloatArray,
    num_nodes: int,
    state: tuple[Any, ...],
    lifted: tuple[Any, ...] | None = None,
) -> Problem:
    node_ids, edge_of_input, num_self_loops, num_duplicates = state
    lifted_edges, lifted_costs, lifted_edge_of_input = lifted or (None, None, None)
    problem = Problem(
        edges,
        costs,
        num_nodes,
        node_ids=node_ids,
        lifted_edges=lifted_edges,
        lifted_costs=lifted_costs,
    )
    problem._simple = replace(
        problem._simple,
        edge_of_input=edge_of_input,
        num_self_loops=num_self_loops,
        num_duplicates=num_duplicates,
    )
    if problem._lifted is not None:
        problem._lifted = replace(problem._lifted, edge_of_input=lifted_edge_of_input)
    return problem
