"""A partition that follows corrections."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, SupportsIndex

import numpy as np

from multicut import _core
from multicut._arrays import frozen, plain
from multicut._checks import check_integer, check_seed
from multicut.partition import canonical, evaluate
from multicut.problem import Problem, check_problem
from multicut.proof import certify
from multicut.proofreading.contradictions import chain_against, contradiction
from multicut.proofreading.corrections import Correction, read_corrections, write_corrections
from multicut.proofreading.learning import CostModel, as_features, default_features
from multicut.proofreading.node_names import NodeNames
from multicut.proofreading.suggestions import Suggestion, rank_flips
from multicut.result import Result
from multicut.solve import solve
from multicut.solvers import get_solver

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike, NDArray

    from multicut._arrays import IntArray

# Rounds of a search: the first around the correction, the others around what has changed.
_MAX_ROUNDS = 4


@dataclass
class _Step:
    """What a correction has changed, so that it can be undone and done again."""

    correction: Correction
    # Costs of edges before and after; None before: the edge was added.
    costs: list[tuple[int, float | None, float]] = field(default_factory=list)
    nodes: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    before: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    after: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    bounds: tuple[float | None, float | None] = (None, None)


class Proofreader:
    """A partition of a problem that follows corrections, each at once.

    After each correction the partition is the best one that is found under all corrections so far,
    from where the last one was. The search looks only at the region that the correction concerns,
    so it takes milliseconds on graphs of any size. Small problems are solved anew as well, and the
    better partition counts: with ``solver="ilp"`` it is optimal.

    Nodes are named as in ``problem.node_ids``. Joined nodes get a must-link (an edge of cost
    ``+inf``) and separated ones a cannot-link (``-inf``), whether or not they had an edge before.
    Such edges are constraints and do not count towards the objective, as in any problem.

    Parameters
    ----------
    problem
        The problem; it does not change, :attr:`problem` is the corrected one.
    solver
        The solver of the first partition, and of small problems after each correction.
    initial
        Labels to start from, as of :func:`multicut.solve`.
    time_limit, seed, **options
        For the solver.
    features
        Numbers that describe each edge of ``problem.edges``, for :meth:`learn`: one row per edge.
        By default its cost, the costs at its ends and in triangles with it.
    region_size
        About how many nodes a search looks at. Larger regions find more and take longer.
    anew_below
        Problems of fewer edges are solved anew after each correction.

    Examples
    --------
    >>> import multicut as mc
    >>> problem = mc.Problem([[0, 1], [1, 2], [0, 2]], [1.0, 2.0, -4.0])
    >>> proof = mc.Proofreader(problem)
    >>> proof.result.labels
    array([0, 1, 1])
    >>> _ = proof.join(0, 1)
    >>> proof.result.labels
    array([0, 0, 1])
    """

    def __init__(
        self,
        problem: Problem,
        solver: str = "klj",
        *,
        initial: ArrayLike | None = None,
        time_limit: float | None = None,
        seed: SupportsIndex = 0,
        features: ArrayLike | None = None,
        region_size: int = 300,
        anew_below: int = 2_000,
        **options: Any,
    ) -> None:
        check_problem(problem)
        if problem.is_lifted:
            raise ValueError(
                "problem must have no lifted edges, Proofreader does not take these; make one "
                "without them: mc.Problem(problem.edges, problem.costs)"
            )
        self._region_size = check_integer(2, region_size=region_size)
        self._anew_below = check_integer(0, anew_below=anew_below)
        self._features = None if features is None else as_features(features, problem.num_edges)
        self._original = problem
        self._solver = solver
        self._time_limit = time_limit
        self._seed = check_seed(seed)
        self._options = options
        self._is_exact = "optimal" in get_solver(solver).returns
        start = time.perf_counter()
        first = solve(problem, solver, time_limit, self._seed, initial=initial, **options)
        self._live = _core.LivePartition(problem.graph, problem.costs, first.labels)
        self._names = NodeNames(problem)
        self._steps: list[_Step] = []
        self._undone: list[_Step] = []
        self._changed: IntArray = np.zeros(0, dtype=np.int64)
        self._bound = first.lower_bound
        self._problem: Problem | None = problem
        self._result: Result | None = first
        self._runtime = time.perf_counter() - start

    # Corrections.

    def join(self, u: Any, v: Any) -> Correction:
        """Put two nodes into one cluster: a must-link.

        Nodes without an edge get one, so a cluster may be connected by must-links alone.
        """
        return self._apply(Correction("join", ((u, v),)))

    def separate(self, u: Any, v: Any) -> Correction:
        """Put two nodes into different clusters: a cannot-link."""
        return self._apply(Correction("separate", ((u, v),)))

    def set_cost(self, edge: SupportsIndex | Sequence[Any], cost: float) -> Correction:
        """Change the cost of an edge: two node ids, or its position in ``proof.problem.edges``.

        A cost of ``+inf`` or ``-inf`` constrains the edge; a finite one ends such a constraint.
        """
        return self._apply(Correction("set_cost", (self._pair_of(edge),), (float(cost),)))

    def add_edges(self, edges: Iterable[Sequence[Any]], costs: ArrayLike) -> Correction:
        """Add edges between nodes of the problem; where there is one, the costs are added up."""
        pairs = tuple((u, v) for u, v in edges)
        values = tuple(np.asarray(costs, dtype=np.float64).ravel().tolist())
        if len(values) != len(pairs):
            raise ValueError(
                f"costs must hold one value per edge: {len(pairs)} edges, {len(values)} costs"
            )
        return self._apply(Correction("add_edges", pairs, values))

    def apply(self, correction: Correction) -> Correction:
        """Make a correction that was made elsewhere, such as one of another :attr:`history`."""
        return self._apply(correction)

    def undo(self) -> Correction:
        """Take the last correction back: costs and partition are as they were before it."""
        if not self._steps:
            raise IndexError("there is no correction to undo")
        step = self._steps.pop()
        self._take_back(step)
        self._undone.append(step)
        self._moved_to(step.nodes, step.bounds[0])
        return step.correction

    def redo(self) -> Correction:
        """Make a correction again that was undone last."""
        if not self._undone:
            raise IndexError("there is no correction to make again")
        step = self._undone.pop()
        for edge, before, after in step.costs:
            if before is None:
                self._live.add_edge(*self._names.pair(*self._added_pair(step, edge)), after)
            else:
                self._live.set_cost(edge, after)
        self._live.relabel(step.nodes, step.after)
        self._live.take_changes()
        self._steps.append(step)
        self._moved_to(step.nodes, step.bounds[1])
        return step.correction

    # What there is.

    @property
    def labels(self) -> NDArray[np.uint32]:
        """The cluster of each node: a view that follows corrections, without a copy.

        Clusters keep their numbers where they can, so the numbers have gaps.
        ``proof.result.labels`` is canonical.
        """
        return self._live.labels

    @property
    def objective(self) -> float:
        """The sum of the costs of cut edges, constraints not counted."""
        return self._live.objective

    @property
    def num_clusters(self) -> int:
        """The number of clusters."""
        return self._live.num_clusters

    @property
    def changed(self) -> list[Any]:
        """The nodes whose cluster has another number since the last correction, undo or redo."""
        return self._names.names(self._changed.tolist())

    @property
    def history(self) -> tuple[Correction, ...]:
        """All corrections so far, without those that were undone."""
        return tuple(step.correction for step in self._steps)

    @property
    def problem(self) -> Problem:
        """The corrected problem: costs as they are now, and edges that were added last."""
        if self._problem is None:
            original = self._original
            edges = np.concatenate([original.edges, self._live.added_edges])
            ids = original.node_ids if original.has_own_ids else None
            count = None if original.has_own_ids else original.num_nodes
            self._problem = Problem(edges, self._live.costs, count, node_ids=ids)
        return self._problem

    @property
    def result(self) -> Result:
        """The partition of the corrected problem, as a solver would return it; made when asked."""
        if self._result is None:
            problem = self.problem
            labels = canonical(self._live.labels.astype(np.int64))
            value, cut = evaluate(problem, labels)
            bound = self._bound
            self._result = Result(
                labels=frozen(labels),
                cut=frozen(cut),
                objective=value,
                lower_bound=None if bound is None else certify(problem, value, bound),
                num_clusters=self.num_clusters,
                trace=frozen(np.array([[self._runtime, value]])),
                solver=self._solver,
                seed=self._seed,
                stopped_by="converged",
                node_ids=problem.node_ids,
                details={"corrections": len(self._steps)},
                runtime=self._runtime,
                problem=problem,
            )
        return self._result

    # Where to look.

    def suggest(self, k: int = 1, *, weights: ArrayLike | None = None) -> list[Suggestion]:
        """Return up to k corrections that are expected to change most, the first one first.

        The expected change is the probability that a correction is right, from what it would cost,
        times what would change. A suggestion that is wrong is best answered by the opposite
        correction, which keeps it from coming again. It takes a pass over all edges.

        Parameters
        ----------
        k
            How many.
        weights
            How much each node counts, such as the size of its region; by default all the same.
        """
        count = check_integer(1, k=k)
        own = np.ones(self._original.num_nodes)
        if weights is not None:
            own = np.ascontiguousarray(weights, dtype=np.float64)
            if own.shape != (self._original.num_nodes,) or not (own >= 0).all():
                raise ValueError(
                    f"weights must hold one number of at least 0 per node, shape "
                    f"({self._original.num_nodes},), got {own.shape}"
                )
        problem = self.problem
        found = []
        for edge, margin, chance, size in rank_flips(self._live, problem, own, count):
            u, v = problem.edges[edge].tolist()
            kind = "separate" if self.labels[u] == self.labels[v] else "join"
            names = self._names.name(u), self._names.name(v)
            found.append(Suggestion(kind, *names, margin, chance, size, chance * size))
        return found

    def learn(self) -> Correction:
        """Fit the costs to the corrections so far, and solve the problem with these costs.

        A logistic model of edge features says whether the ends of an edge belong together. It is
        fitted to all edges that were joined or separated; edges that nobody has corrected count a
        little, as the partition has them. Costs that a correction has set stay as they are. It can
        be undone, and learning again starts from the original costs.
        """
        joined = np.zeros(self._original.num_edges, dtype=np.bool_)
        is_corrected = np.zeros(self._original.num_edges, dtype=np.bool_)
        u, v = self._original.edges.T
        joined[:] = self.labels[u] == self.labels[v]
        for step in self._steps:
            if step.correction.kind in ("join", "separate"):
                edge = step.costs[0][0]
                if edge < len(joined):
                    is_corrected[edge] = True
                    joined[edge] = step.correction.kind == "join"
        if not is_corrected.any():
            raise ValueError("there is nothing to learn from: join or separate nodes first")
        weights = self._model.fit(joined, is_corrected)
        return self._apply(Correction("learn", (), tuple(weights.tolist())))

    # Files.

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all corrections to a file, one JSON object per line."""
        write_corrections(path, self.history, self._original.num_nodes)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], problem: Problem, solver: str = "klj", **options: Any
    ) -> Self:
        """Make all corrections of a file, one after the other, on a problem."""
        check_problem(problem)
        corrections = read_corrections(path, problem.num_nodes)
        proof = cls(problem, solver, **options)
        for correction in corrections:
            proof._apply(correction)
        return proof

    def __repr__(self) -> str:
        return (
            f"Proofreader({self._original!r}: {len(self._steps)} corrections, "
            f"objective {self.objective:,.10g}, {self.num_clusters:,} clusters)"
        )

    # How.

    def _apply(self, correction: Correction) -> Correction:
        start = time.perf_counter()
        step = _Step(correction)
        seeds: list[int] = []
        changes = self._changes_of(correction)
        if correction.kind == "learn":
            self._set_learned_costs(step)
        for u, v, cost, adds in changes:
            try:
                self._change(step, u, v, cost, adds=adds)
            except ValueError:
                self._take_back(step)
                raise
            seeds += (u, v)
        live = self._live
        if seeds:
            live.improve(np.unique(seeds), self._region_size, _MAX_ROUNDS)
        self._problem = self._result = None
        is_anew = live.num_edges < self._anew_below or correction.kind == "learn"
        bound = self._solve_anew() if is_anew else None
        step.nodes, step.before, step.after = map(plain, live.take_changes())
        step.bounds = (self._bound, bound)
        self._steps.append(step)
        self._undone.clear()
        self._runtime = time.perf_counter() - start
        self._moved_to(step.nodes, bound, keeps_problem=True)
        return correction

    def _changes_of(self, correction: Correction) -> list[tuple[int, int, float, bool]]:
        """Return pairs of positions with their costs, and whether these are added; all checked."""
        kind = correction.kind
        if kind == "learn":
            return []
        costs = correction.costs
        if kind in ("join", "separate"):
            costs = (math.inf if kind == "join" else -math.inf,)
        changes = []
        for (u, v), cost in zip(correction.pairs, costs, strict=True):
            if math.isnan(cost):
                raise ValueError(f"cost must be a number, got nan for the edge {u!r} - {v!r}")
            first, second = self._names.pair(u, v)
            if kind == "set_cost" and self._live.find_edge(first, second) is None:
                raise ValueError(f"there is no edge between {u!r} and {v!r}; add it with add_edges")
            changes.append((first, second, cost, kind == "add_edges"))
        return changes

    def _change(self, step: _Step, u: int, v: int, cost: float, *, adds: bool) -> None:
        live = self._live
        edge = live.find_edge(u, v)
        before = None if edge is None else live.cost(edge)
        if math.isinf(cost):
            # What replaces the cost of an edge does not contradict it.
            if edge is not None and step.correction.kind == "set_cost":
                live.set_cost(edge, 0.0)
                step.costs.append((edge, before, 0.0))
            chain = chain_against(live, u, v, cost)
            if chain:
                raise contradiction(
                    str(step.correction), chain, live, self._correction_of, self._names.name
                )
        if edge is None:
            edge = live.add_edge(u, v, cost)
        else:
            assert before is not None
            cost = live.cost(edge) + cost if adds else cost
            before = live.cost(edge)
            live.set_cost(edge, cost)
        step.costs.append((edge, before, cost))

    @cached_property
    def _model(self) -> CostModel:
        features = self._features
        if features is None:
            features = default_features(self._original)
        return CostModel.of(self._original, features)

    def _set_learned_costs(self, step: _Step) -> None:
        """Give all edges learned costs but those that are constrained or were set."""
        weights = np.array(step.correction.costs)
        if len(weights) != self._model.features.shape[1]:
            raise ValueError(
                f"these weights are of {len(weights) - 1} features, but there are "
                f"{self._model.features.shape[1] - 1}; pass the same features"
            )
        costs = self._live.costs[: self._original.num_edges]
        is_free = np.isfinite(costs)
        for earlier in self._steps:
            if earlier.correction.kind != "learn":
                is_free[[edge for edge, *_ in earlier.costs if edge < len(is_free)]] = False
        learned = self._model.costs_of(weights)
        for edge in np.flatnonzero(is_free).tolist():
            step.costs.append((edge, float(costs[edge]), float(learned[edge])))
            self._live.set_cost(edge, float(learned[edge]))

    def _take_back(self, step: _Step) -> None:
        self._live.relabel(step.nodes, step.before)
        for edge, before, _ in reversed(step.costs):
            if before is None:
                self._live.remove_last_edge()
            else:
                self._live.set_cost(edge, before)
        self._live.take_changes()

    def _moved_to(
        self, nodes: IntArray, bound: float | None, *, keeps_problem: bool = False
    ) -> None:
        self._changed = nodes
        self._bound = bound
        self._result = None
        if not keeps_problem:
            self._problem = None

    def _solve_anew(self) -> float | None:
        """Solve the corrected problem, and take what is better; return the lower bound, if any."""
        problem = self.problem
        labels = self._live.labels.astype(np.int64)
        # A proof is found sooner from a good partition; others are to find what a search around
        # the correction does not.
        result = solve(
            problem,
            self._solver,
            self._time_limit,
            self._seed,
            initial=labels if self._is_exact else None,
            **self._options,
        )
        best = result.labels
        if not self._is_exact:
            both = _core.better_regions(problem.graph, problem.costs, labels, best)
            best = plain(both.labels)
        value = evaluate(problem, best)[0]
        if value < evaluate(problem, labels)[0]:
            self._live.adopt(best)
        return result.lower_bound

    def _correction_of(self, edge: int) -> tuple[int, Correction] | None:
        """Return the last correction that has changed the cost of an edge, and its number."""
        for number, step in reversed(list(enumerate(self._steps, 1))):
            if any(edge == changed for changed, _, _ in step.costs):
                return number, step.correction
        return None

    def _pair_of(self, edge: Any) -> tuple[Any, Any]:
        if isinstance(edge, str) or not hasattr(edge, "__len__"):
            index = check_integer(0, edge=edge)
            if index >= self._live.num_edges:
                raise ValueError(
                    f"edge must be a pair of node ids, or below {self._live.num_edges}, got {index}"
                )
            u, v = self._live.edge(index)
            return self._names.name(u), self._names.name(v)
        if len(edge) != 2:
            raise ValueError(f"edge must be a pair of node ids, got {edge!r}")
        return edge[0], edge[1]

    def _added_pair(self, step: _Step, edge: int) -> tuple[Any, Any]:
        """Return the node ids of an edge that a step has added."""
        position = [changed for changed, _, _ in step.costs].index(edge)
        return step.correction.pairs[position]
