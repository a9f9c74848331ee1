"""Lifted problems whose costs are of very different size, against brute force in exact arithmetic.

Run as ``python -m tests.exact.lifted_big_m --num 5000`` to try many of them.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from fractions import Fraction

import numpy as np

import multicut as mc
from tests.exact.big_m import big_m_problem, faults_of
from tests.problems import connected_partitions

SOLVERS = ("lp", "ilp", "auto", "klj")


def lifted_big_m_problem(seed: int) -> mc.Problem:
    """Some edges of such a problem become lifted ones, and some edges get a lifted one beside."""
    base = big_m_problem(seed)
    rng = np.random.default_rng([seed, 1])
    lifts = rng.random(base.num_edges) < rng.choice([0.2, 0.4, 0.6])
    edges, costs = base.edges[~lifts], base.costs[~lifts]
    beside = edges[rng.random(len(edges)) < rng.choice([0.0, 0.0, 0.3])]
    others = np.append(big_m_problem(seed + 1_000_000).costs, 1.0)
    return mc.Problem(
        edges,
        costs,
        base.num_nodes,
        lifted_edges=np.concatenate([base.edges[lifts], beside]),
        lifted_costs=np.concatenate([base.costs[lifts], rng.choice(others, len(beside))]),
    )


def exact_objectives(problem: mc.Problem, labels: np.ndarray) -> list[Fraction]:
    """What each row of labels costs, without rounding."""
    edges = np.concatenate([problem.edges, problem.lifted_edges])
    fractions = [Fraction(c) for c in [*problem.costs.tolist(), *problem.lifted_costs.tolist()]]
    step = math.lcm(*(fraction.denominator for fraction in fractions))
    costs = np.array([int(fraction * step) for fraction in fractions], dtype=object)
    cut = labels[:, edges[:, 0]] != labels[:, edges[:, 1]]
    return [Fraction(int(total), step) for total in cut @ costs]


def exact_optimum(problem: mc.Problem) -> Fraction:
    """The least objective of all feasible partitions, without rounding."""
    return min(exact_objectives(problem, connected_partitions(problem)))


def faults(problem: mc.Problem, result: mc.Result, optimum: Fraction) -> list[str]:
    """Name what is wrong with a result, if anything."""
    return faults_of(result, exact_objectives(problem, result.labels[None])[0], optimum)


def main() -> None:
    """Solve many problems by several solvers, and count faults and proofs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--num", type=int, default=5_000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--solvers", nargs="+", default=SOLVERS)
    arguments = parser.parse_args()
    counts: dict[str, Counter[str]] = {solver: Counter() for solver in arguments.solvers}
    for seed in range(arguments.start, arguments.start + arguments.num):
        problem = lifted_big_m_problem(seed)
        if problem.num_edges + problem.num_lifted_edges == 0:
            continue
        optimum = exact_optimum(problem)
        for solver, count in counts.items():
            result = mc.solve(problem, solver, bound=True)
            count["proven"] += result.optimal
            for fault in faults(problem, result, optimum):
                count[fault] += 1
                print(f"{solver}, seed {seed}: {fault}", flush=True)
    for solver, count in counts.items():
        print(f"{solver}: {arguments.num:,} problems,", dict(count))


if __name__ == "__main__":
    main()
