"""Lifted problems and affinity maps, as the arrays that every package can start from."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multicut._arrays import BoolArray, FloatArray, IntArray
    from multicut.problem import Problem

DEFAULT_SIZES = (10_000, 100_000, 1_000_000)
QUICK_SIZES = (1_000,)
#: Of all edges of a grid, the lifted ones.
SHARES = (0.1, 0.3, 0.5)
# Where lifted edges of a grid lead to, and repulsive channels of affinity maps.
_FAR = ((0, 3), (3, 0), (0, 9), (9, 0), (9, 9), (9, -9))
_FAR_IN_VOLUMES = ((-2, 0, 0), (0, -3, 0), (0, 0, -3), (0, -9, 0), (0, 0, -9), (-3, -4, -4))


@dataclass(frozen=True, eq=False)
class LiftedArrays:
    """One lifted problem: edges that connect, lifted ones, and a cost for each."""

    num_nodes: int
    edges: IntArray
    costs: FloatArray
    lifted_edges: IntArray
    lifted_costs: FloatArray

    @property
    def num_edges(self) -> int:
        """The number of edges that connect."""
        return len(self.edges)

    @property
    def num_lifted(self) -> int:
        """The number of lifted edges."""
        return len(self.lifted_edges)

    @cached_property
    def problem(self) -> Problem:
        """The same for the yardstick."""
        from multicut.problem import Problem

        return Problem(
            self.edges,
            self.costs,
            self.num_nodes,
            lifted_edges=self.lifted_edges,
            lifted_costs=self.lifted_costs,
        )

    def objective(self, labels: IntArray) -> float:
        """Cost of what is cut once clusters are connected: the same yardstick for all packages."""
        from multicut.partition import objective

        return objective(self.problem, labels)


@dataclass(frozen=True, eq=False)
class AffinityArrays:
    """The affinities of an image or volume, of which the first `ndim` channels are attractive."""

    affinities: NDArray[np.float32]
    offsets: tuple[tuple[int, ...], ...]
    strides: tuple[int, ...] | None = None

    @property
    def num_nodes(self) -> int:
        """The number of pixels."""
        return math.prod(self.affinities.shape[1:])

    @property
    def num_edges(self) -> int:
        """The number of attractive pairs, those that lead out of the image included."""
        return self.num_nodes * (self.affinities.ndim - 1)

    @property
    def num_lifted(self) -> int:
        """The number of repulsive pairs, about."""
        num_channels = len(self.offsets) - (self.affinities.ndim - 1)
        return self.num_nodes * num_channels // math.prod(self.strides or (1,))

    def objective(self, labels: IntArray) -> float:
        """Cost of all pairs between different segments, where a pair costs its affinity - 1/2."""
        segments = labels.reshape(self.affinities.shape[1:])
        total = 0.0
        for affinities, offset in zip(self.affinities, self.offsets, strict=True):
            here = tuple(slice(max(0, -step), _end(-step)) for step in offset)
            there = tuple(slice(max(0, step), _end(step)) for step in offset)
            cut = segments[here] != segments[there]
            total += float((affinities[here][cut].astype(np.float64) - 0.5).sum())
        return total


def _end(step: int) -> int | None:
    return step if step < 0 else None


@dataclass(frozen=True)
class LiftedSet:
    """One row of the table for each contest that takes its kind of arrays.

    Attributes
    ----------
    name
        What the row is called.
    kind
        ``"lifted"`` or ``"affinities"``.
    num_edges
        About how many edges there are, to leave out what takes too long.
    load
        Makes the arrays; called once, just before they are needed.
    """

    name: str
    kind: str
    num_edges: int
    load: Callable[[], Any]


def list_lifted_sets(sizes: Sequence[int]) -> list[LiftedSet]:
    """List grids, region graphs, tracking graphs and affinity maps of about so many edges."""
    sets = []
    for size in sizes:
        for share in SHARES:
            name = f"grid {size:,}, {share:.0%} lifted"
            sets.append(LiftedSet(name, "lifted", size, partial(grid, size, share)))
        sets.append(LiftedSet(f"regions {size:,}", "lifted", size, partial(regions, size)))
        sets.append(LiftedSet(f"tracking {size:,}", "lifted", size, partial(tracking, size)))
        sets.append(LiftedSet(f"image {size:,}", "affinities", size, partial(image, size)))
        sets.append(LiftedSet(f"volume {size:,}", "affinities", size, partial(volume, size)))
    return sets


def grid(num_edges: int, share: float, seed: int = 0) -> LiftedArrays:
    """Make a grid of pixels with planted segments, a share of whose edges is lifted."""
    rng = np.random.default_rng(seed)
    side = max(round(math.sqrt((1 - share) * num_edges / 2)), 12)
    segments = _planted(rng, (side, side), 6).ravel()
    pixels = np.arange(side * side).reshape(side, side)
    near = np.concatenate([_pairs(pixels, (0, 1)), _pairs(pixels, (1, 0))])
    far = np.concatenate([_pairs(pixels, step) for step in _FAR])
    num_lifted = min(round(share * num_edges), len(far))
    far = far[np.sort(rng.choice(len(far), num_lifted, replace=False))]
    return LiftedArrays(
        side * side, near, _noisy(rng, segments, near), far, _noisy(rng, segments, far)
    )


def regions(num_edges: int, seed: int = 0) -> LiftedArrays:
    """Make a region graph: nearest regions touch, regions two steps away are lifted."""
    from scipy.spatial import Delaunay

    rng = np.random.default_rng(seed)
    num_nodes = max(num_edges // 11, 20)  # about 3 edges to neighbours, and 8 beyond these
    points = rng.random((num_nodes, 2))
    triangles = Delaunay(points).simplices
    near = _distinct(
        np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, ::2]])
    )
    far = _two_steps(near, num_nodes)
    # Segments are the cells of fewer points.
    from scipy.spatial import cKDTree

    segments = cKDTree(rng.random((max(num_nodes // 12, 2), 2))).query(points)[1]
    return LiftedArrays(
        num_nodes, near, _noisy(rng, segments, near), far, _noisy(rng, segments, far)
    )


def tracking(num_edges: int, seed: int = 0) -> LiftedArrays:
    """Make detections of moving objects: edges to the next frames, lifted ones farther ahead."""
    rng = np.random.default_rng(seed)
    num_frames = 40
    # Each detection has about six partners in each of the frames ahead that it is paired with.
    num_objects = max(num_edges // (num_frames * 30), 5)
    width = math.sqrt(num_objects)
    start = rng.random((num_objects, 2)) * width
    speed = rng.normal(0, 0.1, (num_objects, 2))
    frames = np.repeat(np.arange(num_frames), num_objects)
    objects = np.tile(np.arange(num_objects), num_frames)
    seen = rng.random(len(frames)) > 0.15
    frames, objects = frames[seen], objects[seen]
    places = start[objects] + speed[objects] * frames[:, None]
    places += rng.normal(0, 0.1, places.shape)
    near = _distinct(np.concatenate([_ahead(frames, places, gap) for gap in (1, 2)]))
    far = _distinct(np.concatenate([_ahead(frames, places, gap) for gap in (3, 5, 8)]))
    return LiftedArrays(
        len(frames), near, _noisy(rng, objects, near), far, _noisy(rng, objects, far)
    )


def image(num_edges: int, seed: int = 0) -> AffinityArrays:
    """Make the affinity maps of an image, two attractive channels and six repulsive ones."""
    side = max(round(math.sqrt(num_edges / 8)), 12)
    return _affinities((side, side), ((-1, 0), (0, -1), *_FAR), 6, seed)


def volume(num_edges: int, seed: int = 0) -> AffinityArrays:
    """Make those of a volume, three attractive channels and six repulsive ones with strides."""
    depth = max(round((num_edges / 9 / 16) ** (1 / 3)), 4)
    near = ((-1, 0, 0), (0, -1, 0), (0, 0, -1))
    return _affinities((depth, 4 * depth, 4 * depth), (*near, *_FAR_IN_VOLUMES), 3, seed, (1, 2, 2))


def _affinities(
    shape: tuple[int, ...],
    offsets: tuple[tuple[int, ...], ...],
    smoothing: float,
    seed: int,
    strides: tuple[int, ...] | None = None,
) -> AffinityArrays:
    rng = np.random.default_rng(seed)
    segments = _planted(rng, shape, smoothing)
    affinities = np.empty((len(offsets), *shape), dtype=np.float32)
    axes = tuple(range(len(shape)))
    for channel, offset in enumerate(offsets):
        same = segments == np.roll(segments, [-step for step in offset], axes)
        affinities[channel] = _squashed(np.where(same, 1.0, -1.0) + rng.normal(0, 1.2, shape))
    return AffinityArrays(affinities, offsets, strides)


def _planted(rng: np.random.Generator, shape: tuple[int, ...], smoothing: float) -> IntArray:
    """Divide an image into levels of smooth noise."""
    from scipy.ndimage import gaussian_filter

    noise = gaussian_filter(rng.normal(size=shape), smoothing)
    levels: IntArray = np.digitize(noise, np.quantile(noise, [0.2, 0.4, 0.6, 0.8]))
    return levels


def _noisy(rng: np.random.Generator, segments: IntArray, edges: IntArray) -> FloatArray:
    """Costs of edges within and between segments, a fifth of which have the wrong sign."""
    same: BoolArray = segments[edges[:, 0]] == segments[edges[:, 1]]
    costs: FloatArray = np.where(same, 1.0, -1.0) + rng.normal(0, 1.2, len(edges))
    return costs


def _squashed(costs: FloatArray) -> FloatArray:
    affinities: FloatArray = 1 / (1 + np.exp(-costs))
    return affinities


def _pairs(pixels: IntArray, step: tuple[int, int]) -> IntArray:
    here = tuple(slice(max(0, -s), _end(-s)) for s in step)
    there = tuple(slice(max(0, s), _end(s)) for s in step)
    return np.stack([pixels[here].ravel(), pixels[there].ravel()], axis=1)


def _distinct(edges: IntArray) -> IntArray:
    return np.unique(np.sort(edges, axis=1), axis=0)


def _two_steps(edges: IntArray, num_nodes: int) -> IntArray:
    from scipy.sparse import coo_array, triu

    ones = np.ones(2 * len(edges))
    ends = np.concatenate([edges, edges[:, ::-1]]).T
    adjacency = coo_array((ones, (ends[0], ends[1])), shape=(num_nodes, num_nodes)).tocsr()
    reached = triu(adjacency @ adjacency, 1).tocoo()
    pairs = np.stack(reached.coords, axis=1).astype(np.int64)
    is_near = np.isin(pairs @ [num_nodes, 1], np.sort(edges, axis=1) @ [num_nodes, 1])
    return pairs[~is_near]


def _ahead(frames: IntArray, places: FloatArray, gap: int) -> IntArray:
    """Pair each detection with the nearest ones of a later frame."""
    from scipy.spatial import cKDTree

    pairs = []
    for frame in range(int(frames.max()) - gap + 1):
        now, then = np.flatnonzero(frames == frame), np.flatnonzero(frames == frame + gap)
        found = min(6, len(then))
        nearest = cKDTree(places[then]).query(places[now], k=found)[1].reshape(len(now), found)
        pairs.append(np.stack([np.repeat(now, found), then[nearest].ravel()], axis=1))
    return np.concatenate(pairs)
