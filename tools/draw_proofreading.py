"""Draws the curves of docs/proofreading.md from the recorded results: ``make proofreading``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

mpl.use("Agg")

from matplotlib import pyplot as plt

RESULTS = Path("benchmarks/results/simulated_proofreading.json")
PICTURE = Path("docs/images/simulated-proofreading.png")
MOST_ANSWERS = 500
COLOURS = {"suggest": "C0", "suggest and learn": "C2", "by cost": "C1"}


def main() -> None:
    """Write the picture."""
    document = json.loads(RESULTS.read_text())
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True, layout="constrained")
    for axes, group, most in zip(panels, ("EM", "Berkeley"), (150, MOST_ANSWERS), strict=True):
        rows = [row for name, row in document["rows"].items() if name.startswith(group)]
        for name, colour in COLOURS.items():
            axes.plot(mean_curve(rows, name), color=colour, label=name)
        counts = np.mean([row["counts"]["random"] for row in rows], axis=0)
        shares = 100 * np.array(document["shares"])
        axes.plot(counts, shares, "k--o", label="random, mean number of answers")
        axes.set(title=f"{group}, {len(rows)} problems", xlabel="answers", xlim=(0, most))
        axes.grid(alpha=0.3)
    panels[0].set(ylabel="VI, % of its first value", ylim=(0, 105))
    figure.legend(*panels[1].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    figure.savefig(PICTURE, dpi=110)


def mean_curve(rows: list[dict[str, Any]], name: str) -> np.ndarray:
    """Return the mean share of the first VI after each answer; a curve that ends stays there."""
    curves = np.empty((len(rows), MOST_ANSWERS + 1))
    for curve, row in zip(curves, rows, strict=True):
        own = np.array(row["curves"][name])[: MOST_ANSWERS + 1]
        curve[:] = own[-1]
        curve[: len(own)] = own
        curve /= row["start"]
    return 100 * curves.mean(0)


if __name__ == "__main__":
    main()
