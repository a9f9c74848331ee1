"""The events of the page: what triggers them, and what they do."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

import gradio as gr

from multicut.app import tables, visits
from multicut.app.failures import VisitorError, describe_failure
from multicut.app.page.display import Display, Updates
from multicut.app.page.proof_events import ProofEvents
from multicut.app.page.session import EventContext
from multicut.app.page.wiring import QUICK, SLOW, Wiring
from multicut.app.segmenting import ImageChoices, takes
from multicut.app.solving import Choices, describe_solver
from multicut.app.visits import Visit, has_corrections

if TYPE_CHECKING:
    from multicut.app.limits import AppLimits
    from multicut.app.page.inputs import Inputs
    from multicut.app.page.outputs import Outputs
    from multicut.app.page.session import Session
    from multicut.app.storage import Storage

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
        self.wiring = Wiring(session, storage)
        self.proof = ProofEvents(outputs.proof, self.wiring, limits)

    def connect(self, blocks: gr.Blocks) -> None:
        """Connect the components with what happens on their events; within the page's context."""
        inputs, outputs, display = self.inputs, self.outputs, self.display
        everything, pictures = display.everything, [outputs.message, *display.pictures]
        sample = ("Loading", self.take_sample, [inputs.sample], everything)
        self.wiring.on(
            blocks.load,
            "Loading",
            self.welcome,
            [inputs.sample],
            [*everything, inputs.sample],
            **SLOW,
            show_progress="hidden",
        )
        self.wiring.on(inputs.sample.input, *sample, **SLOW)
        self.wiring.on(
            inputs.upload.upload,
            "Reading the file",
            self.take_upload,
            [inputs.upload],
            [*everything, inputs.sample],
            **SLOW,
        )
        self.wiring.on(
            inputs.member.input,
            "Reading the problem",
            self.take_member,
            [inputs.member],
            everything,
            **SLOW,
        )
        self.wiring.on(
            inputs.solve.click,
            "Solving",
            self.solve,
            inputs.choices,
            everything,
            show_progress_on=display.pictures,
            **SLOW,
        )
        self.wiring.on(
            outputs.ask.click,
            "Asking the network",
            self.ask_network,
            [outputs.model],
            [outputs.message, *display.network],
            **SLOW,
        )
        self.wiring.on(
            outputs.proof.start.click,
            "Solving",
            self.solve_and_proofread,
            inputs.choices,
            everything,
            show_progress_on=[outputs.proof.status],
            **SLOW,
        )
        self.proof.connect(outputs.proof_tab.select)
        self.wiring.on(outputs.view.input, "Drawing", self.look, [outputs.view], pictures, **QUICK)
        self.wiring.on(
            self.session.redraw.click,
            "Drawing again",
            self.redraw,
            [outputs.view, outputs.model, outputs.proof.view],
            [
                *pictures,
                outputs.trace,
                *display.network,
                outputs.proof.picture,
                outputs.proof.status,
            ],
            **QUICK,
        )
        inputs.solver.change(
            lambda name: tables.hint(describe_solver(name)),
            inputs.solver,
            inputs.solver_note,
            **QUICK,
        )
        inputs.superpixels.change(
            lambda name: [
                gr.update(visible=takes(name, each)) for each in ("num_regions", "scale")
            ],
            inputs.superpixels,
            [inputs.num_superpixels, inputs.scale],
            **QUICK,
        )

    def welcome(self, context: EventContext, name: str | None) -> Updates:
        """Show what a visitor left who loads the page again; a sample to all others."""
        found = self.wiring.returning.find(context.token, context.folders)
        if found is None or found.subject is None:
            return self.take_sample(context, name)
        visit = visits.returned(found)
        updates = self.display.show(context.after(visit))
        if has_corrections(visit):
            updates[self.outputs.tabs] = gr.update(selected="proofread")
        return {
            **updates,
            self.inputs.member: self.display.list_members(visit),
            self.inputs.sample: visit.sample,
        }

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
        """Load an input and show it; if that fails, show the message and no input.

        Corrections are work, so what has some stays.
        """
        try:
            return self.display.show(context.after(load()))
        except Exception as error:
            if has_corrections(context.visit):
                return {self.outputs.message: tables.message(describe_failure(error))}
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
    def solve_and_proofread(self, context: EventContext, *choices: Any) -> Updates:
        """Solve the input as chosen, and show it in the tab for corrections."""
        solved = self.solve(context, *choices)
        if self.session.visit not in solved:
            return {**solved, self.outputs.proof.status: solved[self.outputs.message]}
        after = context.after(solved[self.session.visit])
        return {
            **solved,
            **self.proof.open(after, ""),
            self.outputs.tabs: gr.update(selected="proofread"),
        }

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
    def redraw(self, context: EventContext, view: str, model: str, proof_view: str = "") -> Updates:
        """Draw again what is shown, since the page has become light or dark."""
        updates = self.look(context, view)
        if context.visit.solved is not None:
            updates[self.outputs.trace] = self.display.show_trace(context)
        if self.display.shows_network(context, model):
            updates |= self.display.show_network(context, model)
        if context.visit.desk is not None:
            updates |= self.outputs.proof.show_picture(context, proof_view)
        return updates
