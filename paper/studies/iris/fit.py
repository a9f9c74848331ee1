"""How well a variant of IrisMP fits the published statistics.

The constant γ in exp(−γ d^p) is fitted, so no reading of σ has to be guessed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from multicut.benchmark.ratios import objective_ratios
from multicut.problem import Problem
from multicut.solve import solve_batch
from paper.studies.iris.variants import Array, Graphs, Variant

#: The published statistics of 20,000 training graphs, GAEC's ratio on 1,000 test graphs, and what
#: counts as one unit of difference: rounding, and what splits of 1,000 graphs differ by.
PUBLISHED = {
    "min": (-4.51, 0.02),
    "min ±": (0.29, 0.03),
    "mean": (-0.41, 0.02),
    "mean ±": (0.41, 0.02),
    "max": (4.57, 0.01),
    "max ±": (0.12, 0.015),
    "negative": (-1.169, 0.01),
    "positive": (0.762, 0.01),
    "optimum": (-1.103, 0.01),
    "gaec": (0.9836, 0.003),
}

#: Graphs that the first grid of :func:`fit` is tried on.
_COARSE = 200


def costs_of(graphs: Graphs, variant: Variant, gamma: float) -> Array:
    """Return the logits of the similarities of all edges."""
    similarities = np.exp(-gamma * graphs.distances**variant.power)
    if variant.similarity_noise:
        similarities = similarities + variant.similarity_noise * graphs.noise
    similarities = np.clip(similarities, variant.clip, 1 - variant.clip)
    logits: Array = np.log(similarities / (1 - similarities))
    return logits


def describe(graphs: Graphs, variant: Variant, gamma: float) -> dict[str, float]:
    """Return the statistics of costs."""
    costs, begins = costs_of(graphs, variant, gamma), graphs.offsets[:-1]
    sizes = np.diff(graphs.offsets)
    least, most = np.minimum.reduceat(costs, begins), np.maximum.reduceat(costs, begins)
    mean = np.add.reduceat(costs, begins) / sizes
    return {
        "min": float(least.mean()),
        "min ±": float(least.std()),
        "mean": float(mean.mean()),
        "mean ±": float(mean.std()),
        "max": float(most.mean()),
        "max ±": float(most.std()),
        "negative": float((np.add.reduceat(np.minimum(costs, 0), begins) / sizes).mean()),
        "positive": float((np.add.reduceat(np.maximum(costs, 0), begins) / sizes).mean()),
    }


def problems_of(graphs: Graphs, variant: Variant, gamma: float) -> list[Problem]:
    """Return the graphs with their costs."""
    costs = np.split(costs_of(graphs, variant, gamma), graphs.offsets[1:-1])
    return list(map(Problem, graphs.edges, costs, graphs.num_nodes))


def describe_solutions(
    problems: Sequence[Problem], solvers: Sequence[str] = ("gaec",)
) -> dict[str, float]:
    """Return the mean optimum per edge, as ``ilp`` finds it, and the mean ratios of solvers."""
    optima = _objectives(problems, "ilp")
    sizes = np.array([problem.num_edges for problem in problems])
    found = {"optimum": float((optima / sizes).mean())}
    for solver in solvers:
        found[solver] = float(objective_ratios(_objectives(problems, solver), optima).mean())
    return found


def _objectives(problems: Sequence[Problem], solver: str) -> Array:
    results = solve_batch(problems, solver, num_workers=1)
    return np.array([result.objective for result in results])


def differences(found: Mapping[str, float]) -> dict[str, float]:
    """Return the differences from the published values, in units of :data:`PUBLISHED`."""
    return {
        name: (found[name] - value) / unit
        for name, (value, unit) in PUBLISHED.items()
        if name in found
    }


def distance_to_published(found: Mapping[str, float]) -> float:
    """Return the root of the mean square of the differences; 1 would be a fit."""
    return float(np.sqrt(np.mean(np.square(list(differences(found).values())))))


def fit(graphs: Graphs, variant: Variant) -> float:
    """Return the γ that fits the statistics of costs best.

    A grid on a part of the graphs comes first, then a finer one on all of them.
    """
    grid = np.exp(np.linspace(-4, 5, 28))
    return refit(graphs, variant, _best(graphs.first(_COARSE), variant, grid), 0.3)


def refit(graphs: Graphs, variant: Variant, gamma: float, width: float) -> float:
    """Return the γ that fits best among some that differ by at most this from one, in logarithm."""
    near = np.log(gamma) + width * np.linspace(-1, 1, 13)
    return _best(graphs, variant, np.exp(near))


def _best(graphs: Graphs, variant: Variant, grid: Array) -> float:
    scores = [distance_to_published(describe(graphs, variant, gamma)) for gamma in grid]
    return float(grid[int(np.argmin(scores))])
