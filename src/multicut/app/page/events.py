"""The events of the page: what triggers them, and what they do."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

import gradio as gr

from multicut.app import tables, visits
from multicut.app.failures import VisitorError, describe_failure
from multicut.app.page.display import Display, Updates
from multicut.app.page.session import EventContext
from multicut.app.segmenting import ImageChoices, takes
from multicut.app.solving import Choices, describe_solver
from multicut.app.storage import name_visitor
from multicut.app.visits import Visit, VisitorFolders

if TYPE_CHECKING:
    from multicut.app.limits import AppLimits
    from multicut.app.page.inputs import Inputs
    from multicut.app.page.outputs import Outputs
    from multicut.app.page.session import Session
    from multicut.app.storage import Storage

# Nothing but the page may call a function, and a component is not covered while it is updated.
_QUICK: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
# What takes long waits in a queue that all visitors share.
_SLOW: dict[str, Any] = {"api_visibility": "private", "concurrency_id": "work"}

Values = ParamSpec("Values")
Handler = Callable[Concatenate["Events", EventContext, Values], Updates]


def _telling_failures(handle: Handler[Values]) -> Handler[Values]:
    """Show a line about what went wrong, and leave everything else on the page as it is."""

    @wraps(handle)
    def handle_and_tell(
        events: Events, context: EventContext, /, *values: Values.args, **options: Values.kwargs
    ) -> Updates:
        try:
            return handle(events, context, *values, **options)
        except Exception as error:
            return {events.outputs.message: tables.message(describe_failure(error))}

    return handle_and_tell


class Events:
    """What the page does when visitors use its controls.

    Parameters
    ----------
    session, inputs, outputs
        The components of the page.
    limits
        What visitors may ask for.
    storage
        Where files of visitors lie.
    """

    def __init__(
        self,
        session: Session,
        inputs: Inputs,
        outputs: Outputs,
        limits: AppLimits,
        storage: Storage,
    ) -> None:
        self.session = session
        self.inputs = inputs
        self.outputs = outputs
        self.limits = limits
        self.storage = storage
        self.display = Display(session, inputs, outputs)

    def connect(self, blocks: gr.Blocks) -> None:
        """Connect the components with what happens on their events; within the page's context."""
        inputs, outputs, display = self.inputs, self.outputs, self.display
        everything, pictures = display.everything, [outputs.message, *display.pictures]
        sample = ("Loading", self.take_sample, [inputs.sample], everything)
        self._on(blocks.load, *sample, **_SLOW, show_progress="hidden")
        self._on(inputs.sample.input, *sample, **_SLOW)
        self._on(
            inputs.upload.upload,
            "Reading the file",
            self.take_upload,
            [inputs.upload],
            [*everything, inputs.sample],
            **_SLOW,
        )
        self._on(
            inputs.member.input,
            "Reading the problem",
            self.take_member,
            [inputs.member],
            everything,
            **_SLOW,
        )
        self._on(
            inputs.solve.click,
            "Solving",
            self.solve,
            inputs.choices,
            everything,
            show_progress_on=display.pictures,
            **_SLOW,
        )
        self._on(
            outputs.ask.click,
            "Asking the network",
            self.ask_network,
            [outputs.model],
            [outputs.message, *display.network],
            **_SLOW,
        )
        self._on(outputs.view.input, "Drawing", self.look, [outputs.view], pictures, **_QUICK)
        self._on(
            self.session.redraw.click,
            "Drawing again",
            self.redraw,
            [outputs.view, outputs.model],
            [*pictures, outputs.trace, *display.network],
            **_QUICK,
        )
        inputs.solver.change(
            lambda name: tables.hint(describe_solver(name)),
            inputs.solver,
            inputs.solver_note,
            **_QUICK,
        )
        inputs.superpixels.change(
            lambda name: [
                gr.update(visible=takes(name, each)) for each in ("num_regions", "scale")
            ],
            inputs.superpixels,
            [inputs.num_superpixels, inputs.scale],
            **_QUICK,
        )

    def _on(
        self,
        trigger: Callable[..., Any],
        words: str,
        handle: Callable[..., Updates],
        inputs: list[Any],
        outputs: list[Any],
        **options: Any,
    ) -> None:
        """Handle an event, with a sign of work that needs no answer of the server.

        The script that shows the sign also sets the last input: whether the page is dark.
        """

        def answer(
            request: gr.Request,
            progress: gr.Progress = gr.Progress(),  # noqa: B008  (Gradio finds it there)
            *values: Any,
        ) -> Updates:
            visit, *chosen, dark = values
            context = EventContext(
                visit or Visit(),
                self._folders_of(request),
                bool(dark),
                lambda share, words: progress(share, desc=words),
            )
            return handle(context, *chosen)

        text = json.dumps(words)
        event = trigger(
            answer,
            [self.session.visit, *inputs, self.session.dark],
            outputs,
            js=f"(...values) => multicutPage.begin({text}, values)",
            **options,
        )
        event.then(None, js=f"() => multicutPage.end({text})", show_progress="hidden")

    def _folders_of(self, request: gr.Request) -> VisitorFolders:
        """Return the folders of the visitor who sent a request."""
        client = request.client
        return VisitorFolders(self.storage, name_visitor(client.host if client else None))

    def take_sample(self, context: EventContext, name: str | None) -> Updates:
        """Load a sample; Gradio sends None when the list is cleared."""
        if not name:
            return {self.outputs.message: ""}
        return self._load(context, lambda: visits.with_sample(context.visit, name, context.folders))

    def take_upload(self, context: EventContext, path: str | None) -> Updates:
        """Load a file that was uploaded; no sample is chosen any more."""
        if path is None:
            return {self.outputs.message: ""}
        updates = self._load(
            context, lambda: visits.with_upload(context.visit, path, self.limits, context.folders)
        )
        return {**updates, self.inputs.sample: None}

    def take_member(self, context: EventContext, member: str) -> Updates:
        """Load another problem of the file; the list of problems stays as it is."""
        updates = self._load(
            context, lambda: visits.with_member(context.visit, member, context.folders)
        )
        return {**updates, self.inputs.member: gr.skip()}

    def _load(self, context: EventContext, load: Callable[[], Visit]) -> Updates:
        """Load an input and show it; if that fails, show the message and no input."""
        try:
            return self.display.show(context.after(load()))
        except Exception as error:
            shown = self.display.show(context.after(Visit()))
            return {**shown, self.outputs.message: tables.message(describe_failure(error))}

    @_telling_failures
    def solve(
        self,
        context: EventContext,
        solver: str,
        other: str,
        seconds: str | None,
        bound: bool,
        seed: int | None,
        superpixels: str,
        num_superpixels: int | None,
        scale: float | None,
        bias: float,
        sigma: float,
    ) -> Updates:
        """Solve the input as chosen, and show the results; an empty number counts as zero."""
        image = ImageChoices(superpixels, num_superpixels or 0, scale or 0, bias, sigma)
        limit = self.limits.parse_seconds(seconds)
        choices = Choices(solver, other or None, limit, bound, seed or 0, image)
        visit = visits.with_solution(
            context.visit, choices, self.limits, context.folders, context.report
        )
        return self.display.show(context.after(visit))

    @_telling_failures
    def look(self, context: EventContext, view: str) -> Updates:
        """Show another view."""
        return {self.outputs.message: "", **self.display.show_pictures(context, view)}

    @_telling_failures
    def ask_network(self, context: EventContext, model: str) -> Updates:
        """Show what a network computes for the problem that was solved."""
        if context.visit.solved is None:
            raise VisitorError("press Solve first: the network is compared with a solution")
        return {self.outputs.message: "", **self.display.show_network(context, model)}

    @_telling_failures
    def redraw(self, context: EventContext, view: str, model: str) -> Updates:
        """Draw again what is shown, since the page has become light or dark."""
        updates = self.look(context, view)
        if context.visit.solved is not None:
            updates[self.outputs.trace] = self.display.show_trace(context)
        if self.display.shows_network(context, model):
            updates |= self.display.show_network(context, model)
        return updates
