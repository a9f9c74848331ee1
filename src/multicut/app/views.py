"""The pictures of an input and its solution, by name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut.app import graph_views, image_views
from multicut.app.canvas import draw
from multicut.app.subjects import GraphSubject, Subject

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multicut.app.solving import Solved

_GRAPH = ("Clusters", "Graph", "Costs", "Sizes")
_IMAGE = ("Segments", "Boundaries", "Superpixels", "Region graph", "Image")


def view_names(subject: Subject | None, solved: Solved | None) -> list[str]:
    """List the pictures, the most telling one first."""
    if subject is None:
        return []
    if isinstance(subject, GraphSubject):
        return list(_GRAPH) if solved is not None else ["Graph", "Costs"]
    if solved is None:
        return ["Image"]
    return [name for name in _IMAGE if name != "Region graph" or image_views.shows_graph(solved)]


def picture_of(
    subject: Subject,
    solved: Solved | None,
    view: str,
    number: int = 0,
    *,
    dark: bool = False,
) -> NDArray[Any]:
    """Draw a view of result `number`, for a light or a dark page; an unknown view is the first."""
    names = view_names(subject, solved)
    name = view if view in names else names[0]
    if not isinstance(subject, GraphSubject):
        return image_views.picture_of(subject, solved, name, number)
    if name == "Clusters" and solved is not None:
        return graph_views.picture_of_clusters(subject, solved.results[number], dark)
    if name == "Sizes" and solved is not None:
        return graph_views.picture_of_sizes(solved.results[number], dark)
    if name == "Costs":
        return graph_views.picture_of_costs(subject.problem, dark)
    return graph_views.picture_of_problem(subject, dark)


def picture_of_traces(solved: Solved, *, dark: bool = False) -> NDArray[np.uint8]:
    """Draw how objectives went down while the solvers ran."""
    from multicut.plotting import plot_trace

    named = [
        # One line for the bound, which all results share.
        replace(result, solver=name, lower_bound=result.lower_bound if number == 0 else None)
        for number, (name, result) in enumerate(zip(solved.names, solved.results, strict=True))
    ]
    return draw(lambda ax: plot_trace(named, ax), 7.2, 3.0, dark=dark)
