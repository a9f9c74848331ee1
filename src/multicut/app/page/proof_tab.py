"""The tab in which visitors correct a segmentation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gradio as gr

from multicut.app import tables
from multicut.app.page.widgets import control, markup, picture, refuse_addresses
from multicut.app.proofs.desk import JOIN, MODES
from multicut.app.proofs.scene import VIEWS

if TYPE_CHECKING:
    from multicut.app.page.session import EventContext

_HELP = "Join: click two segments. Separate: click two parts, or draw a line."
_KEYS = (
    "Keys: J join, S separate, U uncertainty, N next suggestion, Y yes, X no, L learn, Z undo, "
    "Shift+Z redo, Esc clear. Learn: fit all costs to the corrections so far."
)
_FILES = (
    "Files: the labels and the corrections so far, one per line. Corrections can be loaded again."
)
# Older pictures of the same visit are removed.
_PICTURES_KEPT = 6


class ProofTab:
    """The components of the tab, from top to bottom."""

    def __init__(self) -> None:
        self.gesture = gr.Textbox("", visible=False)
        self.gestured = gr.Button("Gesture", visible="hidden", elem_id="proof-gestured")
        self.clear = gr.Button("Clear", visible="hidden", elem_id="proof-clear")
        self.status = markup(_status(None), "proof-status")
        self.start = gr.Button("Segment and proofread", variant="primary", elem_id="proof-start")
        with gr.Column(visible=False, elem_id="proof-desk") as self.desk:
            self._lay_out_desk()

    def _lay_out_desk(self) -> None:
        with gr.Row(elem_id="proof-choice"):
            self.mode = control(
                gr.Radio, "proof-mode", "Clicks", _HELP, choices=list(MODES), value=JOIN
            )
            self.view = control(
                gr.Radio,
                "proof-view",
                "View",
                "Uncertainty: borders in doubt, from blue over yellow to red.",
                choices=list(VIEWS),
                value=VIEWS[0],
            )
        with gr.Row(elem_id="proof-actions"):
            self.undo = _button("Undo", "proof-undo")
            self.redo = _button("Redo", "proof-redo")
            self.suggest = _button("Next suggestion", "proof-suggest")
            self.yes = _button("Yes", "proof-yes")
            self.no = _button("No", "proof-no")
            self.learn = _button("Learn", "proof-learn")
        self.picture = picture("proof-picture", 400)
        self.slice = control(
            gr.Slider,
            "proof-slice",
            "Slice",
            "Which slice of the volume to look at.",
            minimum=0,
            maximum=1,
            step=1,
            value=0,
            visible=False,
        )
        markup(tables.hint(_KEYS), "proof-keys")
        with gr.Row(elem_id="proof-files"):
            self.exports = {
                "npy": _button("Labels (.npy)", "proof-npy"),
                "png": _button("Label image (.png)", "proof-png"),
                "csv": _button("Labels (.csv)", "proof-csv"),
                "jsonl": _button("Corrections (.jsonl)", "proof-jsonl"),
            }
            self.load = gr.UploadButton(
                "Load corrections", size="sm", min_width=90, elem_id="proof-load"
            )
        refuse_addresses(self.load)
        markup(tables.hint(_FILES))
        self.file = gr.DownloadButton("File", visible=False)

    @property
    def everything(self) -> list[Any]:
        """The components that :meth:`show` updates."""
        return [
            self.status,
            self.start,
            self.desk,
            self.picture,
            self.slice,
            self.exports["png"],
            self.exports["csv"],
        ]

    def show(self, context: EventContext, view: str = VIEWS[0]) -> dict[Any, Any]:
        """Show the proofreading of a visit, or how to begin."""
        desk = context.visit.desk
        updates: dict[Any, Any] = {
            self.start: gr.update(visible=desk is None),
            self.desk: gr.update(visible=desk is not None),
            self.status: _status(context),
            self.picture: None,
        }
        if desk is None:
            return updates
        is_image = bool(desk.solved.segmentations)
        depth = desk.places.num_slices
        updates[self.slice] = gr.update(
            maximum=max(depth - 1, 1), value=desk.slice, visible=depth > 1
        )
        updates[self.exports["png"]] = gr.update(visible=is_image and depth == 1)
        updates[self.exports["csv"]] = gr.update(visible=not is_image)
        return updates | self.show_picture(context, view)

    def show_picture(self, context: EventContext, view: str) -> dict[Any, Any]:
        """Show what the last step has changed."""
        desk = context.visit.desk
        assert desk is not None
        name = f"proof-{desk.version:06}"
        if not desk.solved.segmentations:
            path = context.picture(name, view, lambda dark: desk.draw(view, dark))
        else:
            path = context.photograph(name, view, lambda: desk.draw(view, False))
        context.drop_pictures("proof-", _PICTURES_KEPT)
        return {self.picture: path, self.status: _status(context)}

    def show_failure(self, context: EventContext, text: str) -> dict[Any, Any]:
        """Show why nothing happened; all else stays as it is."""
        return {self.status: _status(context, text)}


def _button(label: str, identifier: str) -> gr.Button:
    return gr.Button(label, size="sm", min_width=50, elem_id=identifier)


def _status(context: EventContext | None, failure: str = "") -> str:
    return tables.proof_status(None if context is None else context.visit.desk, failure)
