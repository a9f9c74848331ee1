"""Ways to make IrisMP that the text of the paper allows.

The text leaves open how measurements are scaled, what a Gaussian kernel of σ = 0.6 is, how the two
dimensions and the flowers are drawn and where similarities are cut off. Each variant is a choice of
these.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

POWERS = (1, 2)
#: Changes of the best variants.
EXTRAS: tuple[dict[str, Any], ...] = (
    *({"clip": clip} for clip in (0.001, 0.005, 0.02, 0.05)),
    *({"similarity_noise": noise} for noise in (0.02, 0.05, 0.1)),
    *({"point_noise": noise} for noise in (0.1, 0.3)),
    *({"neighbours": k} for k in (5, 10)),
)


@dataclass(frozen=True)
class Variant:
    """One way to make the graphs.

    Attributes
    ----------
    scaling, columns, sampling
        Of :data:`SCALINGS`, :data:`COLUMNS` and :data:`SAMPLINGS`.
    power
        p in the similarity exp(−γ d^p).
    clip
        Similarities are kept this far from 0 and 1.
    similarity_noise, point_noise
        Deviations of noise that is added to similarities, or to points in units of theirs.
    neighbours
        Only edges to so many nearest neighbours; 0 for complete graphs.
    """

    scaling: str
    columns: str
    sampling: str
    power: int
    clip: float = 0.01
    similarity_noise: float = 0.0
    point_noise: float = 0.0
    neighbours: int = 0

    @property
    def extras(self) -> str:
        """What differs from the first four choices, as people read it."""
        return ", ".join(
            f"{field.name.replace('_', ' ')} {value:g}"
            for field in fields(self)[4:]
            if (value := getattr(self, field.name)) != field.default
        )

    @property
    def name(self) -> str:
        """All choices in one line."""
        choices = [self.scaling, self.columns, self.sampling, f"p = {self.power}"]
        return "; ".join([*choices, self.extras] if self.extras else choices)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


def variants() -> Iterator[Variant]:
    """Yield all combinations of the first four choices."""
    for choice in itertools.product(SCALINGS, COLUMNS, SAMPLINGS, POWERS):
        yield Variant(*choice)


def changed(variant: Variant) -> Iterator[Variant]:
    """Yield a variant with one change of :data:`EXTRAS` each, then with two of different kinds."""
    for extra in EXTRAS:
        yield replace(variant, **extra)
    for first, second in itertools.combinations(EXTRAS, 2):
        if first.keys() != second.keys():
            yield replace(variant, **first, **second)


@dataclass(frozen=True, eq=False)
class _Graph:
    num_nodes: int
    edges: NDArray[np.int64]
    distances: Array
    noise: Array


@dataclass(frozen=True, eq=False)
class Graphs:
    """Many graphs; what belongs to edges lies one graph behind the other."""

    num_nodes: list[int]
    edges: list[NDArray[np.int64]]
    offsets: NDArray[np.int64]
    distances: Array
    noise: Array

    def first(self, count: int) -> Graphs:
        """Return the first graphs."""
        end = self.offsets[: count + 1][-1]
        return Graphs(
            self.num_nodes[:count],
            self.edges[:count],
            self.offsets[: count + 1],
            self.distances[:end],
            self.noise[:end],
        )


def _unchanged(values: Array) -> Array:
    return values


def _z_scores(data: Array) -> Array:
    return np.asarray((data - data.mean(0)) / data.std(0))


def _between_0_and_1(data: Array) -> Array:
    return np.asarray((data - data.min(0)) / np.ptp(data, axis=0))


def _rows_of_norm_1(data: Array) -> Array:
    return np.asarray(data / np.linalg.norm(data, axis=1, keepdims=True))


def _whitened(data: Array) -> Array:
    centred = data - data.mean(0)
    return np.asarray(np.linalg.svd(centred, full_matrices=False)[0] * np.sqrt(len(data)))


def _z_scores_of_graph(points: Array) -> Array:
    return np.asarray((points - points.mean(0)) / np.maximum(points.std(0), 1e-9))


def _between_0_and_1_in_graph(points: Array) -> Array:
    return np.asarray((points - points.min(0)) / np.maximum(np.ptp(points, axis=0), 1e-9))


@dataclass(frozen=True)
class _Scaling:
    """What is done with the measurements of all flowers, those of a graph, and its distances."""

    flowers: Callable[[Array], Array]
    points: Callable[[Array], Array] = _unchanged
    distances: Callable[[Array], Array] = _unchanged


#: How measurements are scaled.
SCALINGS = {
    "z-score": _Scaling(_z_scores),
    "raw": _Scaling(_unchanged),
    "min-max": _Scaling(_between_0_and_1),
    "over maximum": _Scaling(lambda data: data / data.max(0)),
    "one deviation": _Scaling(lambda data: data / data.std()),
    "rows of norm 1": _Scaling(_rows_of_norm_1),
    "whitened": _Scaling(_whitened),
    "z-score, per graph": _Scaling(_z_scores, points=_z_scores_of_graph),
    "min-max, per graph": _Scaling(_unchanged, points=_between_0_and_1_in_graph),
    "distance over its maximum": _Scaling(_z_scores, distances=lambda each: each / each.max()),
    "distance over its mean": _Scaling(_z_scores, distances=lambda each: each / each.mean()),
}
#: Which measurements a graph is made of.
COLUMNS: dict[str, Callable[[np.random.Generator], Indices]] = {
    "two": lambda rng: rng.choice(4, 2, replace=False),
    "two, maybe the same": lambda rng: rng.integers(0, 4, 2),
    "one": lambda rng: rng.integers(0, 4, 1),
    "all four": lambda _rng: np.arange(4),
    "neighbours": lambda rng: int(rng.integers(0, 3)) + np.arange(2),
}


def _as_many_of_each(num_nodes: int, rng: np.random.Generator) -> Indices:
    shares = np.bincount(np.arange(num_nodes) % 3, minlength=3)
    parts = [50 * kind + rng.choice(50, size, replace=False) for kind, size in enumerate(shares)]
    return np.concatenate(parts)


#: Which flowers a graph is made of, given their number.
SAMPLINGS: dict[str, Callable[[int, np.random.Generator], Indices]] = {
    "without replacement": lambda count, rng: rng.choice(150, count, replace=False),
    "with replacement": lambda count, rng: rng.choice(150, count, replace=True),
    "as many of each species": _as_many_of_each,
}


def _draw_one(variant: Variant, rng: np.random.Generator) -> _Graph:
    num_nodes = int(rng.integers(16, 25))
    columns = COLUMNS[variant.columns](rng)
    rows = SAMPLINGS[variant.sampling](num_nodes, rng)
    scaling = SCALINGS[variant.scaling]
    points = scaling.points(_scaled(variant.scaling)[np.ix_(rows, columns)])
    points = points + variant.point_noise * points.std(0) * rng.standard_normal(points.shape)
    first, second = np.triu_indices(num_nodes, 1)
    distances = scaling.distances(np.sqrt(((points[first] - points[second]) ** 2).sum(1)))
    edges = np.stack([first, second], axis=1)
    if variant.neighbours:
        table = np.full((num_nodes, num_nodes), np.inf)
        table[first, second] = table[second, first] = distances
        rank = table.argsort(axis=1).argsort(axis=1)
        near = np.minimum(rank[first, second], rank[second, first]) < variant.neighbours
        edges, distances = edges[near], distances[near]
    return _Graph(num_nodes, edges, distances, rng.standard_normal(len(distances)))


@cache
def _scaled(scaling: str) -> Array:
    from sklearn.datasets import load_iris

    data: Array = np.asarray(load_iris().data, dtype=np.float64)
    return SCALINGS[scaling].flowers(data)


def draw(variant: Variant, num_graphs: int, seed: int = 0) -> Graphs:
    """Draw graphs without their costs."""
    rng = np.random.default_rng(seed)
    parts = [_draw_one(variant, rng) for _ in range(num_graphs)]
    return Graphs(
        num_nodes=[part.num_nodes for part in parts],
        edges=[part.edges for part in parts],
        offsets=np.cumsum([0, *(len(part.edges) for part in parts)]),
        distances=np.concatenate([part.distances for part in parts]),
        noise=np.concatenate([part.noise for part in parts]),
    )
