"""Draws the pictures of docs/contraction.md and docs/learned.md: ``make contraction``."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl

mpl.use("Agg")

import multicut as mc
from multicut.plotting import plot_frontier
from multicut.plotting.palette import ATTRACTIVE, REPULSIVE
from multicut.solvers.dual_greedy import Policy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DPI = 110
NUM_GRAPHS = 200
SHARES = (0.5, 0.35, 0.25, 0.15, 0.1, 0.05)
PLACES = {"a": (0.0, 0.0), "b": (1.0, 0.0), "c": (0.0, 0.8), "d": (1.0, 0.8)}
# Costs, and what the packing leaves of them: the two triangles take 2.5 each.
EDGES = {"ab": (5, 0), "ac": (4, 1.5), "bd": (4, 1.5), "bc": (-6, 3.5), "ad": (-6, 3.5)}
# Of docs/learned.md: name, milliseconds, objective at a million nodes, and what it is a setting of.
BEST = -3_236_518
LARGE = (
    ("RAMA, P", 42, -3_083_885, "RAMA (GPU)"),
    ("RAMA, PD", 167, -3_092_143, "RAMA (GPU)"),
    ("network and moves", 96, -3_223_725, "network (GPU)"),
    ("network, 4 proposals", 570, -3_235_602, "network (GPU)"),
    ("packing", 47, -3_233_550, "packing (GPU)"),
    ("and moves", 65, -3_234_270, "packing (GPU)"),
    ("2 proposals", 228, -3_235_300, "packing (GPU)"),
    ("4 proposals", 440, -3_235_783, "packing (GPU)"),
    ("16 proposals", 1_560, BEST, "packing (GPU)"),
    ("gaec", 1_500, -3_186_965, "two CPU cores"),
)


def main(folder: Path) -> None:
    """Draw both pictures into a folder."""
    draw_contraction(folder)
    draw_learned(folder)


def draw_learned(folder: Path) -> None:
    """Draw what was measured at a million nodes."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 4.2), layout="constrained")
    rows = [(name, ms / 1e3, value / BEST, group) for name, ms, value, group in LARGE]
    plot_frontier(rows, axes)
    axes.set_title("RandomMP, 10⁶ nodes, relative to the best partition", fontsize=10)
    figure.savefig(folder / "learned.png", dpi=DPI)


def draw_contraction(folder: Path) -> None:
    """Draw the example beside the measurements."""
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(
        1, 2, figsize=(11, 4.4), width_ratios=(1, 1.9), layout="constrained"
    )
    draw_example(left)
    plot_frontier(measure(), right)
    right.set_title(f"{NUM_GRAPHS} RandomMP graphs, one thread", fontsize=10)
    figure.savefig(folder / "contraction.png", dpi=DPI)


def draw_example(ax: Axes) -> None:
    """Draw the graph in which the edge that costs most must be cut."""
    for names, (cost, rest) in EDGES.items():
        (x, y), (u, v) = (PLACES[name] for name in names)
        colour = ATTRACTIVE if cost > 0 else REPULSIVE
        ax.plot([x, u], [y, v], color=colour, linewidth=0.6 + rest, zorder=1)
        # Off the middle, where the diagonals cross.
        at = 0.5 if names in ("ab", "ac", "bd") else 0.3
        ax.annotate(
            f"{cost:+d}, left {rest:g}",
            (x + at * (u - x), y + at * (v - y)),
            ha="center",
            va="center",
            fontsize=9,
            bbox={"boxstyle": "round,pad=0.2", "facecolor": "white", "edgecolor": colour},
            zorder=2,
        )
    for name, (x, y) in PLACES.items():
        ax.scatter(x, y, s=420, facecolor="white", edgecolor="0.2", zorder=3)
        ax.annotate(name, (x, y), ha="center", va="center", fontsize=11, zorder=4)
    ax.set_title("costs, and what the packing leaves", fontsize=10)
    ax.margins(0.16)
    ax.set_aspect("equal")
    ax.axis("off")


def measure() -> list[tuple[str, float, float, str]]:
    """Mean processor time and ratio to the best known on validation graphs."""
    problems = [mc.datasets.randommp(seed=10_000 + seed) for seed in range(NUM_GRAPHS)]
    best = [mc.solve(problem, "fusion", patience=60).objective for problem in problems]
    settings: list[tuple[str, str, dict[str, Any]]] = [
        ("gaec", "gaec", {}),
        *((f"f = {f:g}", "dual-greedy", {"policy": Policy(share=f)}) for f in SHARES),
        ("klj", "klj", {}),
        *((f"fusion, {n}", "fusion", {"max_proposals": n}) for n in (5, 20)),
    ]
    rows = []
    for name, solver, options in settings:
        if solver != "gaec":
            options = {**options, "num_threads": 1}
        mc.solve(problems[0], solver, **options)
        start = time.process_time()
        found = [mc.solve(problem, solver, **options).objective for problem in problems]
        seconds = (time.process_time() - start) / len(problems)
        ratios = [min(1.0, one / other) for one, other in zip(found, best, strict=True)]
        rows.append((name, seconds, sum(ratios) / len(ratios), solver))
    return rows


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "docs" / "images")
