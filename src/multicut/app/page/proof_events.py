"""The events of the tab in which visitors correct a segmentation."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from multicut.app import visits
from multicut.app.failures import VisitorError, describe_failure
from multicut.app.page.wiring import QUICK, SLOW
from multicut.app.proofs.files import read_corrections, write_export

if TYPE_CHECKING:
    from multicut.app.limits import AppLimits
    from multicut.app.page.display import Updates
    from multicut.app.page.proof_tab import ProofTab
    from multicut.app.page.session import EventContext
    from multicut.app.page.wiring import Wiring
    from multicut.app.proofs import Desk
    from multicut.app.proofs.scene import Point

# Of the picture's width, how far a pointer may move during a click.
_STILL = 0.01


class ProofEvents:
    """What the tab does when visitors use it.

    Parameters
    ----------
    tab
        Its components.
    wiring
        Connects events.
    limits
        What visitors may ask for.
    """

    def __init__(self, tab: ProofTab, wiring: Wiring, limits: AppLimits) -> None:
        self.tab = tab
        self.wiring = wiring
        self.limits = limits

    def connect(self, selected: Callable[..., Any]) -> None:
        """Connect the components; `selected` is the event of opening the tab."""
        tab, on = self.tab, self.wiring.on
        session = self.wiring.session
        everything = [session.visit, *tab.everything]
        on(selected, "Opening", self.open, [tab.view], everything, **QUICK)
        # Clicks may come faster than answers, and none is to be lost.
        on(
            tab.gestured.click,
            "Correcting",
            self.take_gesture,
            [tab.gesture, tab.mode, tab.view],
            tab.everything,
            script="multicutPage.withGesture(values)",
            trigger_mode="multiple",
            **QUICK,
        )
        steps: list[tuple[Any, str, Callable[[Desk], object]]] = [
            (tab.undo, "Undoing", lambda desk: desk.undo()),
            (tab.redo, "Redoing", lambda desk: desk.redo()),
            (tab.learn, "Learning", lambda desk: desk.learn()),
            (tab.clear, "Clearing", lambda desk: desk.drop_selection()),
            (tab.yes, "Correcting", lambda desk: desk.answer(True)),
            (tab.no, "Correcting", lambda desk: desk.answer(False)),
        ]
        for button, words, step in steps:
            on(
                button.click,
                words,
                partial(self.do, step),
                [tab.view],
                tab.everything,
                trigger_mode="multiple",
                **QUICK,
            )
        on(
            tab.suggest.click,
            "Looking for a place",
            partial(self.do, lambda desk: desk.next_suggestion()),
            [tab.view],
            tab.everything,
            concurrency_id="work",
            **QUICK,
        )
        on(tab.view.input, "Drawing", self.look, [tab.view], tab.everything, **QUICK)
        on(
            tab.slice.release,
            "Drawing",
            self.look_at,
            [tab.slice, tab.view],
            [tab.status, tab.picture],
            **QUICK,
        )
        on(
            tab.load.upload,
            "Reading corrections",
            self.load,
            [tab.load, tab.view],
            tab.everything,
            **SLOW,
            show_progress="hidden",
        )
        for kind, button in tab.exports.items():
            on(
                button.click,
                "Writing the file",
                partial(self.export, kind),
                [],
                [tab.status, tab.file],
                **QUICK,
            ).then(
                None,
                tab.file,
                js="file => multicutPage.download(file)",
                show_progress="hidden",
            )

    def open(self, context: EventContext, view: str) -> Updates:
        """Begin to proofread what was solved, or go on with it."""
        try:
            visit = context.visit
            if visit.solved is not None:
                visit = visits.with_desk(visit)
            found = context.after(visit)
            return {self.wiring.session.visit: visit, **self.tab.show(found, view)}
        except Exception as error:
            return self.tab.show_failure(context, describe_failure(error))

    def take_gesture(self, context: EventContext, gesture: str, mode: str, view: str) -> Updates:
        """Take a click on the picture, or a line that was drawn on it."""

        def take(desk: Desk) -> None:
            start, end = _ends(gesture)
            if math.dist(start, end) <= _STILL:
                desk.click(start, mode)
            else:
                desk.draw_line(start, end, mode)

        return self.do(take, context, view)

    def do(self, step: Callable[[Desk], object], context: EventContext, view: str) -> Updates:
        """Take a step, and show what has changed, or why nothing has."""
        try:
            desk = context.visit.desk
            if desk is None:
                raise VisitorError("nothing to proofread yet; press Segment and proofread")
            before = desk.slice
            step(desk)
            shown = self.tab.show_picture(context, view)
            return shown | ({} if desk.slice == before else {self.tab.slice: desk.slice})
        except Exception as error:
            return self.tab.show_failure(context, describe_failure(error))

    def look(self, context: EventContext, view: str) -> Updates:
        """Show another view."""
        return self.do(lambda _: None, context, view)

    def look_at(self, context: EventContext, number: float, view: str) -> Updates:
        """Show another slice of a volume."""
        return self.do(lambda desk: desk.look_at(int(number)), context, view)

    def load(self, context: EventContext, path: str | None, view: str) -> Updates:
        """Make the corrections of a file."""

        def read(desk: Desk) -> None:
            if path is None:
                raise VisitorError("no file was uploaded; choose it again")
            root = context.folders.storage.root
            corrections = read_corrections(path, root, self.limits, desk.problem.num_nodes)
            desk.load(corrections, self.limits.time_limit)

        return self.do(read, context, view)

    def export(self, kind: str, context: EventContext) -> Updates:
        """Write a file to download."""
        try:
            desk, folder = context.visit.desk, context.visit.folder
            if desk is None or folder is None:
                raise VisitorError("nothing to export yet; press Segment and proofread")
            context.folders.storage.restore(context.folders.visitor, folder)
            return {self.tab.file: str(write_export(desk, kind, folder))}
        except Exception as error:
            failure = self.tab.show_failure(context, describe_failure(error))
            return {**failure, self.tab.file: None}


def _ends(gesture: str) -> tuple[Point, Point]:
    """Read the two ends of what a pointer did, each by its shares of width and height."""
    try:
        numbers = [float(number) for number in json.loads(gesture)]
        a, b, c, d = numbers
    except (TypeError, ValueError):
        raise VisitorError("the place of the click is not known; click again") from None
    if not all(map(math.isfinite, numbers)):
        raise VisitorError("the place of the click is not known; click again")
    return (a, b), (c, d)
