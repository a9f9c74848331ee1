"""Small complete problems from measurements of flowers: IrisMP."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from multicut._arrays import frozen
from multicut._checks import check_seed
from multicut._extras import needed
from multicut._options import Options, check_order, option
from multicut.datasets.generators.costs import draw_size
from multicut.datasets.generators.graph import GeneratedGraph, all_pairs
from multicut.datasets.generators.record import GeneratorRecord

if TYPE_CHECKING:
    from multicut._arrays import FloatArray
    from multicut.problem import Problem

_NUM_SAMPLES = 150
_NUM_FEATURES = 4


@dataclass(frozen=True)
class IrisMPOptions(Options):
    """Options of IrisMP."""

    min_nodes: int = option(16, "fewest nodes", least=2, most=_NUM_SAMPLES)
    max_nodes: int = option(24, "most nodes", least=2, most=_NUM_SAMPLES)
    num_features: int = option(2, "measurements that count", least=1, most=_NUM_FEATURES)
    sigma: float = option(0.6, "s in the similarity exp(-(s·distance)²)", least=0)
    clip: float = option(0.01, "similarities are kept this far from 0 and 1", least=1e-12, most=0.5)

    def check_together(self) -> None:
        """Complain about an empty range of sizes."""
        check_order(min_nodes=self.min_nodes, max_nodes=self.max_nodes)


def draw_irismp(rng: np.random.Generator, options: IrisMPOptions) -> GeneratedGraph:
    """Draw flowers and features without replacement; link all flowers, by similarity."""
    # Ranks of uniform numbers: the part of numpy's streams that is the least likely to change.
    num_nodes = draw_size(rng, options.min_nodes, options.max_nodes)
    features = np.argsort(rng.random(_NUM_FEATURES))[: options.num_features]
    samples = np.argsort(rng.random(_NUM_SAMPLES))[:num_nodes]
    points = _standardised_iris()[np.ix_(samples, features)]
    edges = all_pairs(num_nodes)
    squared = ((points[edges[:, 0]] - points[edges[:, 1]]) ** 2).sum(axis=1)
    similarity = np.clip(np.exp(-(options.sigma**2) * squared), options.clip, 1 - options.clip)
    costs = np.log(similarity / (1 - similarity))
    positions = points if options.num_features == 2 else None
    return GeneratedGraph(num_nodes, edges, costs, positions)


def irismp(seed: int = 0) -> Problem:
    """Sixteen to twenty-four irises, all linked; similar ones attract.

    Two of four measurements, z-scored over all 150 flowers, give distances d; the cost is the logit
    of the similarity exp(-(0.6·d)²), which is kept between 0.01 and 0.99.

    Parameters
    ----------
    seed
        Determines the problem, through ``numpy.random.default_rng(seed)``.
    """
    return draw_irismp(np.random.default_rng(check_seed(seed)), IrisMPOptions()).to_problem()


@cache
def _standardised_iris() -> FloatArray:
    needed("sklearn", by="IrisMP")
    from sklearn.datasets import load_iris

    measurements = load_iris().data
    return frozen((measurements - measurements.mean(axis=0)) / measurements.std(axis=0))


RECORD = GeneratorRecord(
    name="irismp",
    description="IrisMP: complete graphs of 16 to 24 flowers, similar ones attract",
    draw=draw_irismp,
    options=IrisMPOptions,
)
