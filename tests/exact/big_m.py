"""Problems whose costs are of very different size, against brute force in exact arithmetic.

Run as ``python -m tests.exact.big_m --num 30000`` to try many of them.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np

import multicut as mc
from tests.problems import partitions

# What ``Result.optimal`` promises, relative to the objective.
PROMISE = Fraction(1, 10**9)
SOLVERS = ("lp", "ilp", "auto", "klj", "fusion")


def big_m_problem(seed: int) -> mc.Problem:
    """Up to eight nodes; costs of two or three sizes up to 1e18 apart, of both signs, with ties."""
    rng = np.random.default_rng(seed)
    num_nodes = int(rng.integers(4, 9 if rng.random() < 0.1 else 8))
    pairs = np.array(list(combinations(range(num_nodes), 2)))
    edges = rng.permutation(pairs[rng.random(len(pairs)) < rng.choice([0.4, 0.6, 0.8, 1.0])])
    count = len(edges)
    costs = (
        rng.integers(-3, 4, count).astype(float),
        rng.normal(size=count),
        rng.integers(-30, 31, count) / 10,
    )[rng.integers(3)]
    signs = (np.ones(count), np.sign(rng.normal(size=count)), np.sign(costs))[rng.integers(3)]
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        size = 10.0 ** rng.integers(6, 19) * rng.choice([1.0, 1.0, rng.random() + 0.5])
        is_big = rng.random(count) < rng.choice([0.1, 0.3, 0.5, 0.8])
        big = size * signs * (rng.integers(1, 4, count) if rng.random() < 0.5 else 1)
        costs = np.where(is_big, big + (costs if rng.random() < 0.3 else 0.0), costs)
    return mc.Problem(edges, costs, num_nodes=num_nodes)


def exact_objective(problem: mc.Problem, labels: np.ndarray) -> Fraction:
    """The sum of the finite costs of the edges between different labels, without rounding."""
    u, v = problem.edges.T
    costs = problem.costs[(labels[u] != labels[v]) & np.isfinite(problem.costs)]
    return sum(map(Fraction, costs.tolist()), Fraction(0))


def exact_optimum(problem: mc.Problem) -> Fraction:
    """The least objective of all feasible partitions, without rounding."""
    labels = partitions(problem.num_nodes)
    u, v = problem.edges.T
    cut = labels[:, u] != labels[:, v]
    must, cannot = problem.costs == np.inf, problem.costs == -np.inf
    cut = cut[~cut[:, must].any(axis=1) & cut[:, cannot].all(axis=1)][:, ~must & ~cannot]
    fractions = [Fraction(cost) for cost in problem.costs[~must & ~cannot].tolist()]
    step = math.lcm(*(fraction.denominator for fraction in fractions))
    costs = np.array([int(fraction * step) for fraction in fractions], dtype=object)
    return Fraction(int((cut @ costs).min()), step) if len(costs) > 0 else Fraction(0)


def faults(problem: mc.Problem, result: mc.Result, optimum: Fraction) -> list[str]:
    """Name what is wrong with a result, if anything."""
    return faults_of(result, exact_objective(problem, result.labels), optimum)


def faults_of(result: mc.Result, found: Fraction, optimum: Fraction) -> list[str]:
    """Name what is wrong with a result whose labels cost `found`, without rounding."""
    promise = PROMISE * abs(optimum)
    wrong = []
    if abs(Fraction(result.objective) - found) > Fraction(2) ** -52 * abs(found):
        wrong.append("objective is not the exact one, rounded")
    if result.optimal and found > optimum + promise:
        wrong.append("false proof")
    if result.lower_bound is not None and Fraction(result.lower_bound) > optimum + promise:
        wrong.append("invalid bound")
    return wrong


def main() -> None:
    """Solve many problems by several solvers, and count faults and proofs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--num", type=int, default=30_000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--solvers", nargs="+", default=SOLVERS)
    arguments = parser.parse_args()
    counts: dict[str, Counter[str]] = {solver: Counter() for solver in arguments.solvers}
    for seed in range(arguments.start, arguments.start + arguments.num):
        problem = big_m_problem(seed)
        optimum = exact_optimum(problem)
        for solver, count in counts.items():
            result = mc.solve(problem, solver, bound=True)
            wrong = faults(problem, result, optimum)
            is_best = exact_objective(problem, result.labels) == optimum
            count["proven"] += result.optimal
            count["optimal"] += is_best
            count["proven, and not optimal to the last digit"] += result.optimal and not is_best
            for fault in wrong:
                count[fault] += 1
                if count[fault] <= 3:
                    print(f"{solver}, seed {seed}: {fault}", flush=True)
    for solver, count in counts.items():
        print(f"{solver}: {arguments.num:,} problems,", dict(count))


if __name__ == "__main__":
    main()
