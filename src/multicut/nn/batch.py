"""Many graphs as one, on one device: what networks, losses and rounding work on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor
from torch.utils.dlpack import from_dlpack

from multicut._arrays import FloatArray, IntArray
from multicut._checks import check_integer
from multicut.nn.adjacency import Adjacency
from multicut.nn.padding import Padding
from multicut.partition import as_cut
from multicut.problem import Problem

if TYPE_CHECKING:
    from torch_geometric.data import Data


@dataclass(frozen=True, eq=False)
class GraphBatch:
    """Many graphs as one graph whose parts are not connected, on one device.

    Nodes and edges of a graph lie together: graph g has the nodes
    ``node_offsets[g]:node_offsets[g + 1]`` and the edges ``edge_offsets[g]:edge_offsets[g + 1]``.

    Attributes
    ----------
    edges
        Shape (2, num_edges), int64: the two nodes of each undirected edge, each edge once.
    costs
        Shape (num_edges,): the cost of cutting each edge; finite. May require a gradient.
    num_nodes
        The number of nodes of all graphs together.
    node_offsets, edge_offsets
        Shape (num_graphs + 1,), int64: where each graph begins.
    cut
        Shape (num_edges,): the optimal solution, where it is known.
    padding
        Which nodes and edges are real, if the batch was filled up to a fixed size; all are then
        treated as one graph.
    """

    edges: Tensor
    costs: Tensor
    num_nodes: int
    node_offsets: Tensor
    edge_offsets: Tensor
    cut: Tensor | None = None
    padding: Padding | None = None

    @classmethod
    def from_edges(cls, edges: Tensor, costs: Tensor, num_nodes: int) -> Self:
        """Take one graph that is on a device already; gradients flow to its costs.

        Parameters
        ----------
        edges
            Integers in shape (2, num_edges): each undirected edge once, no self-loops.
        costs
            Shape (num_edges,). Positive attracts, negative repels.
        num_nodes
            The number of nodes.
        """
        edges, costs = _as_tensor("edges", edges), _as_tensor("costs", costs)
        num_nodes = check_integer(0, num_nodes=num_nodes)
        if edges.ndim != 2 or edges.shape[0] != 2 or edges.is_floating_point():
            raise ValueError(
                f"edges must contain integers in shape (2, m), got {edges.dtype} in "
                f"{tuple(edges.shape)}"
            )
        if costs.shape != edges.shape[1:] or not costs.is_floating_point():
            raise ValueError(
                f"costs must contain one floating point number per edge, shape "
                f"({edges.shape[1]},), "
                f"got {costs.dtype} in {tuple(costs.shape)}"
            )
        # On a GPU the answer would have to be waited for.
        if edges.device.type == "cpu" and edges.numel() > 0:
            least, most = int(edges.min()), int(edges.max())
            if least < 0 or most >= num_nodes:
                raise ValueError(
                    f"edges must join nodes 0 to {num_nodes - 1}, as num_nodes is {num_nodes}, got "
                    f"{least if least < 0 else most}"
                )
            if (edges[0] == edges[1]).any():
                edge = int(torch.nonzero(edges[0] == edges[1])[0])
                raise ValueError(f"edges must not be self-loops, got one at edge {edge}; drop it")
        return cls(
            edges=edges.to(costs.device, torch.int64),
            costs=costs,
            num_nodes=num_nodes,
            node_offsets=torch.tensor([0, num_nodes], device=costs.device),
            edge_offsets=torch.tensor([0, edges.shape[1]], device=costs.device),
        )

    @classmethod
    def from_problems(
        cls,
        problems: Problem | Iterable[Problem],
        *,
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float32,
        cuts: Sequence[ArrayLike] | None = None,
    ) -> Self:
        """Put problems side by side.

        Parameters
        ----------
        problems
            Problems with finite costs.
        device, dtype
            Where the tensors live, and the type of costs.
        cuts
            One flag per edge for each problem: the optimal solutions.
        """
        problems = [problems] if isinstance(problems, Problem) else list(problems)
        for problem in problems:
            if not isinstance(problem, Problem):
                raise TypeError(f"problems must be multicut.Problem, got {type(problem).__name__}")
            if problem.is_lifted:
                raise ValueError(
                    f"networks take no lifted edges, got {problem.num_lifted_edges}; leave them out"
                )
        if cuts is not None and len(cuts) != len(problems):
            raise ValueError(f"cuts must be one per problem, got {len(cuts)} for {len(problems)}")
        batch = cls.from_arrays(
            [problem.edges for problem in problems],
            [problem.costs for problem in problems],
            [problem.num_nodes for problem in problems],
            device=device,
            dtype=dtype,
        )
        if cuts is None:
            return batch
        flags = [as_cut(c, p.num_edges) for c, p in zip(cuts, problems, strict=True)]
        cut = _gathered(flags, (), torch.bool, device).to(device, dtype)
        return replace(batch, cut=cut)

    @classmethod
    def from_arrays(
        cls,
        edges: Sequence[IntArray],
        costs: Sequence[FloatArray],
        num_nodes: Sequence[int],
        *,
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float32,
    ) -> Self:
        """Put simple graphs side by side.

        Parameters
        ----------
        edges
            For each graph an array of shape (m, 2).
        costs
            For each graph an array of shape (m,), finite.
        num_nodes
            For each graph the number of its nodes.
        device
            Where to put them.
        dtype
            The type of costs there.
        """
        node_offsets = _offsets(num_nodes)
        edge_offsets = _offsets([len(some) for some in costs])
        values = _gathered(costs, (), dtype, device)
        finite = torch.isfinite(values)
        if not finite.all():
            edge = int(torch.nonzero(~finite)[0])
            graph = int(np.searchsorted(edge_offsets, edge, side="right")) - 1
            edge -= int(edge_offsets[graph])
            raise ValueError(
                f"costs must be finite in {str(dtype).removeprefix('torch.')}, got "
                f"{costs[graph][edge]} at edge {edge} of problem {graph}; "
                f"multicut.solve(problem, 'gnn') takes must-links, cannot-links and huge costs"
            )
        # A device turns rows into columns much faster than the host.
        ends = _gathered(edges, (2,), torch.int64, device).to(device, non_blocking=True)
        ends = ends.T.contiguous()
        first_nodes = torch.from_numpy(node_offsets).to(device)
        first_edges = torch.from_numpy(edge_offsets).to(device)
        if len(costs) > 1:
            ends += torch.repeat_interleave(
                first_nodes[:-1], torch.diff(first_edges), output_size=len(values)
            )
        return cls(
            edges=ends,
            costs=values.to(device, non_blocking=True),
            num_nodes=int(node_offsets[-1]),
            node_offsets=first_nodes,
            edge_offsets=first_edges,
        )

    @property
    def num_edges(self) -> int:
        """The number of undirected edges of all graphs together."""
        return self.edges.shape[1]

    @property
    def num_graphs(self) -> int:
        """The number of graphs."""
        return self.node_offsets.shape[0] - 1

    @property
    def device(self) -> torch.device:
        """Where the tensors live."""
        return self.costs.device

    def to(self, device: torch.device | str) -> Self:
        """Copy to another device."""
        return replace(
            self,
            edges=self.edges.to(device),
            costs=self.costs.to(device),
            node_offsets=self.node_offsets.to(device),
            edge_offsets=self.edge_offsets.to(device),
            cut=None if self.cut is None else self.cut.to(device),
            padding=None if self.padding is None else self.padding.to(device),
        )

    def with_costs(self, costs: Tensor) -> Self:
        """Return the same graphs with other costs; what is known of the graphs is kept."""
        if costs.shape != self.costs.shape:
            raise ValueError(
                f"costs must contain one value per edge, shape {tuple(self.costs.shape)}, got "
                f"{tuple(costs.shape)}"
            )
        batch = replace(self, costs=costs)
        for name in ("adjacency", "directed_edges"):
            if name in self.__dict__:
                batch.__dict__[name] = self.__dict__[name]
        return batch

    def to_pyg(self) -> Data:
        """Return a PyTorch Geometric ``Data``: both directions of each edge, costs as weights."""
        from torch_geometric.data import Data

        return Data(
            edge_index=self.directed_edges,
            edge_weight=torch.cat([self.costs, self.costs]),
            batch=self.graph_of_node(),
            num_nodes=self.num_nodes,
        )

    def graph_of_node(self) -> Tensor:
        """Shape (num_nodes,): the graph each node is in."""
        return _owners(self.node_offsets, self.num_nodes)

    def graph_of_edge(self) -> Tensor:
        """Shape (num_edges,): the graph each edge is in."""
        return _owners(self.edge_offsets, self.num_edges)

    def sum_per_graph(self, edge_values: Tensor) -> Tensor:
        """Shape (num_graphs,): the sum of one finite value per edge over each graph's edges."""
        # Differences of running sums: adding into few places from everywhere is slow on a GPU, and
        # its order varies. Double precision leaves nothing of the other graphs' sums.
        exact = torch.float64 if edge_values.is_floating_point() else torch.int64
        running = torch.cumsum(edge_values, 0, dtype=exact)
        running = torch.cat([running.new_zeros(1), running])[self.edge_offsets]
        return torch.diff(running).to(edge_values.dtype)

    def objectives(self, cut: Tensor) -> Tensor:
        """Shape (num_graphs,), float64: the cost of the cut edges of each graph.

        `cut` may hold flags or, for a relaxed solution, numbers between 0 and 1.
        """
        return self.sum_per_graph(self.costs.double() * cut)

    @cached_property
    def cost_units(self) -> Tensor:
        """Shape (num_graphs,), float64: a power of two near each graph's largest |cost|.

        Costs divided by it are the same numbers for any scale, digit by digit, and no graph is
        small beside another one. It is 1 where all costs are 0; computed once.
        """
        sizes = self.costs.detach().abs().double()
        if self.num_graphs == 1 and self.num_edges > 0:
            largest = sizes.max().reshape(1)
        else:
            largest = sizes.new_zeros(self.num_graphs)
            largest = largest.scatter_reduce(0, self.graph_of_edge(), sizes, "amax")
        # In [1, 2) after doubling, so the largest double does not overflow.
        mantissas = 2 * torch.frexp(largest).mantissa
        return torch.where(largest > 0, largest / mantissas, 1.0)

    @cached_property
    def adjacency(self) -> Adjacency:
        """The compressed rows of the symmetric adjacency matrix; computed once."""
        return Adjacency.from_edges(self.edges, self.num_nodes)

    @cached_property
    def directed_edges(self) -> Tensor:
        """Shape (2, 2 · num_edges): each edge u to v, then each edge v to u, as PyG has them."""
        return torch.cat([self.edges, self.edges.flip(0)], dim=1)


