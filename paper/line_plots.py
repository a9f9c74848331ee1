"""Line plots that look alike, as PNG and as SVG, the same bytes each time."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Letters of 9 points are as large as those of the page, which is about as wide.
_WIDTH = 10
_GRID = "#e5e7eb"
#: The objective ratios of networks that are good, and the title of a panel of these alone.
GOOD_RATIOS = (0.95, 1.0)
CLOSE_UP = "objective ratio, 0.95 to 1"
#: What the paper's figures of CCL show: measures, and titles of their panels.
CYCLE_PANELS = {
    "feasible_ratio": "feasible",
    "optimal_ratio": "optimal",
    "objective_ratio": "objective ratio",
}
#: Those that are shares of graphs.
SHARES = ("feasible_ratio", "optimal_ratio")
# Ids inside an SVG are hashes of this; by default they are drawn anew each time.
_SALT = "multicut"


def new_plot(
    titles: Sequence[str], about: str = "", columns: int | None = None
) -> tuple[Figure, Sequence[Axes]]:
    """Return a figure with one panel for each title, on white: pages may be dark.

    Parameters
    ----------
    titles
        What the panels show, row by row.
    about
        What all panels are of, such as the training set; written above them.
    columns
        How many panels are side by side; by default two of four, and all of fewer.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from multicut.plotting.palette import NODE

    if columns is None:
        columns = 2 if len(titles) == 4 else len(titles)
    rows = -(-len(titles) // columns)
    size = (_WIDTH if columns > 1 else _WIDTH / 2, 3.6 if rows == 1 else 3.4 * rows)
    figure = Figure(figsize=size, layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    axes: Sequence[Axes] = list(figure.subplots(rows, columns, squeeze=False).flat)
    for ax, title in zip(axes, titles, strict=True):
        ax.set_title(title, loc="left", fontsize=11, color=NODE)
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(color=_GRID, linewidth=0.7)
    if about:
        figure.suptitle(about, x=0.01, ha="left", fontsize=12, color=NODE)
    return figure, axes


def add_curve(
    ax: Axes, points: Sequence[tuple[float, float]], label: str, colour: str, size: float = 3
) -> None:
    """Draw a line through points, marked by dots of a size."""
    ax.plot(*zip(*points, strict=True), "o-", color=colour, markersize=size, label=label)


def legend_below(figure: Figure) -> None:
    """Say below all panels what their curves are; equal labels are of equal colours."""
    curves: dict[str, Artist] = {}
    for ax in figure.axes:
        handles, labels = ax.get_legend_handles_labels()
        curves |= dict(zip(labels, handles, strict=True))
    # As many columns as fit beside each other.
    for columns in range(min(len(curves), 5), 0, -1):
        legend = figure.legend(
            list(curves.values()),
            list(curves),
            loc="outside lower center",
            ncols=columns,
            frameon=False,
            fontsize=9,
        )
        if legend.get_window_extent().width <= figure.bbox.width:
            break
        if columns > 1:
            legend.remove()


def needs_close_up(ratios: Collection[float]) -> bool:
    """Whether good ratios cannot be told apart in a panel of all, since some are far below."""
    return bool(ratios) and min(ratios) < GOOD_RATIOS[0] < max(ratios)


def with_close_up(panels: Mapping[str, str], ratios: Collection[float]) -> list[tuple[str, str]]:
    """Return measures and titles of panels, and a close-up of objective ratios if it is needed."""
    close_up = [("objective_ratio", CLOSE_UP)] if needs_close_up(ratios) else []
    return [*panels.items(), *close_up]


def finish_panel(ax: Axes, measure: str, title: str) -> None:
    """Set the range of a panel by instances: shares begin at 0, and a close-up has good ratios."""
    if measure in SHARES:
        start_at_zero(ax)
    if title == CLOSE_UP:
        ax.set_ylim(*GOOD_RATIOS)
    ax.set_xlabel("million instances", fontsize=9)


def start_at_zero(ax: Axes) -> None:
    """Let a panel of shares begin at 0; one in which all are 0 ends at 1."""
    highest = float(ax.dataLim.ymax) or 1.0
    ax.set_ylim(-0.02 * highest, 1.05 * highest)


def save_plot(figure: Figure, picture: Path) -> None:
    """Save a plot under the name of a picture, ``.png``, and the same as ``.svg``."""
    from matplotlib import rc_context

    from multicut.plotting.saving import save_figure

    save_figure(figure, picture, dpi=110, metadata={"Software": None})
    with rc_context({"svg.hashsalt": _SALT}):
        nothing = {"Date": None, "Creator": None}
        save_figure(figure, scalable(picture), metadata=nothing)


def scalable(picture: Path) -> Path:
    """Return where the SVG of a plot is, which pages show: it is sharp at any size."""
    return picture.with_suffix(".svg")
