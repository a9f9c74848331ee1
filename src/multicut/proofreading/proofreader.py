"""A partition that follows corrections."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, SupportsIndex

import numpy as np

from multicut import _core
from multicut._arrays import frozen, plain
from multicut._checks import check_integer, check_seed
from multicut.partition import canonical, evaluate
from multicut.problem import Problem, check_problem
from multicut.proof import certify
from multicut.proofreading.clusters import divide_cluster, edges_at_border, join_clusters
from multicut.proofreading.corrections import Correction, read_corrections, write_corrections
from multicut.proofreading.learning import (
    CostModel,
    as_features,
    corrected_edges,
    default_features,
    set_learned_costs,
)
from multicut.proofreading.node_names import NodeNames, ends_of
from multicut.proofreading.steps import Step, change_cost, changes_of, make_again, take_back
from multicut.proofreading.suggestions import Suggester, Suggestion, as_weights, suggestion_of
from multicut.proofreading.whole import WholeSolver
from multicut.result import Result

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike, NDArray

    from multicut._arrays import IntArray

# Rounds of a search: the first around the correction, the others around what has changed.
_MAX_ROUNDS = 4


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
        self._solver = WholeSolver(solver, time_limit, check_seed(seed), options)
        start = time.perf_counter()
        first = self._solver.solve(problem, initial)
        self._live = _core.LivePartition(problem.graph, problem.costs, first.labels)
        self._names = NodeNames(problem)
        self._steps: list[Step] = []
        self._undone: list[Step] = []
        self._suggester: Suggester | None = None
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
        return self._apply(
            Correction("set_cost", (ends_of(edge, self._live, self._names),), (float(cost),))
        )

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
        take_back(self._live, step)
        self._undone.append(step)
        self._moved_by(step, step.bounds[0])
        return step.correction

    def redo(self) -> Correction:
        """Make a correction again that was undone last."""
        if not self._undone:
            raise IndexError("there is no correction to make again")
        step = self._undone.pop()
        make_again(self._live, step, self._names)
        self._steps.append(step)
        self._moved_by(step, step.bounds[1])
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
                solver=self._solver.name,
                seed=self._solver.seed,
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

        A suggestion is about the border between two clusters, or between two parts of one. The
        expected change is the probability that the correction is right, from the costs at the
        border, the sizes of its sides and earlier answers, times what would change. Pass it to
        :meth:`answer`, whether or not it is right: then it does not come again.

        Parameters
        ----------
        k
            How many.
        weights
            How much each node counts, such as the size of its region; by default all the same.
        """
        count = check_integer(1, k=k)
        own = as_weights(weights, self._original.num_nodes)
        if self._suggester is None or not np.array_equal(self._suggester.weights, own):
            self._suggester = Suggester(self._live, self._original.costs, own)
        answers = [
            (step.question, bool(step.costs[0][2] > 0)) for step in self._steps if step.question
        ]
        return [
            suggestion_of(question, *self._names.names(question.pair))
            for question in self._suggester.best(count, answers)
        ]

    def answer(self, suggestion: Suggestion, is_right: bool) -> Correction:
        """Make a suggested correction, or the opposite one if it is wrong.

        It is about whole sides: if it is right, two clusters are joined, or the parts of one are
        separated. Otherwise the two nodes are kept apart, or together, from now on.
        """
        u, v = suggestion.u, suggestion.v
        if suggestion.kind == "join":
            return join_clusters(self, u, v) if is_right else self.separate(u, v)
        return divide_cluster(self, u, v) if is_right else self.join(u, v)

    def learn(self) -> Correction:
        """Fit the costs to the corrections so far, and solve the problem with these costs.

        A logistic model of edge features says whether the ends of an edge belong together. It is
        fitted to all edges that were joined or separated, one by one, by a line or by an answer;
        edges that nobody has corrected count a little, as the partition has them. Costs that a
        correction has set stay as they are. It can be undone, and learning again starts from the
        original costs.
        """
        u, v = self._original.edges.T
        joined, counts = corrected_edges(self._steps, self.labels[u] == self.labels[v])
        if not counts.any():
            raise ValueError("there is nothing to learn from: join or separate nodes first")
        weights = self._model.fit(joined, counts)
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
        live = self._live
        step = Step(correction)
        changes = changes_of(correction, self._names, live)
        if changes and self._suggester is not None and math.isinf(changes[0][2]):
            step.question = self._suggester.asked(*changes[0][:2])
            if step.question is not None:
                edges = edges_at_border(self, *step.question.pair)
                step.asked_edges = edges[edges < self._original.num_edges]
        if correction.kind == "learn":
            set_learned_costs(live, step, self._steps, self._model)
        for change in changes:
            try:
                change_cost(live, step, change, self._steps, self._names)
            except ValueError:
                take_back(live, step)
                raise
        if changes:
            seeds = np.unique([node for u, v, _ in changes for node in (u, v)])
            live.improve(seeds, self._region_size, _MAX_ROUNDS)
        self._problem = self._result = None
        is_anew = live.num_edges < self._anew_below or correction.kind == "learn"
        bound = self._solver.improve(live, self.problem) if is_anew else None
        step.nodes, step.before, step.after = map(plain, live.take_changes())
        step.bounds = (self._bound, bound)
        self._steps.append(step)
        self._undone.clear()
        self._runtime = time.perf_counter() - start
        self._moved_by(step, bound, keeps_problem=True)
        return correction

    @cached_property
    def _model(self) -> CostModel:
        features = self._features
        if features is None:
            features = default_features(self._original)
        return CostModel.of(self._original, features)

    def _moved_by(self, step: Step, bound: float | None, *, keeps_problem: bool = False) -> None:
        """Take note of what a step has changed, made or taken back."""
        self._changed = step.nodes
        self._bound = bound
        self._result = None
        if not keeps_problem:
            self._problem = None
        if self._suggester is not None:
            ends = [self._names.pair(u, v) for u, v in step.correction.pairs]
            labels = self.labels.astype(np.int64)
            own = labels[np.array(ends, dtype=np.int64).ravel()]
            changed = np.concatenate([step.before, step.after, own])
            self._suggester.forget(labels if step.correction.kind == "learn" else changed)