def _offsets(counts: Sequence[int]) -> IntArray:
    return np.cumsum(np.array([0, *counts], dtype=np.int64))


def _as_tensor(name: str, value: Any) -> Tensor:
    """Take a tensor, or an array of another package on a device, such as CuPy's, without a copy."""
    if isinstance(value, Tensor):
        return value
    if hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray):
        taken: Tensor = from_dlpack(value)
        return taken
    raise TypeError(f"{name} must be a tensor, got {type(value).__name__}")


def _gathered(
    arrays: Sequence[Any], columns: tuple[int, ...], dtype: torch.dtype, device: torch.device | str
) -> Tensor:
    """Put arrays one after the other on the host, from where a GPU can take them quickly."""
    is_plain = dtype in (torch.bool, torch.int64, torch.float32, torch.float64)
    gathered = torch.empty(
        (sum(map(len, arrays)), *columns),
        dtype=dtype if is_plain else torch.float64,
        pin_memory=torch.device(device).type == "cuda",
    )
    if arrays:
        with np.errstate(over="ignore"):  # the caller looks for infinite ones
            np.concatenate(arrays, out=gathered.numpy(), casting="same_kind")
    return gathered.to(dtype)


def _owners(offsets: Tensor, count: int) -> Tensor:
    if offsets.shape[0] == 2:
        # One graph: repeating a single number is slow on a GPU.
        return torch.zeros(count, dtype=torch.int64, device=offsets.device)
    graphs = torch.arange(offsets.shape[0] - 1, device=offsets.device)
    # The output's size is known, so the device need not be asked for it.
    return torch.repeat_interleave(graphs, torch.diff(offsets), output_size=count)
