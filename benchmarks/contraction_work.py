"""Fits the constants by which `multicut train policy` estimates the time of ``dual-greedy``.

Policies of many kinds contract graphs of every generator, one thread, processor time beside that of
``gaec``. The estimate is linear in the number of packings. Its constants are fitted to the
geometric means over the generators. The output is the constants of
``multicut.training.policy.work``, the error of the fit, and that of the constants there now.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

import multicut as mc
from multicut import _core
from multicut.solvers.dual_greedy import Policy
from multicut.training.policy.settings import default_families
from multicut.training.policy.work import count_packings, estimate_work

SHARES = (0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02)
SWEEPS = ((0, 0), (1, 0), (3, 0), (5, 0), (0, 2), (1, 1), (3, 1), (3, 2), (3, 4), (5, 2))
NAMES = (
    "_ONCE",
    "_REBUILD",
    "_TRIANGLES",
    "_TRIANGLE_SWEEPS",
    "_SQUARES_ALONE",
    "_SQUARES",
    "_SQUARE_SWEEPS",
)
FIRST_GUESS = (1.0, 0.2, 0.2, 0.03, 0.5, 0.4, 0.03)


def main() -> None:
    """Measure, fit and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--num", type=int, default=20, help="graphs of each generator")
    parser.add_argument("--repetitions", type=int, default=5, help="the shortest time counts")
    arguments = parser.parse_args()
    policies = [
        Policy(share=share, triangle_sweeps=triangles, square_sweeps=squares)
        for share, (triangles, squares) in itertools.product(SHARES, SWEEPS)
    ]
    measured, terms, estimated = [], [], []
    for family in default_families():
        ratios, clusters, nodes = measure(family, policies, arguments.num, arguments.repetitions)
        measured.append(np.log(ratios))
        pairs = list(zip(policies, clusters, strict=True))
        terms.append([terms_of(policy, nodes, found) for policy, found in pairs])
        estimated.append([np.log(estimate_work(p, nodes, found).mean()) for p, found in pairs])
        print(f"{family}: {ratios.min():.2f} … {ratios.max():.2f} times gaec", flush=True)
    times, design = np.mean(measured, axis=0), np.array(terms)

    def errors(logarithms: NDArray[np.float64]) -> NDArray[np.float64]:
        fitted: NDArray[np.float64] = np.log(design @ np.exp(logarithms)).mean(axis=0) - times
        return fitted

    fit = least_squares(errors, np.log(FIRST_GUESS))
    for name, value in zip(NAMES, np.exp(fit.x), strict=True):
        print(f"{name} = {value:.3f}")
    show("fitted", fit.fun)
    show("now", np.mean(estimated, axis=0) - times)


def measure(
    family: str, policies: list[Policy], num: int, repetitions: int
) -> tuple[NDArray[np.float64], list[NDArray[np.int64]], NDArray[np.int64]]:
    """Return times over those of gaec, and numbers of clusters and nodes."""
    problems = list(mc.datasets.generate(family, num, split="valid", seed=1))

    def seconds(make: Callable[[mc.Problem], _core.Task]) -> tuple[float, list[_core.Solution]]:
        tasks = [make(problem) for problem in problems]
        start = time.process_time()
        found = _core.run_all(tasks, num_threads=1)
        return time.process_time() - start, found

    gaec = np.inf
    shortest = np.full(len(policies), np.inf)
    clusters: list[NDArray[np.int64]] = [np.array([])] * len(policies)
    for _ in range(repetitions):
        for i, policy in enumerate(policies):
            options = policy.to_dict()
            # Alternating, since the speed of a machine drifts.
            gaec = min(gaec, seconds(lambda p: _core.gaec(p.graph, p.costs))[0])
            taken, found = seconds(
                lambda p, options=options: _core.dual_greedy(p.graph, p.costs, **options)  # type: ignore[misc]
            )
            shortest[i] = min(shortest[i], taken)
            clusters[i] = np.array([each.num_clusters for each in found])
    nodes = np.array([problem.num_nodes for problem in problems])
    return shortest / gaec, clusters, nodes


def terms_of(
    policy: Policy, num_nodes: NDArray[np.int64], num_clusters: NDArray[np.int64]
) -> list[float]:
    """Return what each of the constants is multiplied by."""
    packings = float(count_packings(policy.share, num_nodes, num_clusters).mean())
    triangles, squares = policy.triangle_sweeps, policy.square_sweeps
    return [
        1.0,
        packings,
        packings * (triangles > 0),
        packings * np.log2(max(triangles, 1)),
        packings * (squares > 0 and triangles == 0),
        packings * (squares > 0 and triangles > 0),
        packings * np.log2(max(squares, 1)),
    ]


def show(name: str, errors: NDArray[np.float64]) -> None:
    """Print how far estimates are off, as factors."""
    typical, largest = np.exp(np.sqrt(np.mean(errors**2))), np.exp(np.abs(errors).max())
    print(f"{name}: off by a factor of {typical:.3f} (root mean square), {largest:.3f} at most")


if __name__ == "__main__":
    main()
