"""Who runs against whom: our lifted solvers and agglomeration, and their counterparts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut.benchmark.contests import Contender

if TYPE_CHECKING:
    from multicut._arrays import FloatArray, IntArray
    from multicut.benchmark.lifted.instances import AffinityArrays, LiftedArrays
    from multicut.result import Result


@dataclass(frozen=True)
class LiftedContest:
    """One of our solvers and the peer's counterpart, with the largest graphs each is run on.

    Attributes
    ----------
    name
        What the row is called.
    kind
        The arrays that it takes, ``"lifted"`` or ``"affinities"``.
    peer_name
        What the peer calls its counterpart.
    ours, peer
        Make the two sides.
    solver
        The registered solver that has to take lifted edges; None if none is asked.
    trace
        Solves a problem once more and returns the trace of that run, for a solver that improves a
        partition step by step; None for the others.
    max_edges, peer_max_edges
        The largest graphs that each is run on.
    """

    name: str
    kind: str
    peer_name: str
    ours: Callable[[], Contender]
    peer: Callable[[], Contender]
    solver: str | None = None
    trace: Callable[[Any], FloatArray] | None = None
    max_edges: float = float("inf")
    peer_max_edges: float = float("inf")


@dataclass(frozen=True)
class _Minimiser:
    """Our solver of lifted problems."""

    solver: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def contender(self) -> Contender:
        return Contender(_take_all, _build_lifted, self.solve)

    def solve(self, problem: Any) -> IntArray:
        return self._run(problem).labels

    def trace(self, problem: Any) -> FloatArray:
        return self._run(problem).trace

    def _run(self, problem: Any) -> Result:
        from multicut.solve import solve

        result: Result = solve(problem, self.solver, seed=0, **self.options)
        if result.stopped_by == "interrupt":
            raise KeyboardInterrupt
        return result


def _take_all(arrays: LiftedArrays) -> tuple[Any, ...]:
    return (
        arrays.num_nodes,
        arrays.edges,
        arrays.costs,
        arrays.lifted_edges,
        arrays.lifted_costs,
    )


def _build_lifted(prepared: tuple[Any, ...]) -> Any:
    from multicut.problem import Problem

    num_nodes, edges, costs, lifted_edges, lifted_costs = prepared
    return Problem(edges, costs, num_nodes, lifted_edges=lifted_edges, lifted_costs=lifted_costs)


def _join_all(arrays: LiftedArrays) -> tuple[Any, ...]:
    """Return a signed graph of all edges: agglomeration knows no other."""
    edges = np.concatenate([arrays.edges, arrays.lifted_edges])
    return arrays.num_nodes, edges, np.concatenate([arrays.costs, arrays.lifted_costs])


def _build_signed(prepared: tuple[Any, ...]) -> Any:
    from multicut.problem import Problem

    num_nodes, edges, costs = prepared
    return Problem(edges, costs, num_nodes)


def _agglomeration(linkage: str) -> Callable[[], Contender]:
    minimiser = _Minimiser("gasp", {"linkage": linkage})
    return lambda: Contender(_join_all, _build_signed, minimiser.solve)


def _segmentation() -> Contender:
    from multicut.vision import mutex_watershed

    def solve(arrays: AffinityArrays) -> IntArray:
        return mutex_watershed(arrays.affinities, arrays.offsets, arrays.strides).ravel()

    return Contender(lambda arrays: arrays, lambda arrays: arrays, solve)


def _peer_graph(num_nodes: int, edges: Any) -> Any:
    import bioimage_cpp.graph as peer_graph

    graph = peer_graph.undirected_graph(num_nodes)
    graph.insert_edges(edges)
    return graph


def _peer_minimiser(make: Callable[[Any], Any]) -> Callable[[], Contender]:
    def prepare(arrays: LiftedArrays) -> tuple[Any, ...]:
        num_nodes, edges, costs, lifted_edges, lifted_costs = _take_all(arrays)
        wide = lifted_edges.astype(np.uint64)
        return num_nodes, edges.astype(np.uint64), costs, wide, lifted_costs

    def build(prepared: tuple[Any, ...]) -> Any:
        from bioimage_cpp.graph import lifted_multicut as peer

        num_nodes, edges, costs, lifted_edges, lifted_costs = prepared
        graph = _peer_graph(num_nodes, edges)
        return peer.LiftedMulticutObjective(
            graph, costs, lifted_uvs=lifted_edges, lifted_costs=lifted_costs
        )

    def solve(objective: Any) -> IntArray:
        from bioimage_cpp.graph import lifted_multicut as peer

        return np.asarray(make(peer).optimize(objective)).astype(np.int64)

    return lambda: Contender(prepare, build, solve)


def _peer_fusion(peer: Any) -> Any:
    # The settings that its unlifted counterpart gets, too: see benchmarks/README.md.
    return peer.FusionMoveLiftedMulticut(
        proposal_generator=peer.GreedyAdditiveProposalGenerator(),
        sub_solver=peer.LiftedKernighanLinMulticut(),
        number_of_iterations=100,
        stop_if_no_improvement=20,
    )


def _peer_clustering() -> Contender:
    def prepare(arrays: LiftedArrays) -> tuple[Any, ...]:
        # It joins along every edge of the graph, so repulsive ones have to be mutexes.
        attracts = arrays.costs > 0
        repels = arrays.lifted_costs < 0
        mutexes = np.concatenate([arrays.edges[~attracts], arrays.lifted_edges[repels]])
        costs = np.concatenate([arrays.costs[~attracts], arrays.lifted_costs[repels]])
        edges = arrays.edges[attracts].astype(np.uint64)
        return arrays.num_nodes, edges, arrays.costs[attracts], mutexes.astype(np.uint64), -costs

    def build(prepared: tuple[Any, ...]) -> tuple[Any, ...]:
        num_nodes, edges, *others = prepared
        return _peer_graph(num_nodes, edges), *others

    def solve(built: tuple[Any, ...]) -> IntArray:
        from bioimage_cpp.graph import mutex_watershed as peer

        return np.asarray(peer.mutex_watershed_clustering(*built)).astype(np.int64)

    return Contender(prepare, build, solve)


def _peer_agglomeration(linkage: str) -> Callable[[], Contender]:
    def prepare(arrays: LiftedArrays) -> tuple[Any, ...]:
        num_nodes, edges, costs = _join_all(arrays)
        return num_nodes, edges.astype(np.uint64), costs

    def build(prepared: tuple[Any, ...]) -> tuple[Any, ...]:
        num_nodes, edges, costs = prepared
        return _peer_graph(num_nodes, edges), costs

    def solve(built: tuple[Any, ...]) -> IntArray:
        from bioimage_cpp.graph import agglomeration as peer

        policy = peer.GaspClusterPolicy(linkage=linkage)
        return np.asarray(policy.optimize(*built)).astype(np.int64)

    return lambda: Contender(prepare, build, solve)


def _peer_segmentation() -> Contender:
    def prepare(arrays: AffinityArrays) -> tuple[Any, ...]:
        num_axes = arrays.affinities.ndim - 1
        strengths = arrays.affinities.copy()
        strengths[num_axes:] = 1 - strengths[num_axes:]
        return strengths, arrays.offsets, num_axes, arrays.strides

    def solve(built: tuple[Any, ...]) -> IntArray:
        from bioimage_cpp import segmentation as peer

        *arguments, strides = built
        labels = peer.mutex_watershed(*arguments, strides=strides)
        return np.asarray(labels).astype(np.int64).ravel()

    return Contender(prepare, lambda prepared: prepared, solve)


def _gasp(linkage: str, peer_linkage: str) -> LiftedContest:
    return LiftedContest(
        f"gasp {linkage}",
        "lifted",
        f"GaspClusterPolicy({peer_linkage})",
        _agglomeration(linkage),
        _peer_agglomeration(peer_linkage),
    )


# One thread each.
_ALONE = {"num_threads": 1}


def _search(
    name: str, solver: str, peer_name: str, peer: Callable[[Any], Any], **others: Any
) -> LiftedContest:
    """Return a contest of solvers that improve a partition step by step."""
    limits = {key: others.pop(key) for key in ("max_edges", "peer_max_edges") if key in others}
    ours = _Minimiser(solver, _ALONE | others)
    return LiftedContest(
        name,
        "lifted",
        peer_name,
        ours.contender,
        _peer_minimiser(peer),
        solver=solver,
        trace=ours.trace,
        **limits,
    )


CONTESTS = {
    contest.name: contest
    for contest in (
        LiftedContest(
            "gaec",
            "lifted",
            "LiftedGreedyAdditiveMulticut",
            _Minimiser("gaec").contender,
            _peer_minimiser(lambda peer: peer.LiftedGreedyAdditiveMulticut()),
            solver="gaec",
        ),
        _search(
            "klj",
            "klj",
            "LiftedKernighanLinMulticut",
            lambda peer: peer.LiftedKernighanLinMulticut(),
            peer_max_edges=2e5,
        ),
        _search("fusion", "fusion", "FusionMoveLiftedMulticut", _peer_fusion, max_edges=2e4),
        _search(
            "fusion 10 proposals",
            "fusion",
            "FusionMoveLiftedMulticut",
            _peer_fusion,
            max_edges=2e4,
            max_proposals=10,
        ),
        LiftedContest(
            "mutex-watershed",
            "lifted",
            "mutex_watershed_clustering",
            _Minimiser("mutex-watershed").contender,
            _peer_clustering,
            solver="mutex-watershed",
        ),
        _gasp("sum", "sum"),
        _gasp("average", "mean"),
        _gasp("min", "min"),
        _gasp("max", "max"),
        _gasp("max-abs", "abs_max"),
        LiftedContest(
            "vision.mutex_watershed",
            "affinities",
            "mutex_watershed",
            _segmentation,
            _peer_segmentation,
        ),
    )
}
