"""Nodes and edges of a graph in a picture to click on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from multicut.app.proofs.scene import (
    PLAIN,
    SEGMENTS,
    SURE,
    UNCERTAINTY,
    crossings,
    doubt_colours,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multicut._arrays import FloatArray, IntArray
    from multicut.app.proofs.scene import Pair, Point, Scene
    from multicut.problem import Problem

_WIDTH, _HEIGHT, _MARGIN = 1100, 700, 24
# Everything is drawn twice as large and then made smaller, which smooths the lines.
_FINE = 2
# In pixels of the picture, how near a click has to be.
_NEAR_NODE, _NEAR_EDGE = 14.0, 7.0
_PINK = (255, 0, 170)
_GREY = (150, 156, 166)


class GraphPlaces:
    """The nodes and edges of a graph as places to click on.

    Parameters
    ----------
    problem
        The graph.
    positions
        Where its nodes lie, shape (num_nodes, 2), upwards.
    """

    noun = "node"
    num_slices = 1

    def __init__(self, problem: Problem, positions: FloatArray) -> None:
        self._edges = problem.edges
        self._points = _fit(positions)
        self._radius = float(np.clip(260 / max(np.sqrt(problem.num_nodes), 1.0), 2.5, 9.0))

    def hit(self, point: Point, number: int) -> int | Pair | None:  # noqa: ARG002
        """Return the nearest node, or else the nodes of the nearest edge; None if all are far."""
        here = np.array(point) * (_WIDTH, _HEIGHT)
        if len(self._points) == 0:
            return None
        distances = np.linalg.norm(self._points - here, axis=1)
        nearest = int(distances.argmin())
        if distances[nearest] <= max(self._radius + 3, min(_NEAR_NODE, 3 * self._radius)):
            return nearest
        edges = self._edges
        if len(edges) == 0:
            return None
        distances = _distances(here, self._points[edges[:, 0]], self._points[edges[:, 1]])
        edge = int(distances.argmin())
        if distances[edge] > _NEAR_EDGE:
            return None
        return int(edges[edge, 0]), int(edges[edge, 1])

    def crossed(
        self,
        start: Point,
        end: Point,
        number: int,  # noqa: ARG002
        labels: IntArray,
    ) -> list[Pair]:
        """Return the edges inside clusters that a line crosses."""
        inside = self._edges[labels[self._edges[:, 0]] == labels[self._edges[:, 1]]]
        ends = [np.array(point) * (_WIDTH, _HEIGHT) for point in (start, end)]
        return [(int(u), int(v)) for u, v in inside[crossings(self._points, inside, *ends)]]

    def slice_of(self, pair: Pair) -> int:  # noqa: ARG002
        """Return 0, the only picture."""
        return 0

    def draw(self, scene: Scene, number: int) -> NDArray[np.uint8]:  # noqa: ARG002
        """Draw edges inside clusters in their colours, cut ones thin and grey; then nodes."""
        from PIL import Image, ImageDraw

        canvas = Image.new("RGBA", (_FINE * _WIDTH, _FINE * _HEIGHT), (255, 255, 255, 0))
        pen = ImageDraw.Draw(canvas)
        ends = (_FINE * self._points)[self._edges].reshape(-1, 4).tolist()
        labels = scene.labels
        cut = labels[self._edges[:, 0]] != labels[self._edges[:, 1]]
        colours, widths = self._edge_styles(scene, cut)
        # Cut edges first, doubtful ones last.
        rank = scene.doubts if scene.view == UNCERTAINTY and scene.doubts is not None else ~cut
        for edge in np.argsort(rank, kind="stable"):
            pen.line(ends[edge], tuple(colours[edge]), int(widths[edge]))
        self._draw_nodes(pen, scene)
        self._mark(pen, scene)
        # Colours are weighed by their opacity, so that lines get no dark rim.
        smooth = canvas.convert("RGBa").reduce(_FINE).convert("RGBA")
        return np.asarray(smooth)

    def _edge_styles(
        self, scene: Scene, cut: NDArray[np.bool_]
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return colour and width of each edge."""
        colours: NDArray[Any] = scene.colours[self._edges[:, 0]].copy()
        colours[cut] = _GREY
        if scene.view == PLAIN:
            colours[~cut] = (59, 125, 196)
        inner = max(2, round(0.9 * self._radius))
        widths = np.where(cut, 1, inner)
        if scene.view == UNCERTAINTY and scene.doubts is not None:
            in_doubt = scene.doubts > SURE
            colours[~in_doubt] = _GREY
            colours[in_doubt] = doubt_colours(scene.doubts[in_doubt])
            widths = np.where(in_doubt & cut, max(2, inner // 2), widths)
        return colours, widths

    def _draw_nodes(self, pen: Any, scene: Scene) -> None:
        rim = (38, 42, 52) if scene.dark else (255, 255, 255)
        radius = _FINE * self._radius
        plain = (96, 104, 118)
        for node, (x, y) in enumerate((_FINE * self._points).tolist()):
            fill = tuple(scene.colours[node].tolist()) if scene.view == SEGMENTS else plain
            pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill, rim, _FINE)

    def _mark(self, pen: Any, scene: Scene) -> None:
        """Ring the nodes of the selected segment and of a suggestion."""
        points = _FINE * self._points
        radius = _FINE * (self._radius + 5)
        if scene.suggested is not None:
            pen.line(points[list(scene.suggested)].ravel().tolist(), _PINK, 4 * _FINE)
        if scene.selected is not None:
            line = (235, 238, 245) if scene.dark else (30, 34, 42)
            for x, y in points[scene.labels == scene.labels[scene.selected]].tolist():
                box = (x - radius, y - radius, x + radius, y + radius)
                pen.ellipse(box, None, line, _FINE)
        marked = [*(scene.suggested or ()), *(() if scene.selected is None else (scene.selected,))]
        for x, y in points[marked].tolist():
            wide = radius + 2 * _FINE
            pen.ellipse((x - wide, y - wide, x + wide, y + wide), None, _PINK, 3 * _FINE)


def _fit(positions: FloatArray) -> FloatArray:
    """Move positions into the picture, as large as it allows without a change of shape."""
    points = np.asarray(positions, dtype=np.float64) * (1.0, -1.0)
    if len(points) == 0:
        return points
    low, high = points.min(axis=0), points.max(axis=0)
    room = np.array([_WIDTH, _HEIGHT]) - 2.0 * _MARGIN
    scale = float((room / np.maximum(high - low, 1e-12)).min())
    fitted: FloatArray = (points - (low + high) / 2) * min(scale, 1e9)
    return fitted + np.array([_WIDTH, _HEIGHT]) / 2


def _distances(point: FloatArray, starts: FloatArray, ends: FloatArray) -> FloatArray:
    """Return the distance of a point to each of some line segments."""
    along = ends - starts
    length = np.maximum((along**2).sum(axis=1), 1e-12)
    share = np.clip(((point - starts) * along).sum(axis=1) / length, 0.0, 1.0)
    distances: FloatArray = np.linalg.norm(starts + share[:, np.newaxis] * along - point, axis=1)
    return distances
