"""The input of a visitor: a graph with costs, or an image."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from multicut._words import count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multicut._arrays import FloatArray
    from multicut.problem import Problem

# Drawing more would take long and show little.
MOST_NODES_DRAWN = 3_000
MOST_EDGES_DRAWN = 30_000


@dataclass(frozen=True, eq=False)
class GraphSubject:
    """A problem from a file or a generator.

    Attributes
    ----------
    name
        What to call it.
    problem
        The problem.
    places
        Where its nodes lie in the plane, where that is known; shape (num_nodes, 2).
    """

    name: str
    problem: Problem
    places: FloatArray | None = None

    @cached_property
    def positions(self) -> FloatArray | None:
        """Where to draw nodes; None if there are too many for a picture."""
        problem = self.problem
        if problem.num_nodes > MOST_NODES_DRAWN or problem.num_edges > MOST_EDGES_DRAWN:
            return None
        if self.places is not None:
            return self.places
        from multicut.app.layout import place_nodes

        return place_nodes(problem)

    @property
    def description(self) -> str:
        """One line."""
        problem = self.problem
        return f"{count(problem.num_nodes, 'node')}, {count(problem.num_edges, 'edge')}"


@dataclass(frozen=True, eq=False)
class ImageSubject:
    """An image or a volume in uint8.

    Colours have shape (height, width, 3), grey values (height, width); those of a volume begin with
    its depth. No side is shorter than 4 pixels, so the last axis tells the two apart.
    """

    name: str
    image: NDArray[Any]

    @property
    def is_colour(self) -> bool:
        """Whether pixels have colours, not only a brightness."""
        return int(self.image.shape[-1]) == 3

    @property
    def is_volume(self) -> bool:
        """Whether there are slices."""
        return self.image.ndim - self.is_colour == 3

    @property
    def middle(self) -> NDArray[Any]:
        """The image, or the slice in the middle of a volume."""
        image: NDArray[Any] = self.image[len(self.image) // 2] if self.is_volume else self.image
        return image

    @property
    def description(self) -> str:
        """One line."""
        height, width = self.middle.shape[:2]
        kind = "colour" if self.is_colour else "grey"
        slices = f"{count(len(self.image), 'slice')} of " if self.is_volume else ""
        return f"{slices}{width:,} by {height:,} pixels, {kind}"


Subject = GraphSubject | ImageSubject
