"""Costs that are fitted to corrections."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from multicut.proofreading.calibration import logistic, scale_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from multicut import _core
    from multicut._arrays import BoolArray, FloatArray
    from multicut.problem import Problem
    from multicut.proofreading.steps import Step

NUM_FEATURES = 6  # of the default ones
# How far weights of standardised features may be from zero, in log odds.
_DEVIATION = 1.0
_STEPS, _LEAST_STEP, _LEAST_GAIN = 30, 1e-6, 1e-9
# All edges that nobody has corrected together count as many corrections, or at least as this many.
_FEWEST_OTHERS = 10


def default_features(problem: Problem) -> FloatArray:
    """Return features of edges: the cost, costs at both ends, and what triangles say."""
    from scipy.sparse import coo_array

    if problem.num_edges == 0:
        return np.zeros((0, NUM_FEATURES))
    costs = np.where(np.isfinite(problem.costs), problem.costs, 0.0)
    costs = costs / scale_of(problem.costs)
    u, v = problem.edges.T
    count = problem.num_nodes
    ends = np.concatenate([u, v])
    degrees = np.bincount(ends, minlength=count)
    sums = np.bincount(ends, np.concatenate([costs, costs]), minlength=count)
    others = [(sums[end] - costs) / np.maximum(degrees[end] - 1, 1) for end in (u, v)]
    rows, columns = np.concatenate([u, v]), np.concatenate([v, u])

    def matrix(values: FloatArray) -> coo_array:
        both = np.concatenate([values, values])
        return coo_array((both, (rows, columns)), shape=(count, count)).tocsr()

    attractive, repulsive = matrix(np.maximum(costs, 0.0)), matrix(np.maximum(-costs, 0.0))
    paths = attractive @ attractive
    conflicts = attractive @ repulsive
    conflicts = conflicts + conflicts.T
    return np.stack(
        [
            costs,
            np.minimum(*others),
            np.maximum(*others),
            np.sqrt(np.asarray(paths[u, v]).ravel()),
            np.sqrt(np.asarray(conflicts[u, v]).ravel()),
            np.log(np.minimum(degrees[u], degrees[v])),
        ],
        axis=1,
    )


def as_features(features: ArrayLike, num_edges: int) -> FloatArray:
    """Check features of edges: one row of numbers for each."""
    array = np.ascontiguousarray(features, dtype=np.float64)
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or len(array) != num_edges:
        raise ValueError(
            f"features must have one row per edge of the problem, {num_edges}, got {array.shape}"
        )
    if not np.isfinite(array).all():
        raise ValueError("features must be finite; drop or impute what is missing")
    return array


def corrected_edges(steps: Iterable[Step], joined: BoolArray) -> tuple[BoolArray, FloatArray]:
    """Return whether corrections join each edge, and how much they say about it.

    Parameters
    ----------
    steps
        What was corrected, the last one last.
    joined
        Whether the partition joins each edge of the problem.
    """
    joined, counts = joined.copy(), np.zeros(len(joined))
    for step in steps:
        linked = [each for each in step.costs if math.isinf(each[2])]
        if step.correction.kind in ("join", "separate", "add_edges") and linked:
            # What was said about two sides holds for the edges between them, all together.
            if len(step.asked_edges):
                joined[step.asked_edges] = linked[0][2] > 0
                counts[step.asked_edges] = np.maximum(
                    counts[step.asked_edges], 1.0 / len(step.asked_edges)
                )
            for edge, _, cost in linked:
                if edge < len(joined):
                    joined[edge], counts[edge] = cost > 0, 1.0
    return joined, counts


def set_learned_costs(
    live: _core.LivePartition, step: Step, earlier: Iterable[Step], model: CostModel
) -> None:
    """Give all edges learned costs but those that are constrained or were set in earlier steps."""
    weights = np.array(step.correction.costs)
    num_edges, num_features = model.features.shape
    if len(weights) != num_features:
        raise ValueError(
            f"these weights are of {len(weights) - 1} features, but there are "
            f"{num_features - 1}; pass the same features"
        )
    costs = live.costs[:num_edges]
    is_free = np.isfinite(costs)
    for each in earlier:
        if each.correction.kind != "learn":
            is_free[[edge for edge, *_ in each.costs if edge < num_edges]] = False
    learned = model.costs_of(weights)
    for edge in np.flatnonzero(is_free).tolist():
        step.costs.append((edge, float(costs[edge]), float(learned[edge])))
        live.set_cost(edge, float(learned[edge]))


@dataclass(frozen=True, eq=False)
class CostModel:
    """A logistic model of whether the ends of an edge belong together.

    The log odds are the cost over a typical cost, plus what features add to that. Without
    corrections they add nothing.
    """

    features: FloatArray  # standardised, a column of ones first
    costs: FloatArray  # in units of a typical cost
    scale: float

    @classmethod
    def of(cls, problem: Problem, features: FloatArray) -> CostModel:
        """Prepare the model of a problem."""
        spread = features.std(axis=0)
        spread[spread == 0.0] = 1.0
        standard = (features - features.mean(axis=0)) / spread if len(features) else features
        scale = scale_of(problem.costs)
        costs = np.where(np.isfinite(problem.costs), problem.costs, 0.0) / scale
        columns = [np.ones((len(features), 1)), standard]
        return cls(np.concatenate(columns, axis=1), costs, scale)

    def fit(self, joined: BoolArray, counts: FloatArray) -> FloatArray:
        """Return weights of the features.

        Corrected edges count as `counts` says. All others count as the partition has them, a little
        each: people look for errors, so what they leave alone is probably none.
        """
        is_corrected = counts > 0
        num_others = max(len(joined) - int(is_corrected.sum()), 1)
        others = max(float(counts.sum()), _FEWEST_OTHERS) / num_others
        counts = np.where(is_corrected, counts, min(others, 1.0))
        target = joined.astype(np.float64)
        weights = np.zeros(self.features.shape[1])
        loss = self._loss(weights, target, counts)
        for _ in range(_STEPS):
            chances = logistic(self._odds(weights))
            gradient = self.features.T @ (counts * (target - chances)) - weights / _DEVIATION**2
            slopes = counts * chances * (1.0 - chances)
            curvature = (self.features * slopes[:, None]).T @ self.features
            curvature += np.eye(len(weights)) / _DEVIATION**2
            step = np.linalg.solve(curvature, gradient)
            tried = self._loss(weights + step, target, counts)
            while tried > loss and float(np.abs(step).max()) > _LEAST_STEP:
                step = step / 2.0
                tried = self._loss(weights + step, target, counts)
            if not loss - tried > _LEAST_GAIN * loss:
                break
            weights, loss = weights + step, tried
        return weights

    def costs_of(self, weights: FloatArray) -> FloatArray:
        """Return the cost of each edge under some weights."""
        costs: FloatArray = self.scale * self._odds(weights)
        return costs

    def _odds(self, weights: FloatArray) -> FloatArray:
        odds: FloatArray = self.costs + self.features @ weights
        return odds

    def _loss(self, weights: FloatArray, target: FloatArray, counts: FloatArray) -> float:
        odds = self._odds(weights)
        fit = float((counts * (np.logaddexp(0.0, odds) - target * odds)).sum())
        return fit + 0.5 * float((weights**2).sum()) / _DEVIATION**2
