"""Where to look: corrections that are expected to change most."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut.proofreading.borders import BorderCache, Borders
from multicut.proofreading.calibration import logistic, scale_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from multicut import _core
    from multicut._arrays import BoolArray, FloatArray, IntArray

# The log odds that two sides belong together are linear in three numbers, for two clusters and for
# two parts of one: a constant, the evidence at the border, and the doublings from a node to the
# smaller side. Answers move the weights away from these; chosen on six images and half a volume,
# see benchmarks/simulated_proofreading.py.
_EXPECTED = np.array([[0.0, 0.6, -0.3], [0.0, 1.6, -0.35]])
_DEVIATION = np.array([2.0, 0.5, 0.2])
_TYPICAL_DOUBLINGS = 3.0
_STEPS, _LONGEST_STEP = 8, 2.0


@dataclass(frozen=True)
class Suggestion:
    """A correction that may be worth making.

    Attributes
    ----------
    kind
        ``"join"`` two clusters, or ``"separate"`` two parts of one.
    u, v
        A node of either side, at its core. They need not have an edge.
    margin
        By how much the objective would rise if these two sides were joined or separated.
    probability
        That the correction is right.
    size
        How much would change: the weight of both sides times the entropy of their division, in
        bits. Two equal sides count in full, and a small one beside a large one counts little.
    expected_change
        Probability times size; suggestions come in the order of it.
    """

    kind: str
    u: Any
    v: Any
    margin: float
    probability: float
    size: float
    expected_change: float


@dataclass(frozen=True, eq=False)
class Question:
    """A border that somebody was asked about."""

    pair: tuple[int, int]
    is_within: bool  # a cluster
    numbers: FloatArray  # what the odds are linear in
    margin: float
    probability: float
    size: float


class Suggester:
    """Ranks the borders of a partition by what an answer is expected to change."""

    def __init__(self, live: _core.LivePartition, costs: FloatArray, weights: FloatArray) -> None:
        self._scale = scale_of(costs)
        self._cache = BorderCache(live, weights)
        self._mean_weight = float(weights.mean()) if len(weights) else 0.0
        self._asked: dict[tuple[int, int], Question] = {}

    @property
    def weights(self) -> FloatArray:
        """How much each node counts."""
        return self._cache.weights

    def forget(self, clusters: IntArray) -> None:
        """Take note that clusters have changed."""
        self._cache.forget(clusters)

    def asked(self, u: int, v: int) -> Question | None:
        """Return the question that was about two nodes, if there was one."""
        return self._asked.get((u, v)) or self._asked.get((v, u))

    def best(self, count: int, answers: Iterable[tuple[Question, bool]]) -> list[Question]:
        """Return the questions of the largest expected change, given earlier answers."""
        within = self._cache.within()
        borders = self._cache.between().followed_by(within)
        is_within = np.arange(len(borders)) >= len(borders) - len(within)
        smaller = np.minimum(borders.first, borders.second)
        is_open = smaller > 0
        borders, is_within, smaller = borders[is_open], is_within[is_open], smaller[is_open]
        numbers = self._numbers(borders, smaller)
        weights = _fit(list(answers))
        chances = logistic((numbers * weights[is_within.astype(np.int64)]).sum(axis=1))
        chances = np.where(is_within, 1.0 - chances, chances)
        margins = np.where(is_within, borders.costs, -borders.costs)
        sizes = _sizes(borders)
        expected = chances * sizes
        first = np.arange(len(borders))
        if len(borders) > count:
            first = np.argpartition(-expected, count - 1)[:count]
        order = first[np.lexsort((first, -expected[first]))]
        found = [
            Question(
                (int(borders.pairs[i, 0]), int(borders.pairs[i, 1])),
                bool(is_within[i]),
                numbers[i],
                float(margins[i]),
                float(chances[i]),
                float(sizes[i]),
            )
            for i in order
        ]
        self._asked.update((each.pair, each) for each in found)
        return found

    def _numbers(self, borders: Borders, smaller: FloatArray) -> FloatArray:
        # Evidence along a border is neither independent nor the same everywhere.
        evidence = borders.costs / (np.sqrt(borders.counts) * self._scale)
        doublings = np.log2(smaller / self._mean_weight) - _TYPICAL_DOUBLINGS
        root = np.sign(evidence) * np.sqrt(np.abs(evidence))
        return np.stack([np.ones(len(borders)), root, doublings], axis=1)


def suggestion_of(question: Question, u: Any, v: Any) -> Suggestion:
    """Return the correction that a question is about, of two nodes with these names."""
    kind = "separate" if question.is_within else "join"
    chance, size = question.probability, question.size
    return Suggestion(kind, u, v, question.margin, chance, size, chance * size)


def as_weights(weights: ArrayLike | None, num_nodes: int) -> FloatArray:
    """Check how much each node counts, and return a copy; by default all count the same."""
    if weights is None:
        return np.ones(num_nodes)
    own = np.array(weights, dtype=np.float64, order="C")
    if own.shape != (num_nodes,) or not (own >= 0).all():
        raise ValueError(
            f"weights must hold one number of at least 0 per node, shape "
            f"({num_nodes},), got {own.shape}"
        )
    return own


def _sizes(borders: Borders) -> FloatArray:
    both = borders.first + borders.second
    sizes: FloatArray = sum(  # type: ignore[assignment]
        side * np.log2(both / side) for side in (borders.first, borders.second)
    )
    return sizes


def _fit(answers: list[tuple[Question, bool]]) -> FloatArray:
    """Return the most probable weights, of clusters and of parts, given answers."""
    fitted = _EXPECTED.copy()
    for kind in (0, 1):
        own = [(each.numbers, same) for each, same in answers if each.is_within == bool(kind)]
        if own:
            numbers = np.array([each for each, _ in own])
            is_same = np.array([same for _, same in own])
            fitted[kind] = _most_probable(_EXPECTED[kind], numbers, is_same)
    return fitted


def _most_probable(expected: FloatArray, numbers: FloatArray, is_same: BoolArray) -> FloatArray:
    """Return the weights of a logistic model, which are expected to be near some."""
    precision = 1.0 / _DEVIATION**2
    weights = expected.copy()
    for _ in range(_STEPS):
        chances = logistic(numbers @ weights)
        gradient = numbers.T @ (is_same - chances) - precision * (weights - expected)
        slopes = chances * (1.0 - chances)
        curvature = (numbers * slopes[:, None]).T @ numbers + np.diag(precision)
        step = np.linalg.solve(curvature, gradient)
        weights = weights + step * min(1.0, _LONGEST_STEP / max(np.abs(step).max(), 1e-12))
    return weights
