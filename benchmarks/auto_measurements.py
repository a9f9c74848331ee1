"""When does a proof of optimality pay? What the thresholds of the solver ``auto`` come from.

Graphs of the validation split of every generator, in several sizes: the problem is reduced, fusion
moves find a partition, a packing of cycles bounds the optimum, and then ``ilp`` gets some seconds
to prove it. One row per graph goes to a JSON file; then the table is printed that the thresholds
in ``src/multicut/solvers/staged.py`` were read from: how many graphs are proven, and how soon, by
size, density and the product of gap and edges that the packing leaves. Times are processor time of
this process.

May be stopped at any time; the same command goes on where it was.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

import multicut as mc
from multicut.benchmark.cache import Cache, Cell
from multicut.benchmark.markdown import MISSING, seconds, table

Found = TypeVar("Found")

NODES = {
    "erdos-renyi": (60, 150, 400, 1000),
    "barabasi-albert": (60, 150, 400, 1000),
    "watts-strogatz": (60, 150, 400, 1000),
    "planted": (60, 150, 400, 1000),
    "voronoi": (150, 400, 1000, 4000, 10_000),
    "point-cloud": (30, 60, 100),
    "cluster-editing": (30, 60, 100),
    "irismp": (24, 50, 100),
}
SIDES = {"grid-2d": (10, 20, 40), "grid-3d": (5, 8, 12)}
RANDOM = (200, 500, 1000, 2000, 4000, 8000)
# What a graph is once it is reduced, by edges, density and the product of gap and edges: the first
# kind that fits.
KINDS: dict[str, Callable[[int, float, float], bool]] = {
    "the packing proves it": lambda _edges, _density, weight: weight < 1e-6,
    "half of all pairs are edges, up to 5,000": lambda e, d, _: d >= 0.5 and e <= 5_000,
    "half of all pairs are edges, more than 5,000": lambda _, d, __: d >= 0.5,
    "sparse, up to 500 edges": lambda e, _, __: e <= 500,
    "sparse, gap times edges up to 5": lambda _, __, weight: weight <= 5,
    "sparse, gap times edges up to 25": lambda _, __, weight: weight <= 25,
    "sparse, gap times edges up to 100": lambda _, __, weight: weight <= 100,
    "sparse, gap times edges above 100": lambda *_: True,
}


def main() -> None:
    """Measure what is not measured yet, and print the table."""
    arguments = parse_arguments()
    store = Cache(arguments.output)
    for key, draw in graphs(arguments.num):
        cell = store.get(
            f"{key}, {arguments.seconds:g} s", partial(measure, draw, arguments.seconds)
        )
        print(key, cell, flush=True)
    print("\n".join(render(list(store.cells.values()))))


def graphs(num: int) -> Iterator[tuple[str, Callable[[], mc.Problem]]]:
    """Yield names of graphs, and how to draw them."""
    plans: list[tuple[str, int, dict[str, int]]] = []
    for name, sizes in NODES.items():
        plans += [(name, size, {"min_nodes": size, "max_nodes": size}) for size in sizes]
    for name, sides in SIDES.items():
        plans += [(name, side, {"min_side": side, "max_side": side}) for side in sides]
    plans += [("scaling", size, {"num_nodes": size}) for size in RANDOM]
    for name, size, options in plans:
        for index in range(num):
            yield (
                f"{name} {size} #{index}",
                partial(draw_problem, name, index, options),
            )


def draw_problem(name: str, index: int, options: dict[str, int]) -> mc.Problem:
    """Draw one graph of the validation split."""
    return mc.datasets.generate(name, 1, split="valid", start=index, **options)[0]


def measure(draw: Callable[[], mc.Problem], seconds: float) -> Cell:
    """Run the stages one after the other."""
    problem = draw()
    reduction, reduce_seconds = timed(lambda: mc.reduce(problem))
    core = reduction.problem
    fused, fusion_seconds = timed(lambda: mc.solve(core, "fusion", num_threads=1))
    bound, bound_seconds = timed(lambda: mc.lower_bound(core, time_limit=seconds))
    exact, exact_seconds = timed(lambda: mc.solve(problem, "ilp", time_limit=seconds))
    gap = max(0.0, fused.objective - bound) / abs(fused.objective) if fused.objective else 0.0
    return {
        "nodes": problem.num_nodes,
        "edges": problem.num_edges,
        "core_nodes": core.num_nodes,
        "core_edges": core.num_edges,
        "gap": gap,
        "reduce_seconds": reduce_seconds,
        "fusion_seconds": fusion_seconds,
        "bound_seconds": bound_seconds,
        "exact_seconds": exact_seconds,
        "proven": exact.optimal,
        "fusion_ratio": fused.objective / (exact.objective - reduction.offset or 1.0),
    }


def timed(work: Callable[[], Found]) -> tuple[Found, float]:
    """Do something; return what came of it, and the processor time it took."""
    start = time.process_time()
    found = work()
    return found, round(time.process_time() - start, 5)


def kind_of(cell: Cell) -> str:
    """Return what the graph of a cell is."""
    nodes, edges = cell["core_nodes"], cell["core_edges"]
    density = edges / max(nodes * (nodes - 1) / 2, 1)
    return next(k for k, fits in KINDS.items() if fits(edges, density, cell["gap"] * edges))


def render(cells: list[Cell]) -> list[str]:
    """Count the proofs of each kind of graphs."""
    rows = []
    for kind in KINDS:
        chosen = [cell for cell in cells if kind_of(cell) == kind]
        proven = sorted(cell["exact_seconds"] for cell in chosen if cell["proven"])
        middle = seconds(proven[len(proven) // 2]) if proven else MISSING
        rows.append([kind, str(len(chosen)), str(len(proven)), middle])
    rows += [
        [f"seconds per edge, {what}", "", "", f"{value:.1e}"]
        for what, value in (
            ("slowest reduction", max(c["reduce_seconds"] / c["edges"] for c in cells)),
            (
                "quickest proof",
                min(c["exact_seconds"] / c["core_edges"] for c in cells if c["proven"]),
            ),
        )
    ]
    return table(["graphs", "number", "proven", "median s"], rows)


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--num", type=int, default=3, help="graphs of each kind and size")
    parser.add_argument("--seconds", type=float, default=10.0, help="for the bound, and for ilp")
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results/auto.json"))
    return parser.parse_args()


if __name__ == "__main__":
    main()
