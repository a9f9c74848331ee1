"""What each part of ``dual-greedy`` is worth: cycles, sweeps, weight of costs, packings, order.

One constant at a time differs from the policy ``balanced``. Ratios are means of objective / best
known objective: proven optima of RandomMP's validation graphs, and the better of ``ilp`` with a
time limit and patient ``fusion`` on others, except for graphs that are best left whole. Times are
processor times of one thread over those of ``gaec`` in the same run.

The order of joins is compared in numpy, on RandomMP alone and without times: in strict order within
a packing, as ``dual-greedy`` joins, or in rounds in which nodes join that prefer each other.
"""

from __future__ import annotations

import argparse
import dataclasses
import heapq
import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import multicut as mc
from multicut import _core
from multicut.benchmark.markdown import table
from multicut.benchmark.report import describe_environment
from multicut.solvers.dual_greedy import Policy, load_policy

FAMILIES = ("randommp", "grid-2d", "point-cloud")
SWEEPS = (1, 2, 3, 4, 5)
WEIGHTS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
SHARES = (1.0, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02)
# With it, strict order packs as often as rounds do.
SHARE_AS_IN_ROUNDS = 0.155

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def main() -> None:
    """Measure all variants and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--num", type=int, default=300, help="graphs of each family")
    parser.add_argument("--repetitions", type=int, default=5, help="the shortest time counts")
    parser.add_argument("--time-limit", type=float, default=2.0, help="seconds of ilp per graph")
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results"))
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = [
        {"part": part, "variant": variant, "families": {}} for part, variant, _ in variants()
    ]
    orders: dict[str, dict[str, float]] = {}
    for family in FAMILIES:
        problems, best = load(family, arguments.num, arguments.time_limit)
        found = measure(problems, best, arguments.repetitions)
        for row, cell in zip(rows, found, strict=True):
            row["families"][family] = cell
        print(f"{family}: {len(problems)} graphs measured", flush=True)
        if family == "randommp":
            orders = compare_orders(problems, best)
    document = {
        "environment": describe_environment("python benchmarks/contraction_ablation.py"),
        "policy": load_policy("balanced").to_dict(),
        "num_graphs": arguments.num,
        "rows": rows,
        "orders": orders,
    }
    path = arguments.output / "contraction_ablation.json"
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    path.with_suffix(".md").write_text(page(document), encoding="utf-8")
    print(page(document))


def variants() -> Iterator[tuple[str, str, Policy | None]]:
    """List what is measured: the part, the variant, and its policy; None stands for ``gaec``."""
    balanced = load_policy("balanced")

    def changed(**constants: float) -> Policy:
        return dataclasses.replace(balanced, **constants)

    yield "solver", "`gaec`", None
    for name in ("fast", "balanced", "best"):
        yield "solver", f"`dual-greedy`, {name}", load_policy(name)
    for label, triangles, squares in (
        ("none", 0, 0),
        ("triangles", 3, 0),
        ("squares", 0, 2),
        ("triangles, squares", 3, 2),
    ):
        policy = changed(triangle_sweeps=triangles, square_sweeps=squares)
        yield "cycles", label, policy
    for sweeps in SWEEPS:
        yield "triangle sweeps", f"{sweeps}", changed(triangle_sweeps=sweeps)
    for sweeps in SWEEPS:
        yield "square sweeps", f"{sweeps}", changed(square_sweeps=sweeps)
    for weight in WEIGHTS:
        yield "weight of the cost", f"{weight:g}", changed(cost_weight=weight)
    for share in SHARES:
        yield "share joined per packing", f"{share:g}", changed(share=share)


def load(family: str, num: int, time_limit: float) -> tuple[list[mc.Problem], Floats]:
    """Return validation graphs and their best known objectives."""
    if family == "randommp":
        shipped = mc.datasets.RandomMP("valid")[:num]
        return list(shipped), np.array(shipped.objective)
    problems: list[mc.Problem] = list(mc.datasets.generate(family, num, split="valid"))
    proven = mc.solve_batch(problems, "ilp", time_limit)
    patient = mc.solve_batch(problems, "fusion", patience=60)
    objectives = [[result.objective for result in results] for results in (proven, patient)]
    best = np.min(objectives, axis=0)
    # Without a cut there is nothing to divide by.
    return [problem for problem, value in zip(problems, best, strict=True) if value < 0], best[
        best < 0
    ]


def measure(
    problems: Sequence[mc.Problem], best: Floats, repetitions: int
) -> list[dict[str, float]]:
    """Return the ratio, its standard error and the time over that of ``gaec``, of each variant."""
    policies = [policy for _, _, policy in variants()]
    shortest = np.full(len(policies), np.inf)
    gaec = np.inf
    ratios = np.empty((len(policies), len(problems)))
    for _ in range(repetitions):
        for i, policy in enumerate(policies):
            # Alternating, since the speed of a machine drifts.
            gaec = min(gaec, run(problems, None)[1])
            objectives, taken = run(problems, policy)
            shortest[i] = min(shortest[i], taken)
            ratios[i] = objectives / best
    shortest[0] = gaec
    return [
        {
            "ratio": float(own.mean()),
            "standard_error": float(own.std(ddof=1) / np.sqrt(len(own))),
            "time": float(taken / gaec),
        }
        for own, taken in zip(ratios, shortest, strict=True)
    ]


def run(problems: Sequence[mc.Problem], policy: Policy | None) -> tuple[Floats, float]:
    """Return objectives and processor time of one thread; None stands for ``gaec``."""
    tasks = [
        _core.gaec(each.graph, each.costs)
        if policy is None
        else _core.dual_greedy(each.graph, each.costs, **policy.to_dict())  # type: ignore[arg-type]
        for each in problems
    ]
    start = time.process_time()
    found = _core.run_all(tasks, num_threads=1)
    return np.array([each.objective for each in found]), time.process_time() - start


# The order of joins, in numpy.

Joins = Callable[["Contracted", Floats], None]


class Contracted:
    """A graph of few nodes that is contracted; edges that become parallel are added up."""

    def __init__(self, problem: mc.Problem) -> None:
        num_nodes = problem.num_nodes
        self.costs = np.zeros((num_nodes, num_nodes))
        u, v = np.array(problem.edges).T
        self.costs[u, v] = self.costs[v, u] = problem.costs
        self.labels = np.arange(num_nodes)

    def contract(self, joined: Integers) -> None:
        """Join nodes of equal labels, which count from 0."""
        members = np.zeros((joined.max() + 1, len(joined)))
        members[joined, np.arange(len(joined))] = 1
        self.costs = members @ self.costs @ members.T
        np.fill_diagonal(self.costs, 0)
        self.labels = joined[self.labels]


def keys_of(costs: Floats, policy: Policy) -> Floats:
    """Return what a packing leaves of each cost, plus a share of the cost; as a matrix."""
    size = len(costs)
    left = np.abs(costs)
    u, v = np.nonzero(np.triu(costs < 0))
    for length, times in ((3, policy.triangle_sweeps), (4, policy.square_sweeps)):
        attracts = (costs > 0) & (left > 0)
        if length == 3:
            cycle, middle = np.nonzero(attracts[u] & attracts[v])
            paths = [(u[cycle], middle), (middle, v[cycle])]
        else:
            start, first = np.nonzero(attracts[u])
            which, second = np.nonzero(attracts[first] & attracts[v[start]])
            cycle, first = start[which], first[which]
            paths = [(u[cycle], first), (first, second), (second, v[cycle])]
        pairs = [(u[cycle], v[cycle]), *paths]
        edges = np.array([np.minimum(a, b) * size + np.maximum(a, b) for a, b in pairs])
        flat = np.triu(left).ravel()
        for _ in range(times):
            edges = edges[:, (flat[edges] > 0).all(axis=0)]
            number = np.bincount(edges.ravel(), minlength=flat.size)
            weights = (flat[edges] / number[edges]).min(axis=0, initial=np.inf)
            flat -= np.bincount(edges.ravel(), np.tile(weights, len(pairs)), flat.size)
            flat[flat < 1e-9 * np.abs(costs).ravel()] = 0
        left = flat.reshape(size, size)
        left = left + left.T
    kept: Floats = np.sign(costs) * left + policy.cost_weight * costs
    return kept


def join_favourites(graph: Contracted, keys: Floats) -> None:
    """Join all nodes that prefer each other."""
    wanted = np.where(graph.costs > 0, keys, -np.inf)
    favourite = wanted.argmax(axis=1)
    nodes = np.arange(len(keys))
    is_mutual = (favourite[favourite] == nodes) & (wanted.max(axis=1) > -np.inf)
    partner = np.where(is_mutual, np.minimum(nodes, favourite), nodes)
    graph.contract(np.unique(partner, return_inverse=True)[1])


def in_strict_order(share: float) -> Joins:
    """Return what joins edges one by one, the highest key first, keys and costs added up."""

    def join(graph: Contracted, keys: Floats) -> None:
        keys, costs = keys.copy(), graph.costs.copy()
        nodes = np.arange(len(keys))
        left = max(int(share * len(keys)), 1)
        u, v = np.nonzero(np.triu(costs > 0))
        queue = [(-keys[a, b], int(a), int(b)) for a, b in zip(u, v, strict=True)]
        heapq.heapify(queue)
        while queue and left:
            key, a, b = heapq.heappop(queue)
            if nodes[a] != a or nodes[b] != b or not costs[a, b] > 0 or -key != keys[a, b]:
                continue
            left -= 1
            nodes[nodes == b] = a
            for matrix in (keys, costs):
                matrix[a] += matrix[b]
                matrix[:, a] = matrix[a]
                matrix[b] = matrix[:, b] = matrix[a, a] = 0
            for c in np.nonzero(costs[a] > 0)[0]:
                heapq.heappush(queue, (-keys[a, c], *sorted((a, int(c)))))
        graph.contract(np.unique(nodes, return_inverse=True)[1])

    return join


def compare_orders(problems: Sequence[mc.Problem], best: Floats) -> dict[str, dict[str, float]]:
    """Return mean ratios of the two orders of joins, and how often they pack cycles."""
    balanced = load_policy("balanced")
    by_cost = dataclasses.replace(balanced, triangle_sweeps=0, square_sweeps=0)
    triangles = dataclasses.replace(balanced, square_sweeps=0)
    settings: dict[str, tuple[Policy, Joins]] = {}
    for name, policy in (
        ("costs alone", by_cost),
        ("triangles", triangles),
        ("triangles, squares", balanced),
    ):
        settings[f"{name}: strict order"] = policy, in_strict_order(balanced.share)
        settings[f"{name}: rounds"] = policy, join_favourites
    often = "triangles, squares: strict order, packed as often as in rounds"
    settings[often] = balanced, in_strict_order(SHARE_AS_IN_ROUNDS)
    found = {}
    for name, (policy, join) in settings.items():
        objectives, packings = [], 0
        for problem in problems:
            graph = Contracted(problem)
            while (graph.costs > 0).any():
                join(graph, keys_of(graph.costs, policy))
                packings += 1
            objectives.append(mc.objective(problem, graph.labels))
        ratio = float(np.mean(objectives / best))
        found[name] = {"ratio": ratio, "packings": packings / len(problems)}
        print(f"{name}: {ratio:.4f}", flush=True)
    return found


def page(document: dict[str, Any]) -> str:
    """Render the tables as a Markdown page."""
    constants = ", ".join(f"{key} {value:g}" for key, value in document["policy"].items())
    lines = [
        "# Ablation of contraction guided by a dual",
        "",
        "Generated by `benchmarks/contraction_ablation.py`; do not edit. Mean objective over the",
        "best known one, ± its standard error, and processor time of one thread over that of",
        f"`gaec` in the same run; {document['num_graphs']} validation graphs of each family,",
        "without those that are best left whole. One constant at a time differs from the policy",
        f"`balanced`: {constants}.",
        "",
    ]
    environment = document["environment"]
    lines += [f"- {key.replace('_', ' ')}: {value}" for key, value in environment.items()]
    rows = []
    part = ""
    for row in document["rows"]:
        cells = [
            f"{cell['ratio']:.4f} ± {cell['standard_error']:.4f}, {cell['time']:.1f} ×"
            for cell in row["families"].values()
        ]
        rows.append([row["part"] if row["part"] != part else "", row["variant"], *cells])
        part = row["part"]
    lines += ["", *table(["part", "variant", *FAMILIES], rows, 2)]
    lines += ["", "The order of joins, on RandomMP, in numpy; packings are means per graph:", ""]
    orders = [
        [name, f"{cell['ratio']:.4f}", f"{cell['packings']:.1f}"]
        for name, cell in document["orders"].items()
    ]
    lines += [*table(["cycles and order", "ratio", "packings"], orders), ""]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
