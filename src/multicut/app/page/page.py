"""The page of one server: its components, connected to their events."""

from __future__ import annotations

from pathlib import Path

import gradio as gr

from multicut.app import style
from multicut.app.guard import visitor_of
from multicut.app.limits import AppLimits
from multicut.app.page.events import Events
from multicut.app.page.inputs import Inputs
from multicut.app.page.outputs import Outputs
from multicut.app.page.session import SESSION_SECONDS, Session
from multicut.app.storage import Storage

# The files of one visitor and of all of them, in uploads of the largest size.
_UPLOADS_OF_ONE, _UPLOADS_OF_ALL = 20, 100
# Events that may wait: in all, and of one visitor.
_MOST_WAITING, _MOST_WAITING_OF_ONE = 64, 32
_SECONDS_BETWEEN_CLEANUPS = 600


class Page:
    """The page of one server.

    Parameters
    ----------
    limits
        What visitors may ask for.
    uploads
        The folder for files of visitors and for those to download.
    """

    max_waiting = _MOST_WAITING_OF_ONE

    def __init__(self, limits: AppLimits, uploads: Path) -> None:
        self.limits = limits
        self.uploads = uploads
        largest = limits.max_upload_bytes
        self.storage = Storage(uploads, _UPLOADS_OF_ONE * largest, _UPLOADS_OF_ALL * largest)
        with gr.Blocks(
            title="multicut",
            analytics_enabled=False,
            delete_cache=(_SECONDS_BETWEEN_CLEANUPS, SESSION_SECONDS),
            fill_width=True,
        ) as self.blocks:
            self.session = Session(self.storage)
            gr.HTML(style.TITLE, padding=False)
            with gr.Row(equal_height=False):
                with gr.Column(scale=0, min_width=330, elem_id="input"):
                    self.inputs = Inputs(limits)
                with gr.Column(scale=1, min_width=480):
                    self.outputs = Outputs()
            self.events = Events(self.session, self.inputs, self.outputs, limits, self.storage)
            self.events.connect(self.blocks)
        self.blocks.queue(
            max_size=_MOST_WAITING, default_concurrency_limit=limits.concurrency, api_open=False
        )

    @property
    def functions(self) -> frozenset[int]:
        """The numbers of the functions that events may call."""
        return frozenset(self.blocks.fns)

    def count_queued(self, visitor: str) -> int:
        """Return how many events of a visitor are in the queue.

        Gradio has no public name for the queue, so pyproject.toml pins the minor version.
        """
        queues = self.blocks._queue.event_queue_per_concurrency_id.values()
        return sum(
            visitor_of(event.request.scope) == visitor for queue in queues for event in queue.queue
        )
