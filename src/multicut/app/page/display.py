"""What the components show of a visit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import gradio as gr

from multicut.app import network, tables
from multicut.app.subjects import ImageSubject
from multicut.app.views import picture_of, picture_of_traces, view_names

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from multicut.app.page.inputs import Inputs
    from multicut.app.page.outputs import Outputs
    from multicut.app.page.session import EventContext, Session
    from multicut.app.visits import Visit

#: New values of components, or what ``gr.update`` returns.
Updates = dict[Any, Any]

_MOST_MEMBERS = 500


class Display:
    """Returns the updates that show a visit on the page.

    Parameters
    ----------
    session, inputs, outputs
        The components of the page.
    """

    def __init__(self, session: Session, inputs: Inputs, outputs: Outputs) -> None:
        self.session = session
        self.inputs = inputs
        self.outputs = outputs

    @property
    def pictures(self) -> list[Any]:
        """The components that :meth:`show_pictures` updates."""
        return [self.outputs.picture, *self.outputs.compared]

    @property
    def network(self) -> list[Any]:
        """The components that :meth:`show_network` updates."""
        return [self.outputs.insight, *self.outputs.inside.values()]

    @property
    def everything(self) -> list[Any]:
        """The components that :meth:`show` updates."""
        inputs, outputs = self.inputs, self.outputs
        return [
            self.session.visit,
            inputs.about,
            inputs.member,
            inputs.image_settings,
            outputs.message,
            outputs.metrics,
            outputs.view,
            outputs.comparison,
            outputs.trace,
            outputs.details,
            outputs.tabs,
            *outputs.downloads.values(),
            *outputs.proof.everything,
            *self.pictures,
            *self.network,
        ]

    def show(self, context: EventContext) -> Updates:
        """Show all there is to see of a visit; what a network computed is not part of it."""
        outputs = self.outputs
        visit = context.visit
        subject, solved = visit.subject, visit.solved
        names = view_names(subject, solved)
        updates: Updates = {
            self.session.visit: visit,
            self.inputs.about: tables.about(subject),
            self.inputs.image_settings: gr.update(visible=isinstance(subject, ImageSubject)),
            outputs.message: "",
            outputs.metrics: tables.metrics(solved),
            outputs.view: gr.update(choices=names, value=names[0] if names else None),
            outputs.comparison: tables.comparison(solved),
            outputs.trace: self.show_trace(context),
            outputs.details: tables.details(solved),
            outputs.insight: "",
            **dict.fromkeys(outputs.inside.values()),
            **self.show_pictures(context, names[0] if names else ""),
            **outputs.proof.show(context),
        }
        if solved is None:
            updates[self.inputs.member] = self.list_members(visit)
        is_compared = solved is not None and len(solved.results) > 1
        updates[outputs.tabs] = gr.update(selected="compare" if is_compared else "result")
        for kind, button in outputs.downloads.items():
            path = (visit.files or {}).get(kind)
            updates[button] = gr.update(
                value=None if path is None else str(path), visible=path is not None
            )
        return updates

    def list_members(self, visit: Visit) -> Any:
        """Return the list of the problems in the file of a visit, with the one that is shown."""
        members = visit.upload.members[:_MOST_MEMBERS] if visit.upload is not None else []
        name = "" if visit.subject is None else visit.subject.name
        chosen = next((each for each in members if name.endswith(f": {each}")), None)
        return gr.update(choices=members, value=chosen, visible=bool(members))

    def show_pictures(self, context: EventContext, view: str) -> Updates:
        """Show a view of the subject, and of each of two results side by side."""
        subject, solved = context.visit.subject, context.visit.solved
        updates: Updates = dict.fromkeys(self.pictures)
        if subject is None:
            return updates
        if isinstance(subject, ImageSubject):
            context = replace(context, dark=False)  # images look the same on any page
        names = view_names(subject, solved)
        name = view if view in names else names[0]

        def picture(number: int) -> str | None:
            return context.picture(
                name,
                str(number),
                lambda dark: picture_of(subject, solved, name, number, dark=dark),
            )

        updates[self.outputs.picture] = picture(0)
        if solved is not None and len(solved.results) > 1:
            for number, place in enumerate(self.outputs.compared):
                updates[place] = gr.update(value=picture(number), label=solved.names[number])
        return updates

    def show_trace(self, context: EventContext) -> str | None:
        """Return the picture of objectives over time; None if nothing is solved."""
        solved = context.visit.solved
        if solved is None:
            return None
        return context.picture("trace", "", lambda dark: picture_of_traces(solved, dark=dark))

    def show_network(self, context: EventContext, model: str) -> Updates:
        """Show what a network computes for the problem that was solved."""
        solved = context.visit.solved
        assert solved is not None
        problem, result = solved.problem, solved.results[0]
        insight = network.ask_network(problem, model)
        painters: dict[str, Callable[[bool], NDArray[np.uint8] | None]] = {
            "embedding": lambda dark: network.picture_of_embedding(problem, insight, result, dark),
            "similarity": lambda dark: network.picture_of_similarity(insight, dark),
            "probabilities": lambda dark: network.picture_of_probabilities(insight, result, dark),
            "prediction": lambda dark: network.picture_of_prediction(
                problem, insight, solved.positions, dark
            ),
        }
        return {
            self.outputs.insight: tables.hint(network.describe_insight(insight, result)),
            **{
                self.outputs.inside[name]: context.picture(name, model, painter)
                for name, painter in painters.items()
            },
        }

    def shows_network(self, context: EventContext, model: str) -> bool:
        """Whether the page shows what this network computed."""
        return context.visit.solved is not None and context.has_picture("embedding", model)
