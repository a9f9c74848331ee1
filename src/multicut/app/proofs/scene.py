"""What a picture of proofreading shows, whatever it is drawn of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multicut._arrays import FloatArray, IntArray

SEGMENTS, UNCERTAINTY, PLAIN = "Segments", "Uncertainty", "Outlines"
#: The pictures that visitors choose from.
VIEWS = (SEGMENTS, UNCERTAINTY, PLAIN)

#: A place in the picture: shares of its width and height.
Point = tuple[float, float]
Pair = tuple[int, int]

# An edge is in doubt if its probability to be right is half; there it gets the last colour.
_DOUBT_COLOURS = np.array([[110, 150, 190], [250, 205, 60], [240, 40, 30]], dtype=np.float64)
_MOST_DOUBT = 0.5
#: Edges of less doubt are not worth a colour.
SURE = 0.03


@dataclass(frozen=True, eq=False)
class Scene:
    """What to draw.

    Attributes
    ----------
    labels
        The segment of each node.
    colours
        The colour of each node's segment, shape (num_nodes, 3).
    view
        One of :data:`VIEWS`.
    doubts
        For each edge of the original problem the probability that it is treated wrongly; for the
        view of uncertainty alone.
    selected
        The node of the first click.
    suggested
        The two nodes of a suggestion.
    border
        The edges between the two sides of a suggestion.
    dark
        Whether the page is dark.
    """

    labels: IntArray
    colours: NDArray[np.uint8]
    view: str = SEGMENTS
    doubts: FloatArray | None = None
    selected: int | None = None
    suggested: Pair | None = None
    border: IntArray | None = None
    dark: bool = False


class Places(Protocol):
    """Where nodes lie in a picture, and the picture itself."""

    @property
    def num_slices(self) -> int:
        """How many pictures there are: more than one for a volume."""

    @property
    def noun(self) -> str:
        """What a node is called."""

    def hit(self, point: Point, number: int) -> int | Pair | None:
        """Return the node at a place of slice `number`, or the nodes of an edge; None for none."""

    def crossed(self, start: Point, end: Point, number: int, labels: IntArray) -> list[Pair]:
        """Return the edges inside segments that a line crosses."""

    def slice_of(self, pair: Pair) -> int:
        """Return the slice that shows two nodes best."""

    def draw(self, scene: Scene, number: int) -> NDArray[Any]:
        """Draw slice `number`."""


def doubt_colours(doubts: FloatArray) -> NDArray[np.uint8]:
    """Return a colour per edge: blue where it is rather sure, then yellow, red where it is not."""
    share = np.clip(doubts / _MOST_DOUBT, 0.0, 1.0) * (len(_DOUBT_COLOURS) - 1)
    low = np.minimum(share.astype(np.int64), len(_DOUBT_COLOURS) - 2)
    part = (share - low)[:, np.newaxis]
    mixed = (1 - part) * _DOUBT_COLOURS[low] + part * _DOUBT_COLOURS[low + 1]
    colours: NDArray[np.uint8] = np.rint(mixed).astype(np.uint8)
    return colours


def crossings(
    points: FloatArray, edges: IntArray, start: FloatArray, end: FloatArray
) -> NDArray[np.bool_]:
    """Return which edges, straight lines between points, are crossed by the line from a to b."""

    def side(origin: FloatArray, towards: FloatArray, point: FloatArray) -> FloatArray:
        along, away = towards - origin, point - origin
        turn: FloatArray = along[..., 0] * away[..., 1] - along[..., 1] * away[..., 0]
        return turn

    u, v = points[edges[:, 0]], points[edges[:, 1]]
    apart = side(start, end, u) * side(start, end, v) < 0
    found: NDArray[np.bool_] = apart & (side(u, v, start) * side(u, v, end) < 0)
    return found
