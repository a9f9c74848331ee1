"""Who runs against whom: our solver and its counterpart in ``bioimage-cpp``."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from multicut._arrays import IntArray
    from multicut.benchmark.instances import EdgeArrays
    from multicut.problem import Problem

PEER = "bioimage-cpp"


@dataclass(frozen=True)
class Contender:
    """One way from edge arrays to labels, in two steps that are timed separately.

    Attributes
    ----------
    prepare
        Brings the arrays into the types the package wants; not timed.
    build
        Makes the package's own graph of what `prepare` returned.
    solve
        Solves what `build` returned and returns one label per node.
    """

    prepare: Callable[[Any], Any]
    build: Callable[[Any], Any]
    solve: Callable[[Any], IntArray]


@dataclass(frozen=True)
class Contest:
    """One of our solvers and the peer's counterpart, with the largest graphs each is run on."""

    name: str
    peer_name: str
    peer_solver: Callable[[], Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    max_edges: float = float("inf")
    peer_max_edges: float = float("inf")

    def ours(self) -> Contender:
        """Return our side."""
        return our_contender(self._solve_ours)

    def _solve_ours(self, problem: Problem) -> IntArray:
        from multicut.solve import solve

        result = solve(problem, self.name, seed=0, **self.options)
        if result.stopped_by == "interrupt":
            raise KeyboardInterrupt
        return result.labels

    def peer(self) -> Contender:
        """Return the peer's side."""
        return Contender(_prepare_peer, _build_peer, self._solve_peer)

    def _solve_peer(self, objective: Any) -> IntArray:
        return np.asarray(self.peer_solver().optimize(objective)).astype(np.int64)


def our_contender(solve: Callable[[Problem], IntArray]) -> Contender:
    """Let a function solve problems that are built from the edge arrays."""
    from multicut.problem import Problem

    return Contender(
        prepare=lambda arrays: (arrays.edges, arrays.costs, arrays.num_nodes),
        build=lambda prepared: Problem(*prepared),
        solve=solve,
    )


def peer_is_installed() -> bool:
    """Whether ``bioimage-cpp`` can be imported."""
    return importlib.util.find_spec("bioimage_cpp") is not None


def _prepare_peer(arrays: EdgeArrays) -> tuple[int, Any, Any]:
    return arrays.num_nodes, arrays.edges.astype(np.uint64), arrays.costs


def _build_peer(prepared: tuple[int, Any, Any]) -> Any:
    import bioimage_cpp.graph as peer_graph
    from bioimage_cpp.graph import multicut as peer

    num_nodes, edges, costs = prepared
    graph = peer_graph.undirected_graph(num_nodes)
    graph.insert_edges(edges)
    return peer.MulticutObjective(graph, costs)


def _peer_gaec() -> Any:
    from bioimage_cpp.graph import multicut as peer

    return peer.GreedyAdditiveMulticut()


def _peer_greedy_fixation() -> Any:
    from bioimage_cpp.graph import multicut as peer

    return peer.GreedyFixationMulticut()


def _peer_klj() -> Any:
    from bioimage_cpp.graph import multicut as peer

    return peer.KernighanLinMulticut()


def _peer_fusion() -> Any:
    # The best settings we know for it, on small graphs: see benchmarks/README.md.
    from bioimage_cpp.graph import multicut as peer

    return peer.FusionMoveMulticut(
        proposal_generator=peer.GreedyAdditiveProposalGenerator(),
        sub_solver=peer.KernighanLinMulticut(),
        number_of_iterations=100,
        stop_if_no_improvement=20,
    )


CONTESTS = {
    contest.name: contest
    for contest in (
        Contest("gaec", "GreedyAdditiveMulticut", _peer_gaec),
        Contest("greedy-fixation", "GreedyFixationMulticut", _peer_greedy_fixation),
        # Its Kernighan-Lin needs many minutes for a million nodes.
        Contest("klj", "KernighanLinMulticut", _peer_klj, peer_max_edges=2e6),
        # One thread each, which is the peer's default.
        Contest("fusion", "FusionMoveMulticut", _peer_fusion, {"num_threads": 1}, max_edges=2e4),
    )
}
