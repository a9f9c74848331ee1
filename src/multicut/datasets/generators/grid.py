"""Grids of pixels or voxels: neighbours attract, long-range edges repel."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from multicut._arrays import FloatArray, IntArray
from multicut._options import Options, check_order, option
from multicut.datasets.generators.costs import draw_size
from multicut.datasets.generators.graph import GeneratedGraph
from multicut.datasets.generators.record import GeneratorRecord


@dataclass(frozen=True)
class Sides(Options):
    """How large a grid may be."""

    min_side: int
    max_side: int

    def check_together(self) -> None:
        """Complain about an empty range of sizes."""
        check_order(min_side=self.min_side, max_side=self.max_side)


@dataclass(frozen=True)
class SidesOfImage(Sides):
    """How large a grid of two axes may be."""

    min_side: int = option(8, "fewest nodes along an axis", least=1, most=10_000)
    max_side: int = option(14, "most nodes along an axis", least=1, most=10_000)


@dataclass(frozen=True)
class SidesOfVolume(Sides):
    """How large a grid of three axes may be."""

    min_side: int = option(4, "fewest nodes along an axis", least=1, most=500)
    max_side: int = option(6, "most nodes along an axis", least=1, most=500)


@dataclass(frozen=True)
class GridOptions(Sides):
    """Options of grids of any number of axes."""

    reach: int = option(3, "how far long-range edges lead along each axis", least=2, most=1000)
    long_share: float = option(0.3, "share of long-range edges that are there", least=0, most=1)
    bias: float = option(0.5, "mean cost of neighbours, and less that of long-range edges", least=0)
    noise: float = option(1.0, "standard deviation of the costs", least=0)


@dataclass(frozen=True)
class Grid2DOptions(SidesOfImage, GridOptions):
    """Options of two-dimensional grids."""


@dataclass(frozen=True)
class Grid3DOptions(SidesOfVolume, GridOptions):
    """Options of three-dimensional grids."""


def draw_grid_2d(rng: np.random.Generator, options: Grid2DOptions) -> GeneratedGraph:
    """Draw a grid of two axes."""
    return _draw_grid(rng, options, num_axes=2)


def draw_grid_3d(rng: np.random.Generator, options: Grid3DOptions) -> GeneratedGraph:
    """Draw a grid of three axes."""
    return _draw_grid(rng, options, num_axes=3)


def _draw_grid(rng: np.random.Generator, options: GridOptions, num_axes: int) -> GeneratedGraph:
    shape = tuple(draw_size(rng, options.min_side, options.max_side) for _ in range(num_axes))
    nodes = np.arange(np.prod(shape)).reshape(shape)
    neighbours = near_pairs(nodes)
    distant = far_pairs(nodes, options.reach)
    distant = distant[rng.random(len(distant)) < options.long_share]
    edges = np.sort(np.concatenate([neighbours, distant]), axis=1)
    costs = np.concatenate(
        [
            rng.normal(options.bias, options.noise, len(neighbours)),
            rng.normal(-options.bias, options.noise, len(distant)),
        ]
    )
    order = np.lexsort((edges[:, 1], edges[:, 0]))
    return GeneratedGraph(nodes.size, edges[order], costs[order], picture_of(nodes))


def near_pairs(nodes: IntArray) -> IntArray:
    """Return all pairs of nodes that are one step along an axis apart."""
    steps = np.eye(nodes.ndim, dtype=int).tolist()
    return np.concatenate([_shifted(nodes, tuple(step)) for step in steps])


def far_pairs(nodes: IntArray, reach: int) -> IntArray:
    """Return all pairs that are `reach` steps along one or more axes apart."""
    # Each direction once.
    far = [step for step in product((-1, 0, 1), repeat=nodes.ndim) if step > (0,) * nodes.ndim]
    return np.concatenate([_shifted(nodes, tuple(reach * s for s in step)) for step in far])


def sorted_pairs(pairs: IntArray) -> IntArray:
    """Return pairs u < v, ascending."""
    ordered = np.sort(pairs, axis=1)
    return ordered[np.lexsort((ordered[:, 1], ordered[:, 0]))]


def picture_of(nodes: IntArray) -> FloatArray:
    """Return the places of nodes in the plane."""
    places = np.argwhere(nodes >= 0).astype(float)
    # A third axis goes into the picture as a slanted one.
    slanted = places[:, 2:] * [0.35, 0.25] if nodes.ndim == 3 else 0.0
    return places[:, :2] + slanted


def _shifted(nodes: IntArray, step: tuple[int, ...]) -> IntArray:
    """Return all pairs of nodes that are a step apart."""
    moves = tuple(zip(step, nodes.shape, strict=True))
    here = tuple(slice(max(0, -s), max(0, n - max(0, s))) for s, n in moves)
    there = tuple(slice(max(0, s), max(0, n - max(0, -s))) for s, n in moves)
    return np.stack([nodes[here].ravel(), nodes[there].ravel()], axis=1)


GRID_2D = GeneratorRecord(
    name="grid-2d",
    description="pixels: neighbours attract, long-range edges repel",
    draw=draw_grid_2d,
    options=Grid2DOptions,
)

GRID_3D = GeneratorRecord(
    name="grid-3d",
    description="voxels: neighbours attract, long-range edges repel",
    draw=draw_grid_3d,
    options=Grid3DOptions,
)
