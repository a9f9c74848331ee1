"""Solve many small problems at once, with a network and with classical solvers.

The test graphs of RandomMP come with proven optima, so quality is exact: the mean ratio of the
objective to the optimum (1 is optimal). The network takes all graphs in one forward pass, on the
GPU if there is one; the other solvers take one graph per processor at a time.

    python examples/solve_many.py --num-graphs 1000 --picture frontier.png
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import multicut as mc

# Two heuristics, the network of the paper, and fusion moves, which come close to the optimum.
SOLVERS = ("gaec", "klj", "gnn", "fusion")


def save_picture(path: Path, table: dict[str, tuple[float, float]]) -> None:
    """Plot quality over time per graph."""
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(5, 3.5), layout="constrained")
    for name, (ratio, seconds) in table.items():
        ax.scatter(1e3 * seconds, ratio)
        ax.annotate(name, (1e3 * seconds, ratio), xytext=(5, 3), textcoords="offset points")
    ax.set(xscale="log", xlabel="milliseconds per graph", ylabel="mean ratio to the optimum")
    ax.margins(x=0.2)
    figure.savefig(path)
    plt.close(figure)


def main(num_graphs: int = 200, picture: Path | None = None) -> dict[str, tuple[float, float]]:
    """Print quality and time of each solver."""
    graphs = mc.datasets.RandomMP("test")[:num_graphs]
    problems, optima = list(graphs), graphs.objective
    table: dict[str, tuple[float, float]] = {}
    print(f"{len(problems)} graphs; ratio to the optimum, milliseconds per graph")
    for solver in SOLVERS:
        mc.solve_batch(problems[:1], solver)  # what is loaded once is not part of the measurement
        start = time.perf_counter()
        results = mc.solve_batch(problems, solver)
        seconds = (time.perf_counter() - start) / len(problems)
        found = np.array([result.objective for result in results])
        ratio = float(np.maximum(found / optima, 0).mean())
        table[solver] = ratio, seconds
        print(f"  {solver:<8} {ratio:.4f}  {1e3 * seconds:8.3f}")
    if picture is not None:
        save_picture(picture, table)
    return table


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--num-graphs", type=int, default=200)
    parser.add_argument("--picture", type=Path, help="where to save a figure")
    main(**vars(parser.parse_args()))
