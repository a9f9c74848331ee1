"""Sparse geometric problems: RandomMP, and the same at any size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from multicut import _core
from multicut._arrays import plain
from multicut._checks import check_seed
from multicut._options import Options, option
from multicut.datasets.generators.graph import GeneratedGraph
from multicut.datasets.generators.record import GeneratorRecord

if TYPE_CHECKING:
    from multicut._arrays import FloatArray, IntArray
    from multicut.problem import Problem

_MOST_NODES = 100_000_000


@dataclass(frozen=True)
class GeometricOptions(Options):
    """How points are linked and what links cost."""

    mean_neighbours: float = option(6.0, "mean of k, the neighbours each node picks", least=0)
    std_neighbours: float = option(2.0, "standard deviation of k", least=0)
    std_costs: float = option(3.0, "standard deviation of the costs", least=0)
    costs: str = option(
        "gaussian",
        "gaussian: independent of the points; distance: near points attract, far ones repel",
        choices=("gaussian", "distance"),
    )


@dataclass(frozen=True)
class RandomMPOptions(GeometricOptions):
    """Options of RandomMP."""

    mean_nodes: float = option(180.0, "mean number of nodes", least=2, most=_MOST_NODES)
    std_nodes: float = option(
        30.0, "standard deviation of the number of nodes", least=0, most=_MOST_NODES
    )


@dataclass(frozen=True)
class ScalingOptions(GeometricOptions):
    """Options of the scaling study."""

    num_nodes: int = option(10_000, "number of nodes", least=2, most=_MOST_NODES)


def draw_randommp(rng: np.random.Generator, options: RandomMPOptions) -> GeneratedGraph:
    """Draw the number of nodes from a normal distribution, then the graph."""
    drawn = rng.normal(options.mean_nodes, options.std_nodes)
    return _draw_links(rng, max(2, round(drawn)), options)


def draw_scaling(rng: np.random.Generator, options: ScalingOptions) -> GeneratedGraph:
    """Draw a graph of given size."""
    return _draw_links(rng, options.num_nodes, options)


def _draw_links(
    rng: np.random.Generator, num_nodes: int, options: GeometricOptions
) -> GeneratedGraph:
    points = rng.random((num_nodes, 2))
    picks = np.rint(rng.normal(options.mean_neighbours, options.std_neighbours, num_nodes))
    counts = np.clip(picks, 1, num_nodes - 1).astype(np.int64)
    edges = plain(_core.link_nearest(points, counts))
    return GeneratedGraph(num_nodes, edges, _draw_costs(rng, points, edges, options), points)


def _draw_costs(
    rng: np.random.Generator, points: FloatArray, edges: IntArray, options: GeometricOptions
) -> FloatArray:
    if options.costs == "gaussian":
        costs = rng.normal(0, options.std_costs, len(edges))
    else:
        distances = np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1)
        spread = distances.std()
        costs = -distances * (options.std_costs / spread if spread > 0 else 1.0)
    centred: FloatArray = costs - np.median(costs)
    return centred


def randommp(num_nodes: int | None = None, seed: int = 0) -> Problem:
    """Points in the unit square, each linked to about six nearest neighbours, Gaussian costs.

    Node i is linked to its k_i nearest neighbours with k_i ~ round(N(6, 2²)), at least one. Costs
    are drawn from N(0, 3²); their median is subtracted, so that half of the edges attract.

    This is one problem from ``numpy.random.default_rng(seed)``; whole datasets, whose graphs have
    streams of their own, come from :func:`multicut.datasets.generate` and
    :class:`multicut.datasets.RandomMP`.

    Parameters
    ----------
    num_nodes
        The number of nodes, at least 2; by default drawn from round(N(180, 30²)).
    seed
        Determines the problem.
    """
    return _draw(num_nodes, seed).to_problem()


def randommp_points(num_nodes: int | None = None, seed: int = 0) -> FloatArray:
    """Return where the nodes of ``randommp(num_nodes, seed)`` lie, shape (num_nodes, 2)."""
    points = _draw(num_nodes, seed).positions
    assert points is not None
    return points


def _draw(num_nodes: int | None, seed: int) -> GeneratedGraph:
    rng = np.random.default_rng(check_seed(seed))
    if num_nodes is None:
        return draw_randommp(rng, RandomMPOptions())
    return draw_scaling(rng, ScalingOptions(num_nodes=num_nodes))


RECORD = GeneratorRecord(
    name="randommp",
    description="RandomMP: points in a square, linked to their nearest neighbours",
    draw=draw_randommp,
    options=RandomMPOptions,
)

SCALING = GeneratorRecord(
    name="scaling",
    description="RandomMP at any size, up to 10⁸ nodes",
    draw=draw_scaling,
    options=ScalingOptions,
)
