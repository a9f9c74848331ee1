"""Losses of variants of networks, and objective ratios by depth."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING

from multicut.plotting.palette import CLUSTERS, NODE
from multicut.training.curves import read_curve
from paper.evaluation_sets import column_title
from paper.line_plots import add_curve, legend_below, new_plot, save_plot
from paper.runs.curves import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DEPTH_SETS = ("IrisMP", "RandomMP", "BSDS300")
_LABELS = ("plain", "edge weights", "edge weights, batch norm.")


def draw_losses(
    families: Mapping[str, Mapping[str, Run | None]], trained_on: str, folder: Path, path: Path
) -> None:
    """Draw training losses above and validation losses below, a column for each family.

    Parameters
    ----------
    families
        By family, the networks by name: plain, with edge weights, and with batch normalisation.
    trained_on
        The training set of all.
    folder
        The folder with all records.
    path
        The picture.
    """
    shown = [f"{family}, {when}" for when in ("training", "validation") for family in families]
    titles = [f"({letter}) {text}" for letter, text in zip(ascii_lowercase, shown, strict=False)]
    about = f"Cross entropy, trained on {trained_on}"
    figure, axes = new_plot(titles, about, columns=len(families))
    above, below = axes[: len(families)], axes[len(families) :]
    for upper, lower, runs in zip(above, below, families.values(), strict=True):
        for (name, run), label, colour in zip(
            runs.items(), _LABELS, (NODE, *CLUSTERS), strict=False
        ):
            validated = [(row["instances"] / 1e3, row["bce"]) for row in run.rows] if run else []
            trained = training_losses(run, folder) if run else []
            for ax, points, size in ((upper, trained, 2), (lower, validated, 3)):
                if points:
                    add_curve(ax, points, label, colour, size)
                else:
                    _note(ax, f"{name}: not {'recorded' if run else 'trained'}")
        for ax in (upper, lower):
            ax.set_yscale("log")
            ax.set_xlabel("thousand instances", fontsize=9)
    legend_below(figure)
    save_plot(figure, path)


def _note(ax: Axes, text: str) -> None:
    """Write a line into a panel, below those that it has."""
    place = 0.97 - 0.08 * len(ax.texts)
    ax.text(0.98, place, text, ha="right", va="top", fontsize=9, transform=ax.transAxes)


def training_losses(run: Run, folder: Path) -> list[tuple[float, float]]:
    """Return thousands of instances and cross entropy in training, as far as they are recorded."""
    for file in folder.glob(f"*/losses/{run.name}.csv"):
        rows = read_curve(file)
        points = [(float(row["instances"]), float(row["bce"])) for row in rows if row["bce"]]
        return [(x / 1e3, loss) for x, loss in points if x <= run.last["instances"]]
    return []


def draw_depths(depths: Mapping[int, Run], trained_on: str, path: Path) -> None:
    """Draw objective ratios by depth."""
    figure, (ax,) = new_plot((f"GCN_W_BN, trained on {trained_on}",))
    for name, colour in zip(DEPTH_SETS, CLUSTERS, strict=False):
        points = [(d, run.tested[name]) for d, run in depths.items() if name in run.tested]
        if points:
            is_stand_in = any(name in run.stand_ins for run in depths.values())
            add_curve(ax, points, column_title(name, is_stand_in), colour, size=4)
    ax.set_xlabel("layers", fontsize=9)
    ax.set_ylabel("objective ratio, test", fontsize=9)
    if ax.lines:
        ax.legend(frameon=False, fontsize=9)
    save_plot(figure, path)
