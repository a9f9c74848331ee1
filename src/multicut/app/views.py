"""Which pictures there are of what a visitor has at hand, by name."""

from __future__ import annotations

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


def picture_of(subject: Subject, solved: Solved | None, view: str, number: int = 0) -> NDArray[Any]:
    """Draw a view of result `number`; an unknown view is the first one."""
    names = view_names(subject, solved)
    name = view if view in names else names[0]
    if not isinstance(subject, GraphSubject):
        return image_views.picture_of(subject, solved, name, number)
    if name == "Clusters" and solved is not None:
        return graph_views.picture_of_clusters(subject, solved.results[number])
    if name == "Sizes" and solved is not None:
        return graph_views.picture_of_sizes(solved.results[number])
    if name == "Costs":
        return graph_views.picture_of_costs(subject.problem)
    return graph_views.picture_of_problem(subject)


def picture_of_traces(solved: Solved) -> NDArray[np.uint8]:
    """Draw how objectives went down while the solvers ran."""
    from multicut.plotting import plot_trace

    return draw(lambda ax: plot_trace(list(solved.results), ax), 7.2, 3.0)
