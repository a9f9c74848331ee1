"""The output of a network for a problem: states of nodes, and probabilities of cuts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from multicut._extras import needed
from multicut._words import count
from multicut.app.canvas import INK, draw, plain_axes
from multicut.app.failures import VisitorError
from multicut.models import DEFAULT_MODEL, list_models, load_model
from multicut.models.registry import has_model
from multicut.plotting import plot_embedding, plot_similarity
from multicut.plotting.canvas import add_lines, line_scale, prepare_axes
from multicut.plotting.palette import ATTRACTIVE, REPULSIVE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from multicut._arrays import FloatArray, IntArray
    from multicut.problem import Problem
    from multicut.result import Result

_MOST_EDGES = 300_000
# The tree that orders similar nodes takes quadratic time and a picture has only so many pixels.
_MOST_ROWS = 300
_MOST_POINTS = 3_000


@dataclass(frozen=True, eq=False)
class Insight:
    """What a network computed.

    Attributes
    ----------
    states
        One state per node, shape (num_nodes, width).
    probabilities
        How likely each edge is cut.
    """

    states: FloatArray
    probabilities: FloatArray


def offered_models() -> list[tuple[str, str]]:
    """List the networks that come with the package, each as (what to show, name)."""
    return [(record.name, record.name) for record in list_models()]


def default_model() -> str | None:
    """Return the network that ``gnn`` uses, if it is there."""
    return DEFAULT_MODEL if has_model(DEFAULT_MODEL) else None


def ask_network(problem: Problem, model_name: str) -> Insight:
    """Run a network that comes with the package on a problem."""
    known = [name for _, name in offered_models()]
    # The library would take the path of a file, too; a visitor must not name one.
    if model_name not in known:
        raise VisitorError(f"unknown network {model_name!r}; choose from: {', '.join(known)}")
    if problem.num_edges == 0:
        raise VisitorError("the problem has no edges")
    if problem.num_edges > _MOST_EDGES:
        raise VisitorError(
            f"{count(problem.num_edges, 'edge')} are more than the {_MOST_EDGES:,} shown here; "
            f"try a smaller problem"
        )
    if not np.isfinite(problem.costs).all():
        raise VisitorError("networks need finite costs, but the problem has must- or cannot-links")
    needed("torch", by="a network")
    import torch

    from multicut.nn.threads import threads_for

    model = load_model(model_name)
    with threads_for(problem.num_edges, model.width, model.device), torch.inference_mode():
        batch = model.scaled(model.batch(problem))
        nodes, edges = model.network.represent(batch)
        logits = model.network.classify(batch, nodes, edges)  # type: ignore[arg-type]
        probabilities = torch.sigmoid(logits)
    return Insight(
        nodes.double().cpu().numpy().reshape(problem.num_nodes, -1),
        probabilities.double().cpu().numpy(),
    )


def picture_of_embedding(
    problem: Problem, insight: Insight, result: Result, dark: bool = False
) -> NDArray[np.uint8]:
    """Draw states of nodes on their first two principal axes, in the colours of clusters."""
    kept = _some(problem.num_nodes, _MOST_POINTS)
    part, states, labels = problem, insight.states, result.labels
    if len(kept) < problem.num_nodes:
        part = _induced(problem, kept)
        states, labels = states[kept], labels[kept]
    return draw(lambda ax: plot_embedding(part, states, labels, ax), 3.6, 3.6, dark=dark)


def picture_of_similarity(insight: Insight, dark: bool = False) -> NDArray[np.uint8]:
    """Draw the cosine similarity of all pairs of nodes, or of an even choice of them."""
    states = insight.states[_some(len(insight.states), _MOST_ROWS)]
    return draw(lambda ax: plot_similarity(states, ax), 3.6, 3.6, dark=dark)


def picture_of_probabilities(
    insight: Insight, result: Result, dark: bool = False
) -> NDArray[np.uint8]:
    """Draw how likely edges are cut, by the network, against what the solver did with them."""

    def paint(ax: Axes) -> None:
        plain_axes(ax, "probability of being cut", "edges")
        bins = list(np.linspace(0, 1, 31))
        parts = [insight.probabilities[~result.cut], insight.probabilities[result.cut]]
        names = [
            f"{len(parts[0]):,} joined by {result.solver}",
            f"{len(parts[1]):,} cut by {result.solver}",
        ]
        ax.hist(parts, bins=bins, stacked=True, color=[ATTRACTIVE, REPULSIVE], label=names)
        ax.set_yscale("symlog")
        # Matplotlib would search for the best place, and warn where that takes long.
        ax.legend(frameon=False, labelcolor=INK, loc="upper center")

    return draw(paint, 3.6, 3.6, dark=dark)


def picture_of_prediction(
    problem: Problem, insight: Insight, positions: FloatArray | None, dark: bool = False
) -> NDArray[np.uint8] | None:
    """Draw edges where they lie, blue if the network would keep them and red if it would cut."""
    if positions is None:
        return None

    def paint(ax: Axes) -> None:
        from matplotlib import colormaps

        prepare_axes(ax, positions)
        sure = np.abs(insight.probabilities - 0.5)
        order = np.argsort(sure, kind="stable")
        colours = colormaps["coolwarm"](insight.probabilities[order])
        widths = line_scale(problem) * (0.6 + 2.4 * sure[order])
        add_lines(ax, positions, problem.edges[order], colours, widths, order=1)

    return draw(paint, 7.2, 4.6, dark=dark)


def describe_insight(insight: Insight, result: Result) -> str:
    """Say in one line how far network and solver agree."""
    agree = float(np.mean((insight.probabilities > 0.5) == result.cut))
    num_nodes, width = insight.states.shape
    return (
        f"{count(num_nodes, 'state')} of {count(width, 'number')}. "
        f"At one half, the network agrees with {result.solver} on {100 * agree:.1f} % of the edges."
    )


def _some(size: int, most: int) -> IntArray:
    """Return all positions, or an even choice of them."""
    return np.unique(np.linspace(0, size - 1, min(size, most)).astype(np.int64))


def _induced(problem: Problem, kept: IntArray) -> Problem:
    """Return the problem between some of the nodes."""
    from multicut.problem import Problem

    number = np.full(problem.num_nodes, -1)
    number[kept] = np.arange(len(kept))
    ends = number[problem.edges]
    inside = (ends >= 0).all(axis=1)
    return Problem(ends[inside], problem.costs[inside], num_nodes=len(kept))
