"""The state of one visitor's proofreading."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._words import count
from multicut.app.failures import VisitorError
from multicut.app.proofs.colours import KeptColours
from multicut.app.proofs.graph_places import GraphPlaces
from multicut.app.proofs.image_places import ImagePlaces
from multicut.app.proofs.scene import UNCERTAINTY, VIEWS, Scene
from multicut.app.subjects import GraphSubject
from multicut.proofreading import Proofreader, edge_margins
from multicut.proofreading.clusters import edges_at_border, join_clusters

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from multicut._arrays import FloatArray, IntArray
    from multicut.app.proofs.scene import Pair, Places, Point
    from multicut.app.solving import Solved
    from multicut.proofreading import Correction
    from multicut.proofreading.suggestions import Suggestion

JOIN, SEPARATE = "Join", "Separate"
#: What clicks do.
MODES = (JOIN, SEPARATE)

# How many suggestions are computed at a time.
_SUGGESTIONS = 20
# Edges that local search looks at for the picture of uncertainty; more would be seen later.
_RESOLVED = 400
# A line across a whole image cuts fewer links than that.
_MOST_CUT = 1_000
# What a suggestion asks, for graphs or for images.
_QUESTIONS = {
    (True, "join"): "Do the two pink nodes belong together?",
    (True, "separate"): "Should the two pink nodes be separated?",
    (False, "join"): "Do the two sides of the pink line belong together?",
    (False, "separate"): "Should the segment be divided at the pink line?",
}


class Desk:
    """The corrections of one visitor, what they have clicked on, and what they look at.

    Its methods return a line that says what happened, and raise a ValueError with a line that says
    why nothing did. Events of a visitor may run side by side, so it has a lock.

    Parameters
    ----------
    solved
        What was solved; the first result is corrected.
    places
        Where its nodes lie.
    """

    def __init__(self, solved: Solved, places: Places) -> None:
        self.solved = solved
        self.places = places
        self.problem = solved.problem
        self.proof = Proofreader(solved.problem, initial=solved.results[0].labels)
        self.slice = places.num_slices // 2
        self.selected: int | None = None
        self.suggestion: Suggestion | None = None
        self.notice = ""
        self._version = 0
        self._passed: set[Pair] = set()
        self._colours = KeptColours()
        self._doubts: FloatArray | None = None
        self._lock = threading.RLock()
        self._ids = solved.problem.node_ids.tolist() if solved.problem.has_own_ids else None

    # Clicks.

    def click(self, point: Point, mode: str) -> str:
        """Select what was clicked; with a second click, join or separate the two."""
        with self._lock:
            found = self.places.hit(point, self.slice)
            if found is None:
                noun = self.places.noun
                raise VisitorError(f"there is no {noun} at this place; click on a {noun}")
            if isinstance(found, tuple):
                return self._correct(_check_mode(mode), *found)
            first = self.selected
            if first is None:
                return self._select(found, mode)
            return self._correct(_check_mode(mode), first, found)

    def draw_line(self, start: Point, end: Point, mode: str) -> str:
        """Cut along a line; when joining, join what lies at its ends."""
        with self._lock:
            if _check_mode(mode) == JOIN:
                self.selected = None
                self.click(start, mode)
                return self.click(end, mode) if self.selected is not None else self.notice
            pairs = self.places.crossed(start, end, self.slice, self._labels())
            if not pairs:
                raise VisitorError(
                    "the line crosses nothing that belongs together; draw it right through a "
                    "segment, from border to border"
                )
            if len(pairs) > _MOST_CUT:
                raise VisitorError(
                    f"the line cuts {len(pairs):,} links, more than {_MOST_CUT:,}; draw a shorter "
                    f"one"
                )
            with self._changing("cut along the line"):
                if len(pairs) == 1:
                    self.proof.separate(*self._names(pairs[0]))
                else:  # one correction, which is undone at once
                    names = [self._names(pair) for pair in pairs]
                    self.proof.add_edges(names, np.full(len(names), -math.inf))
            return self.notice

    def drop_selection(self) -> str:
        """Forget the first click and the suggestion."""
        with self._lock:
            self.selected = self.suggestion = None
            return self._say("nothing is selected")

    def _select(self, node: int, mode: str) -> str:
        self.selected, self.suggestion = node, None
        size = int((self.proof.labels == self.proof.labels[node]).sum())
        then = (
            "the segment to join it with"
            if _check_mode(mode) == JOIN
            else "another part of the same segment"
        )
        held = count(size, self.places.noun)
        return self._say(f"selected a segment of {held}; now click on {then}")

    def _correct(self, mode: str, u: int, v: int) -> str:
        labels = self.proof.labels
        noun = self.places.noun
        if u == v and mode == SEPARATE:
            raise VisitorError(
                f"both clicks hit the same {noun}, which cannot be divided; click on another part"
            )
        if mode == JOIN and labels[u] == labels[v]:
            raise VisitorError(
                "these belong to the same segment; click on another one, or choose Separate"
            )
        if mode == SEPARATE and labels[u] != labels[v]:
            raise VisitorError(
                "these are two segments already; click on two parts of one, or choose Join"
            )
        names = self._names((u, v))
        with self._changing("joined" if mode == JOIN else "separated"):
            if mode == JOIN:
                join_clusters(self.proof, *names)
            else:
                self.proof.separate(*names)
        return self.notice

    # Undo, redo, suggestions.

    def undo(self) -> str:
        """Take the last correction back."""
        with self._lock:
            if not self.proof.history:
                raise VisitorError("there is no correction to undo")
            with self._changing("took the last correction back"):
                self.proof.undo()
            return self.notice

    def redo(self) -> str:
        """Make an undone correction again."""
        with self._lock:
            try:
                with self._changing("made the correction again"):
                    self.proof.redo()
            except IndexError:
                raise VisitorError("there is no undone correction to make again") from None
            return self.notice

    def next_suggestion(self) -> str:
        """Go to the next place that is worth a look."""
        with self._lock:
            if self.suggestion is not None:
                self._passed.add(self._pair(self.suggestion))
            wanted = _SUGGESTIONS + len(self._passed)
            found = [
                each
                for each in self.proof.suggest(wanted, weights=self._weights())
                if self._pair(each) not in self._passed
            ]
            self.selected = None
            self.suggestion = found[0] if found else None
            if self.suggestion is None:
                self._passed.clear()
                return self._say("no more suggestions; the next one starts from the beginning")
            border = self._border()
            middle = self.problem.edges[border[len(border) // 2]].tolist() if len(border) else None
            self.slice = self.places.slice_of(
                self._pair(self.suggestion) if middle is None else (middle[0], middle[1])
            )
            question = _QUESTIONS[self.places.noun == "node", self.suggestion.kind]
            chance = f"{100 * self.suggestion.probability:.0f} % likely"
            return self._say(f"{question} That is {chance}. Answer Yes or No, or go on")

    def answer(self, is_right: bool) -> str:
        """Make the suggested correction, or the opposite one, so that it does not come again."""
        with self._lock:
            suggestion = self.suggestion
            if suggestion is None:
                raise VisitorError("there is no suggestion to answer; press Next suggestion")
            words = {
                ("join", True): "joined as suggested",
                ("separate", True): "separated as suggested",
                ("join", False): "kept apart",
                ("separate", False): "kept together",
            }[suggestion.kind, is_right]
            with self._changing(words):
                self.proof.answer(suggestion, is_right)
            return self.notice

    def learn(self) -> str:
        """Fit the costs to the corrections so far, which may change segments anywhere."""
        with self._lock:
            with self._changing("learned from the corrections"):
                self.proof.learn()
            return self.notice

    def _weights(self) -> FloatArray | None:
        """Return how much each node counts in suggestions: the pixels of a superpixel."""
        if not self.solved.segmentations:
            return None
        regions = self.solved.segmentations[0].superpixels
        sizes = np.bincount(regions[regions >= 0], minlength=self.problem.num_nodes)
        return np.asarray(sizes, dtype=np.float64)

    # Files.

    def write_corrections(self, path: Path) -> None:
        """Write all corrections, one JSON object per line."""
        with self._lock:
            self.proof.save(path)

    def load(self, corrections: Sequence[Correction], seconds: float) -> str:
        """Make corrections of a file after those that there are; all of them, or none.

        Parameters
        ----------
        corrections
            The corrections.
        seconds
            How long that may take.
        """
        with self._lock:
            if not corrections:
                raise VisitorError("the file holds no corrections")
            # Tried on another one first, so that nothing is lost if one of them is refused.
            trial = Proofreader(self.problem, initial=self.solved.results[0].labels)
            deadline = time.perf_counter() + seconds / 2
            for correction in (*self.proof.history, *corrections):
                trial.apply(correction)
                if time.perf_counter() > deadline:
                    raise VisitorError(
                        f"{len(corrections):,} corrections take longer than the limit of "
                        f"{seconds:g} s; load fewer"
                    )
            with self._changing(f"made {count(len(corrections), 'correction')} of the file"):
                for correction in corrections:
                    self.proof.apply(correction)
            return self.notice

    def labels(self) -> NDArray[np.integer]:
        """Return the segment of each pixel or node, 0 … k-1; -1 for pixels without one."""
        with self._lock:
            labels = self.proof.result.labels
        if not self.solved.segmentations:
            return labels
        segments: NDArray[np.integer] = np.append(labels, -1)[
            self.solved.segmentations[0].superpixels
        ]
        return segments

    # Pictures.

    @property
    def version(self) -> int:
        """A number that changes with what the picture shows."""
        return self._version

    def look_at(self, number: int) -> None:
        """Go to a slice of a volume."""
        with self._lock:
            last = self.places.num_slices - 1
            self.slice = min(max(int(number), 0), last)
            self._version += 1

    def draw(self, view: str, dark: bool) -> NDArray[Any]:
        """Draw what there is to see."""
        with self._lock:
            chosen = view if view in VIEWS else VIEWS[0]
            scene = Scene(
                labels=self._labels(),
                colours=self._colours.of(self.proof.labels, self.problem.edges),
                view=chosen,
                doubts=self._doubts_now() if chosen == UNCERTAINTY else None,
                selected=self.selected,
                suggested=None if self.suggestion is None else self._pair(self.suggestion),
                border=self._border(),
                dark=dark,
            )
            return self.places.draw(scene, self.slice)

    def _doubts_now(self) -> FloatArray:
        if self._doubts is None:
            margins = edge_margins(
                self.proof.problem,
                self.proof.result,
                exact_below=0,
                num_resolved=_RESOLVED,
                num_threads=1,
            )
            # Edges that corrections have added come last.
            self._doubts = 1.0 - margins.confidence[: self.problem.num_edges]
        return self._doubts

    # How.

    @contextmanager
    def _changing(self, words: str) -> Iterator[None]:
        """Change the partition: afterwards nothing is selected, and the notice says what changed.

        If the change is refused, all stays as it is, the selection as well.
        """
        yield
        self.selected = self.suggestion = None
        self._doubts = None
        changed = len(self.proof.changed)
        noun = self.places.noun
        moved = f"{count(changed, noun)} changed" if changed else "nothing else changed"
        self._say(f"{words}; {moved}")

    def _labels(self) -> IntArray:
        return self.proof.labels.astype(np.int64)

    def _say(self, words: str) -> str:
        self._version += 1
        self.notice = words[:1].upper() + words[1:] + ("" if words[-1] in ".?" else ".")
        return self.notice

    def _border(self) -> IntArray:
        """Return the edges between the two sides of the suggestion, if there is one."""
        if self.suggestion is None:
            return np.zeros(0, dtype=np.int64)
        edges = edges_at_border(self.proof, *self._pair(self.suggestion))
        return edges[edges < self.problem.num_edges]

    def _names(self, pair: Pair) -> tuple[Any, Any]:
        """Return the ids of two nodes, which corrections are made of."""
        u, v = pair
        return pair if self._ids is None else (self._ids[u], self._ids[v])

    def _pair(self, suggestion: Suggestion) -> Pair:
        """Return the two nodes of a suggestion."""
        if self._ids is None:
            return suggestion.u, suggestion.v
        return self._ids.index(suggestion.u), self._ids.index(suggestion.v)


def open_desk(solved: Solved | None) -> Desk:
    """Begin to proofread what was solved."""
    if solved is None:
        raise VisitorError("nothing to proofread yet; press Segment and proofread")
    if solved.problem.num_nodes == 0:
        raise VisitorError("there is nothing to proofread: the input has no nodes")
    if solved.segmentations:
        return Desk(solved, ImagePlaces(solved.segmentations[0]))
    assert isinstance(solved.subject, GraphSubject)
    positions = solved.subject.positions
    if positions is None:
        raise VisitorError(
            "this graph is too large to be drawn and clicked on; in Python, "
            "multicut.Proofreader corrects graphs of any size"
        )
    return Desk(solved, GraphPlaces(solved.problem, positions))


def _check_mode(mode: str) -> str:
    if mode not in MODES:
        raise VisitorError(f"clicks either {JOIN} or {SEPARATE}, got {mode!r}")
    return mode
