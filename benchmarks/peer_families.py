"""Compares ``klj`` with Kernighan-Lin of bioimage-cpp on many families of graphs.

Test graphs of every generator, six other families, and the files of a data folder. The constants of
the start of ``klj`` were chosen on graphs of these families from other seeds, and on these files.
Both run in turns in one process, on one thread. Times are processor time from arrays to labels,
the best of several repetitions for each graph. Ratios are means over the graphs of the objective
divided by the best of both and of ``fusion``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np

import multicut as mc
from multicut.benchmark.contests import CONTESTS, PEER
from multicut.benchmark.instances import EdgeArrays
from multicut.benchmark.markdown import table
from multicut.benchmark.measure import measure
from multicut.benchmark.report import describe_environment
from multicut.datasets import generate, list_generators

Problems = list[mc.Problem]
# Larger graphs are compared once, and `fusion` stops after so many seconds.
MANY_EDGES = 10_000
SECONDS = 3.0


def complete(num_nodes: int) -> np.ndarray:
    """Return all pairs of nodes."""
    return np.array(np.triu_indices(num_nodes, 1)).T


def votes(rng: np.random.Generator) -> mc.Problem:
    """Clique partitioning with few distinct costs: objects agree or not in four properties."""
    num_nodes, num_values = int(rng.integers(25, 60)), int(rng.integers(2, 6))
    values = rng.integers(0, num_values, (num_nodes, 4))
    edges = complete(num_nodes)
    agreements = (values[edges[:, 0]] == values[edges[:, 1]]).sum(axis=1)
    return mc.Problem(edges, 2.0 * agreements - 4, num_nodes)


def similarities(rng: np.random.Generator) -> mc.Problem:
    """Weighted cluster editing: noisy similarities of points in eight groups."""
    num_nodes = int(rng.integers(30, 80))
    centres = rng.normal(size=(8, 5))
    points = centres[rng.integers(0, 8, num_nodes)] + 0.45 * rng.normal(size=(num_nodes, 5))
    edges = complete(num_nodes)
    distances = np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1)
    return mc.Problem(edges, 2 - distances + 0.8 * rng.normal(size=len(edges)), num_nodes)


def random_graph(num_nodes: int, density: float) -> Callable[[np.random.Generator], mc.Problem]:
    """Return a generator of random graphs with normally distributed costs."""

    def draw(rng: np.random.Generator) -> mc.Problem:
        edges = complete(num_nodes)
        edges = edges[rng.random(len(edges)) < density]
        return mc.Problem(edges, rng.normal(size=len(edges)), num_nodes)

    return draw


def signs(rng: np.random.Generator) -> mc.Problem:
    """Return a complete graph of 60 nodes, a third of whose edges attract: costs are ±1."""
    edges = complete(60)
    return mc.Problem(edges, np.where(rng.random(len(edges)) < 0.35, 1.0, -1.0), 60)


def scale_free(rng: np.random.Generator) -> mc.Problem:
    """Return a scale-free graph of 120 nodes with normally distributed costs."""
    seed = int(rng.integers(1 << 30))
    (drawn,) = generate("barabasi-albert", 1, seed=seed, min_nodes=120, max_nodes=120, links=4)
    edges = np.array(drawn.edges)
    return mc.Problem(edges, rng.normal(size=len(edges)), 120)


DRAWN: dict[str, Callable[[np.random.Generator], mc.Problem]] = {
    "clique partitioning, few costs": votes,
    "weighted cluster editing": similarities,
    "random, 60 nodes, 15 %": random_graph(60, 0.15),
    "random, 80 nodes, 50 %": random_graph(80, 0.5),
    "signs, 60 nodes": signs,
    "scale-free, 120 nodes": scale_free,
}


def families(num_graphs: int, data: Path | None) -> dict[str, Callable[[], Problems]]:
    """Return what loads the graphs of each family."""
    found: dict[str, Callable[[], Problems]] = {}
    for record in list_generators(lifted=False):
        if record.name == "scaling":
            continue
        found[record.name] = lambda name=record.name: list(generate(name, num_graphs, split="test"))
    for name, draw in DRAWN.items():
        found[name] = lambda draw=draw: [
            draw(np.random.default_rng(1_000 + i)) for i in range(num_graphs)
        ]
    if data is None:
        return found
    # Training and validation graphs of one source are one family.
    groups: dict[str, list[Path]] = {}
    for path in sorted(data.glob("opengm_subgraphs/*.npz")):
        groups.setdefault(f"opengm/{path.stem.rsplit('_', 1)[0]}", []).append(path)
    for path in (*sorted(data.glob("em/*.npz")), *sorted(data.glob("bsds/*.npz"))):
        groups[f"{path.parent.name}/{path.stem}"] = [path]
    for path in (*sorted(data.glob("modularity.npz")), *sorted(data.glob("signed/*.csv"))):
        groups[path.stem] = [path]
    for name, paths in groups.items():
        found[name] = lambda paths=paths: [
            problem for path in paths for problem in mc.io.read_all(path).values()
        ]
    return found


def compare(problems: Problems, repeats: int) -> dict[str, float]:
    """Return mean ratios and times, and on how many graphs either is better."""
    contest = CONTESTS["klj"]
    contenders = [contest.ours(), contest.peer()]
    ratios, seconds, differences = [], [], []
    for problem in problems:
        arrays = EdgeArrays.of(problem)
        is_large = len(arrays.costs) > MANY_EDGES
        measured = measure(contenders, arrays, 10.0, 2 if is_large else repeats, process_time)
        found = np.array([each.objective for each in measured])
        limit = {"time_limit": SECONDS} if is_large else {}
        best = min(mc.solve(problem, "fusion", num_threads=1, **limit).objective, found.min())
        ratios.append(found / best if best < 0 else np.ones(2))
        seconds.append([each.total_seconds for each in measured])
        differences.append((found[1] - found[0]) / max(abs(best), 1e-300))
    ours, peer = np.mean(ratios, axis=0)
    our_seconds, peer_seconds = np.mean(seconds, axis=0)
    return {
        "num_graphs": len(problems),
        "nodes": float(np.mean([problem.num_nodes for problem in problems])),
        "edges": float(np.mean([len(problem.costs) for problem in problems])),
        "ratio": float(ours),
        "peer_ratio": float(peer),
        "seconds": float(our_seconds),
        "peer_seconds": float(peer_seconds),
        "num_better": int(np.sum(np.array(differences) > 1e-9)),
        "num_worse": int(np.sum(np.array(differences) < -1e-9)),
    }


def page(rows: dict[str, dict[str, float]]) -> str:
    """Render the table as a Markdown page."""
    columns = ("family", "graphs", "nodes", "edges", "ratio", "peer's", "better", "worse")
    lines = [
        [
            name,
            f"{row['num_graphs']}",
            f"{row['nodes']:,.0f}",
            f"{row['edges']:,.0f}",
            f"{row['ratio']:.5f}",
            f"{row['peer_ratio']:.5f}",
            f"{row['num_better']}",
            f"{row['num_worse']}",
            f"{1e3 * row['seconds']:.3g}",
            f"{1e3 * row['peer_seconds']:.3g}",
            f"{row['peer_seconds'] / row['seconds']:.1f}x",
        ]
        for name, row in rows.items()
    ]
    about = __doc__.split("\n\n", 1)[1].strip()
    header = ["# `klj` beside the peer, family by family", "", about, ""]
    return "\n".join([*header, *table((*columns, "ms", "peer's ms", "speed-up"), lines), ""])


def summary(name: str, row: dict[str, float]) -> str:
    """Return one line about a family."""
    below = " BELOW" if row["ratio"] < row["peer_ratio"] - 1e-7 else ""
    speed_up = row["peer_seconds"] / row["seconds"]
    return f"{name}: {row['ratio']:.5f}, {PEER} {row['peer_ratio']:.5f}, {speed_up:.2f}x{below}"


def main() -> None:
    """Measure all families and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--num", type=int, default=100, help="graphs of each generated family")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--data", type=Path, help="folder with em, bsds, opengm_subgraphs, signed")
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results"))
    arguments = parser.parse_args()
    rows = {}
    for name, load in families(arguments.num, arguments.data).items():
        rows[name] = compare(load(), arguments.repeats)
        print(summary(name, rows[name]), flush=True)
    path = arguments.output / "peer_families.json"
    environment = describe_environment("python benchmarks/peer_families.py")
    document = {"environment": environment, "families": rows}
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    path.with_suffix(".md").write_text(page(rows), encoding="utf-8")
    speed_ups = [row["peer_seconds"] / row["seconds"] for row in rows.values()]
    print(f"at least twice as fast: {sum(s >= 2 for s in speed_ups)} of {len(rows)}")


if __name__ == "__main__":
    main()
