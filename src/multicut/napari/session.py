"""What the widget does, without napari: clicks, corrections, suggestions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from multicut._words import count
from multicut.proofreading.clusters import edges_at_border, join_clusters

if TYPE_CHECKING:
    from multicut.proofreading.suggestions import Suggestion
    from multicut.vision import ImageProofreader

JOIN, SEPARATE = "Join", "Separate"
MODES = (JOIN, SEPARATE)
_SUGGESTIONS = 20


class LabelsLayer(Protocol):
    """What a session needs of a layer of napari."""

    data: Any


class Session:
    """Corrections of a segmentation that a layer shows.

    Methods return a line that says what happened, and raise a ValueError with a line that says why
    nothing did.

    Parameters
    ----------
    proof
        The segmentation.
    layer
        The layer of its segments; its data follow.
    """

    def __init__(self, proof: ImageProofreader, layer: LabelsLayer) -> None:
        self.proof = proof
        self.layer = layer
        self.selected: int | None = None
        self.suggestion: Suggestion | None = None
        self._passed: set[tuple[int, int]] = set()

    def click(self, position: Sequence[float], mode: str) -> str:
        """Select the region at a position; with a second click, join or separate the two."""
        region = self.proof.region_at(position)
        if self.selected is None:
            self.selected = region
            return "Now click on the segment to join it with, or on another part of it."
        first, labels = self.selected, self.proof.labels
        is_same = labels[first] == labels[region]
        if mode == JOIN and is_same:
            raise ValueError("both clicks hit the same segment; click on another one")
        if mode == SEPARATE and not is_same:
            raise ValueError("these are two segments already; click on another part of the first")
        if mode == JOIN:
            return self._after("Joined", lambda: join_clusters(self.proof, first, region))
        return self._after("Separated", lambda: self.proof.separate(first, region))

    def drop_selection(self) -> str:
        """Forget the first click."""
        self.selected = None
        return "Nothing is selected."

    def undo(self) -> str:
        """Take the last correction back."""
        return self._after("Undone", self.proof.undo)

    def redo(self) -> str:
        """Make an undone correction again."""
        return self._after("Made again", self.proof.redo)

    def next_suggestion(self) -> str:
        """Go to the next place that is worth a look."""
        if self.suggestion is not None:
            self._passed.add((self.suggestion.u, self.suggestion.v))
        regions = self.proof.parts.superpixels
        sizes = np.bincount(regions[regions >= 0], minlength=self.proof.problem.num_nodes)
        found = self.proof.suggest(_SUGGESTIONS + len(self._passed), weights=sizes)
        left = [each for each in found if (each.u, each.v) not in self._passed]
        self.selected = None
        self.suggestion = left[0] if left else None
        if self.suggestion is None:
            self._passed.clear()
            return "No more suggestions."
        question = (
            "Do these two segments belong together?"
            if self.suggestion.kind == "join"
            else "Should this segment be divided here?"
        )
        return f"{question} {100 * self.suggestion.probability:.0f} % likely."

    def answer(self, is_right: bool) -> str:
        """Make the suggested correction, or the opposite one, so that it does not come again."""
        suggestion = self.suggestion
        if suggestion is None:
            raise ValueError("there is no suggestion; press Next suggestion")
        return self._after("Corrected", lambda: self.proof.answer(suggestion, is_right))

    def place_of_suggestion(self) -> tuple[float, ...] | None:
        """Return where the suggestion is: at the middle of the border between its two sides."""
        if self.suggestion is None:
            return None
        regions = self.proof.parts.superpixels
        nodes = [self.suggestion.u, self.suggestion.v]
        border = edges_at_border(self.proof, nodes[0], nodes[1])
        if len(border):
            nodes = self.proof.problem.edges[border[len(border) // 2]].tolist()
        centres = [np.argwhere(regions == node).mean(axis=0) for node in nodes]
        return tuple(float(each) for each in (centres[0] + centres[1]) / 2)

    def _after(self, words: str, change: Callable[[], object]) -> str:
        try:
            change()
        except IndexError as error:
            raise ValueError(str(error)) from None
        self.selected = self.suggestion = None
        self.layer.data = self.proof.pixel_labels + 1
        return f"{words}; {count(self.proof.num_clusters, 'segment')}."
