"""How well a variant of IrisMP fits the published statistics.

The constant γ in exp(−γ d^p) is fitted, so no reading of σ has to be guessed.
"""

from __future__ import annotations

import numpy as np

from multicut.problem import Problem
from multicut.solve import solve_batch
from paper.studies.iris.variants import Array, Graphs, Variant

#: The published statistics of 20,000 graphs, GAEC's ratio on 1,000, and what counts as one unit of
#: difference: rounding, and what splits of 1,000 graphs differ by.
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


def describe_solutions(graphs: Graphs, variant: Variant, gamma: float) -> dict[str, float]:
    """Return the mean optimum per edge and GAEC's ratio; optima are those of ``ilp``."""
    costs = np.split(costs_of(graphs, variant, gamma), graphs.offsets[1:-1])
    problems = list(map(Problem, graphs.edges, costs, graphs.num_nodes))
    optima = np.array([result.objective for result in solve_batch(problems, "ilp")])
    found = np.array([result.objective for result in solve_batch(problems, "gaec")])
    sizes = np.array([problem.num_edges for problem in problems])
    gain = optima < -1e-9
    ratios = np.where(gain, np.maximum(found / np.where(gain, optima, 1), 0), 1.0)
    return {"optimum": float((optima / sizes).mean()), "gaec": float(ratios.mean())}


def distance_to_published(found: dict[str, float]) -> float:
    """Return the root of the mean square of differences, in units of :data:`PUBLISHED`."""
    differences = [
        (value - PUBLISHED[name][0]) / PUBLISHED[name][1] for name, value in found.items()
    ]
    return float(np.sqrt(np.mean(np.square(differences))))


def fit(graphs: Graphs, variant: Variant) -> float:
    """Return the γ that fits the statistics of costs best: a grid, then a finer one."""
    grid = np.exp(np.linspace(-4, 5, 28))
    best = _best(graphs, variant, grid)
    near = np.log(best) + np.linspace(-0.3, 0.3, 13)
    return _best(graphs, variant, np.exp(near))


def _best(graphs: Graphs, variant: Variant, grid: Array) -> float:
    scores = [distance_to_published(describe(graphs, variant, gamma)) for gamma in grid]
    return float(grid[int(np.argmin(scores))])
