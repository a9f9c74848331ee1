"""Grids of pixels or voxels whose long-range affinities are lifted edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multicut._arrays import FloatArray, IntArray
from multicut._options import option
from multicut.datasets.generators.costs import draw_size
from multicut.datasets.generators.graph import GeneratedGraph
from multicut.datasets.generators.grid import (
    Sides,
    SidesOfImage,
    SidesOfVolume,
    far_pairs,
    near_pairs,
    picture_of,
    sorted_pairs,
)
from multicut.datasets.generators.record import GeneratorRecord


@dataclass(frozen=True)
class LiftedGridOptions(Sides):
    """Options of grids with long-range affinities, of any number of axes."""

    num_objects: int = option(6, "hidden objects", least=1, most=10_000)
    reach: int = option(3, "how far lifted edges lead along each axis", least=2, most=1000)
    lifted_share: float = option(0.5, "share of lifted edges that are there", least=0, most=1)
    noise: float = option(1.0, "standard deviation of the noise on costs of ±1", least=0)
    lifted_noise: float = option(0.7, "the same for costs of lifted edges", least=0)


@dataclass(frozen=True)
class LiftedGrid2DOptions(SidesOfImage, LiftedGridOptions):
    """Options of two-dimensional grids."""


@dataclass(frozen=True)
class LiftedGrid3DOptions(SidesOfVolume, LiftedGridOptions):
    """Options of three-dimensional grids."""


def draw_lifted_grid_2d(rng: np.random.Generator, options: LiftedGrid2DOptions) -> GeneratedGraph:
    """Draw a grid of two axes."""
    return _draw_lifted_grid(rng, options, num_axes=2)


def draw_lifted_grid_3d(rng: np.random.Generator, options: LiftedGrid3DOptions) -> GeneratedGraph:
    """Draw a grid of three axes."""
    return _draw_lifted_grid(rng, options, num_axes=3)


def _draw_lifted_grid(
    rng: np.random.Generator, options: LiftedGridOptions, num_axes: int
) -> GeneratedGraph:
    """Give +1 to pairs within an object and -1 to others; add noise."""
    shape = tuple(draw_size(rng, options.min_side, options.max_side) for _ in range(num_axes))
    nodes = np.arange(np.prod(shape)).reshape(shape)
    objects = _draw_objects(rng, shape, options.num_objects)
    edges = sorted_pairs(near_pairs(nodes))
    distant = far_pairs(nodes, options.reach)
    lifted = sorted_pairs(distant[rng.random(len(distant)) < options.lifted_share])
    return GeneratedGraph(
        nodes.size,
        edges,
        noisy_costs(rng, objects, edges, options.noise),
        picture_of(nodes),
        lifted,
        noisy_costs(rng, objects, lifted, options.lifted_noise),
    )


def _draw_objects(rng: np.random.Generator, shape: tuple[int, ...], num_objects: int) -> IntArray:
    """Give each node to the nearest of random points."""
    centres = rng.random((num_objects, len(shape))) * np.array(shape)
    places = np.indices(shape).reshape(len(shape), -1).T + 0.5
    nearest = np.zeros(len(places), dtype=np.int64)
    least = np.full(len(places), np.inf)
    for i, centre in enumerate(centres):
        distances = ((places - centre) ** 2).sum(axis=1)
        nearest[distances < least] = i
        least = np.minimum(least, distances)
    return nearest


def noisy_costs(
    rng: np.random.Generator, clusters: IntArray, edges: IntArray, noise: float
) -> FloatArray:
    """Return +1 for pairs within a cluster and -1 for others, with noise."""
    same = clusters[edges[:, 0]] == clusters[edges[:, 1]]
    return np.where(same, 1.0, -1.0) + rng.normal(0, noise, len(edges))


LIFTED_GRID_2D = GeneratorRecord(
    name="lifted-grid-2d",
    description="pixels of hidden objects: noisy neighbours, lifted edges for long-range "
    "affinities",
    draw=draw_lifted_grid_2d,
    options=LiftedGrid2DOptions,
    is_lifted=True,
)

LIFTED_GRID_3D = GeneratorRecord(
    name="lifted-grid-3d",
    description="voxels of hidden objects: noisy neighbours, lifted edges for long-range "
    "affinities",
    draw=draw_lifted_grid_3d,
    options=LiftedGrid3DOptions,
    is_lifted=True,
)
