"""Corrections beside solving anew: how long one takes, and how good the partition stays.

Each correction takes a random edge and joins its ends if they are apart, or separates them. Graphs
are RandomMP of several sizes, and with ``--data DIR`` those of ``DIR/em/*.npz``, also many copies
of them side by side. After all corrections the corrected problem is solved anew by the same solver
on one thread. ``--campaign N`` checks N corrections of all kinds with undo on small graphs instead.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import multicut as mc
from multicut.benchmark.report import describe_environment
from multicut.proofreading import ContradictionError


def instances(
    sizes: list[int], data: Path | None, copies: list[int]
) -> Iterator[tuple[str, mc.Problem]]:
    """Yield names and problems."""
    for size in sizes:
        (drawn,) = mc.datasets.generate("scaling", 1, num_nodes=size)
        yield f"RandomMP {size:,}", mc.Problem(drawn.edges, drawn.costs, num_nodes=size)
    for path in sorted((data / "em").glob("*.npz")) if data else []:
        problem = mc.read(path)
        for count in copies:
            name = path.stem if count == 1 else f"{path.stem}, {count} copies"
            shifts = problem.num_nodes * np.arange(count)
            edges = (problem.edges[None] + shifts[:, None, None]).reshape(-1, 2)
            costs = np.tile(problem.costs, count)
            yield name, mc.Problem(edges, costs, num_nodes=count * problem.num_nodes)


def measure(problem: mc.Problem, num_corrections: int, solver: str) -> dict[str, Any]:
    """Make corrections, then solve anew."""
    start = time.process_time()
    proof = mc.Proofreader(problem, solver, num_threads=1)
    set_up = time.process_time() - start
    rng = np.random.default_rng(0)
    seconds: list[float] = []
    changed: list[int] = []
    while len(seconds) < num_corrections:
        u, v = problem.edges[rng.integers(problem.num_edges)].tolist()
        correct = proof.separate if proof.labels[u] == proof.labels[v] else proof.join
        start = time.process_time()
        try:
            correct(u, v)
        except ContradictionError:
            continue
        seconds.append(time.process_time() - start)
        changed.append(len(proof.changed))
    undo: list[float] = []
    for _ in range(min(100, num_corrections)):
        start = time.process_time()
        proof.undo()
        undo.append(time.process_time() - start)
    for _ in undo:
        proof.redo()
    corrected = proof.problem
    start = time.process_time()
    anew = mc.solve(corrected, solver, num_threads=1)
    seconds_anew = time.process_time() - start
    objective = mc.objective(corrected, proof.labels.astype(np.int64))
    milliseconds = 1e3 * np.array(seconds)
    return {
        "nodes": problem.num_nodes,
        "edges": problem.num_edges,
        "corrections": num_corrections,
        "median_ms": float(np.median(milliseconds)),
        "p90_ms": float(np.percentile(milliseconds, 90)),
        "p99_ms": float(np.percentile(milliseconds, 99)),
        "undo_ms": float(1e3 * np.median(undo)),
        "median_changed": float(np.median(changed)),
        "anew_ms": 1e3 * seconds_anew,
        "speedup": 1e3 * seconds_anew / float(np.median(milliseconds)),
        "set_up_s": set_up,
        "objective": objective,
        "objective_anew": anew.objective,
        "excess": (objective - anew.objective) / abs(anew.objective),
    }


def as_table(rows: dict[str, dict[str, Any]]) -> str:
    """Return a table in Markdown."""
    lines = [
        "| graph | edges | correction, median | 90 % | 99 % | undo | solving anew | factor "
        "| objective beside anew |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {name} | {row['edges']:,} | {row['median_ms']:.2f} ms | {row['p90_ms']:.2f} ms | "
        f"{row['p99_ms']:.2f} ms | {row['undo_ms']:.3f} ms | {row['anew_ms']:,.0f} ms | "
        f"{row['speedup']:,.0f} | {100 * row['excess']:+.4f} % |"
        for name, row in rows.items()
    ]
    return "\n".join(lines) + "\n"


def campaign(num: int) -> dict[str, int]:
    """Correct small graphs at random, undo some, and compare each step with solving anew."""
    counts = {"klj": 0, "worse_than_klj_anew": 0, "better": 0, "ilp": 0, "not_optimal": 0, "bad": 0}
    for seed in range(num // 50):
        solver = "ilp" if seed % 5 == 4 else "klj"
        proof = mc.Proofreader(_small_problem(seed, 12 if solver == "ilp" else 40), solver)
        rng = np.random.default_rng(seed)
        for _ in range(50):
            _correct_at_random(proof, rng)
            labels = proof.labels.astype(np.int64)
            value = mc.objective(proof.problem, labels)
            sound = mc.is_feasible(proof.problem, proof.result.cut)
            counts["bad"] += not sound or abs(value - proof.objective) > 1e-9
            anew = mc.solve(proof.problem, solver, num_threads=1).objective
            counts[solver] += 1
            if solver == "ilp":
                counts["not_optimal"] += abs(value - anew) > 1e-9
            else:
                counts["worse_than_klj_anew"] += value > anew + 1e-9
                counts["better"] += value < anew - 1e-9
    return counts


def _small_problem(seed: int, num_nodes: int) -> mc.Problem:
    rng = np.random.default_rng(seed)
    u, v = np.triu_indices(num_nodes, 1)
    chosen = rng.random(len(u)) < min(1.0, 5.0 / num_nodes)
    edges = np.stack([u, v], axis=1)[chosen]
    return mc.Problem(edges, rng.normal(size=len(edges)), num_nodes=num_nodes)


def _correct_at_random(proof: mc.Proofreader, rng: np.random.Generator) -> None:
    num_nodes = proof.problem.num_nodes
    u, v = rng.choice(num_nodes, 2, replace=False).tolist()
    kind = rng.integers(6)
    try:
        if kind <= 1:
            proof.join(u, v)
        elif kind == 2:
            proof.separate(u, v)
        elif kind == 3:
            proof.set_cost(int(rng.integers(proof.problem.num_edges)), float(rng.normal()))
        elif kind == 4:
            proof.add_edges([(u, v)], rng.normal(size=1))
        else:
            for _ in range(min(int(rng.integers(4)), len(proof.history))):
                proof.undo()
    except ContradictionError:
        pass


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="10000,100000,1000000")
    parser.add_argument("--copies", default="1,5,50", help="of each graph of the data")
    parser.add_argument("--corrections", type=int, default=1000)
    parser.add_argument("--solver", default="klj")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--campaign", type=int, default=0)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    if arguments.campaign:
        print(json.dumps(campaign(arguments.campaign)))
        return
    sizes = [int(float(size)) for size in arguments.sizes.split(",") if size]
    copies = [int(count) for count in arguments.copies.split(",")]
    rows: dict[str, dict[str, Any]] = {}
    for name, problem in instances(sizes, arguments.data, copies):
        rows[name] = measure(problem, arguments.corrections, arguments.solver)
        print(as_table({name: rows[name]}).splitlines()[-1], flush=True)
    if arguments.output:
        document = {
            "environment": describe_environment("python -m benchmarks.proofreading"),
            "solver": arguments.solver,
            "rows": rows,
        }
        (arguments.output / "proofreading.json").write_text(json.dumps(document, indent=1) + "\n")
        (arguments.output / "proofreading.md").write_text(as_table(rows))


if __name__ == "__main__":
    main()
