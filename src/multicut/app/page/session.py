"""The session of a visitor: hidden components that hold it, and what an event knows of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import gradio as gr

from multicut.app import visits
from multicut.app.canvas import write_jpeg, write_png
from multicut.app.visits import Visit, VisitorFolders

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from multicut.app.solving import Report
    from multicut.app.storage import Storage

SESSION_SECONDS = 3600


class Session:
    """The components that nobody sees.

    Attributes
    ----------
    visit
        The :class:`Visit` of the session.
    token
        The random name of the tab of the browser; the script of the page sets it before each event.
    dark
        Whether the page is dark; the script of the page sets it before each event.
    redraw
        The button that the script of the page clicks when the page turns light or dark.
    """

    def __init__(self, storage: Storage) -> None:
        self.visit = gr.State(
            Visit(),
            time_to_live=SESSION_SECONDS,
            delete_callback=lambda visit: visits.forget(visit, storage),
        )
        self.token = gr.Textbox("", visible=False)
        self.dark = gr.Checkbox(False, visible=False)
        self.redraw = gr.Button("Draw again", visible="hidden", elem_id="redraw")


@dataclass(frozen=True, eq=False)
class EventContext:
    """What is known when a visitor triggers an event.

    Attributes
    ----------
    visit
        Their input and its solution so far.
    folders
        Where their files lie.
    dark
        Whether their page is dark.
    report
        Shows progress.
    token
        The random name of the tab of their browser.
    """

    visit: Visit
    folders: VisitorFolders
    dark: bool = False
    report: Report = lambda *_: None
    token: str = ""

    def after(self, visit: Visit) -> EventContext:
        """Return the same context with another visit."""
        return replace(self, visit=visit)

    def picture(
        self, name: str, variant: str, draw: Callable[[bool], NDArray[Any] | None]
    ) -> str | None:
        """Return the file of a picture, drawn for a light or a dark page when it is first needed.

        Gradio would name the file by its content, and other visitors could guess that name.
        """
        path = self.picture_path(name, variant, self.dark)
        if not path.exists():
            pixels = draw(self.dark)
            if pixels is None:
                return None
            self.folders.storage.restore(self.folders.visitor, path.parent)
            write_png(path, pixels)
        return str(path)

    def photograph(self, name: str, variant: str, draw: Callable[[], NDArray[Any]]) -> str:
        """Return the file of a picture that is the same on a light and a dark page."""
        path = self.picture_path(name, variant, False).with_suffix(".jpg")
        if not path.exists():
            pixels = draw()
            self.folders.storage.restore(self.folders.visitor, path.parent)
            write_jpeg(path, pixels)
        return str(path)

    def drop_pictures(self, prefix: str, kept: int) -> None:
        """Remove the pictures whose names begin like that, except for the last ones by name."""
        assert self.visit.folder is not None
        for path in sorted(self.visit.folder.glob(f"{prefix}*.*g"))[:-kept]:
            path.unlink(missing_ok=True)

    def has_picture(self, name: str, variant: str) -> bool:
        """Whether a picture was drawn, be it for a light or a dark page."""
        return self.visit.folder is not None and any(
            self.picture_path(name, variant, dark).exists() for dark in (False, True)
        )

    def picture_path(self, name: str, variant: str, dark: bool) -> Path:
        """Return where a picture of the visit lies."""
        assert self.visit.folder is not None
        parts = [name.replace(" ", "-"), variant, "dark" if dark else "light"]
        return self.visit.folder / ("-".join(part for part in parts if part).lower() + ".png")
