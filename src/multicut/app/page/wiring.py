"""From an event of a component to the function that handles it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import gradio as gr

# Gradio finds out what a function takes from its hints, all of which have to be there.
from multicut.app.page.display import Updates
from multicut.app.page.session import EventContext
from multicut.app.returning import Returning
from multicut.app.storage import name_visitor
from multicut.app.visits import Visit, VisitorFolders

if TYPE_CHECKING:
    from collections.abc import Callable

    from multicut.app.page.session import Session
    from multicut.app.storage import Storage

#: Nothing but the page may call a function, and a component is not covered while it is updated.
QUICK: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
#: What takes long waits in a queue that all visitors share.
SLOW: dict[str, Any] = {"api_visibility": "private", "concurrency_id": "work"}


class Wiring:
    """Connects events, so that each knows the visit and shows a sign of work.

    Parameters
    ----------
    session
        The components that hold the visit.
    storage
        Where files of visitors lie.
    """

    def __init__(self, session: Session, storage: Storage) -> None:
        self.session = session
        self.storage = storage
        self.returning = Returning()

    def on(
        self,
        trigger: Callable[..., Any],
        words: str,
        handle: Callable[..., Updates],
        inputs: list[Any],
        outputs: list[Any],
        *,
        script: str = "values",
        **options: Any,
    ) -> Any:
        """Handle an event, with a sign of work that needs no answer of the server.

        The script that shows the sign also sets the last two inputs: the name of the tab, and
        whether the page is dark. `script` may change others first. Returns the event that follows.
        """

        def answer(
            request: gr.Request,
            progress: gr.Progress = gr.Progress(),  # noqa: B008  (Gradio finds it there)
            *values: Any,
        ) -> Updates:
            visit, *chosen, token, dark = values
            context = EventContext(
                visit or Visit(),
                self._folders_of(request),
                bool(dark),
                lambda share, words: progress(share, desc=words),
                str(token or ""),
            )
            updates = handle(context, *chosen)
            kept = updates.get(self.session.visit)
            if isinstance(kept, Visit):
                self.returning.keep(context.token, context.folders.visitor, kept)
            return updates

        text = json.dumps(words)
        event = trigger(
            answer,
            [self.session.visit, *inputs, self.session.token, self.session.dark],
            outputs,
            js=f"(...values) => multicutPage.begin({text}, {script})",
            **options,
        )
        return event.then(None, js=f"() => multicutPage.end({text})", show_progress="hidden")

    def _folders_of(self, request: gr.Request) -> VisitorFolders:
        """Return the folders of the visitor who sent a request."""
        client = request.client
        return VisitorFolders(self.storage, name_visitor(client.host if client else None))
