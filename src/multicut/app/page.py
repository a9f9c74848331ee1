"""The page: where everything is, and what happens on which event."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gradio as gr
import numpy as np
from numpy.typing import NDArray

from multicut.app import network, style, tables, visits
from multicut.app.canvas import write_png
from multicut.app.failures import describe_failure
from multicut.app.guard import visitor_of
from multicut.app.limits import AppLimits
from multicut.app.samples import sample_names
from multicut.app.segmenting import MOST_SUPERPIXELS, ImageChoices, offered_superpixels, takes
from multicut.app.solving import Choices, describe_solver, offered_solvers
from multicut.app.storage import Storage, name_visitor
from multicut.app.subjects import ImageSubject
from multicut.app.views import picture_of, picture_of_traces, view_names
from multicut.app.visits import Visit, VisitorFolders

_HOUR = 3600
_MOST_MEMBERS = 500
# The files of one visitor and of all of them, in uploads of the largest size.
_UPLOADS_OF_ONE, _UPLOADS_OF_ALL = 20, 100
# Events that may wait: in all, and of one visitor.
_MOST_WAITING, _MOST_WAITING_OF_ONE = 64, 32
_DOWNLOADS = {
    "png": "Label image (.png)",
    "csv": "Labels (.csv)",
    "npy": "Labels (.npy)",
    "json": "Everything (.json)",
}

# The pictures of a look inside.
_INSIDE = ("embedding", "similarity", "probabilities", "prediction")
_HIDDEN: dict[str, Any] = {"show_progress": "hidden"}

Updates = dict[Any, Any]


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
            title="multicut", analytics_enabled=False, delete_cache=(600, _HOUR), fill_width=True
        ) as self.blocks:
            self.visit = gr.State(
                Visit(),
                time_to_live=_HOUR,
                delete_callback=lambda visit: visits.forget(visit, self.storage),
            )
            # Scripts of the page set it; see _themed.
            self.dark = gr.Checkbox(False, visible=False)
            self.redraw = gr.Button("Draw again", visible="hidden", elem_id="redraw")
            gr.HTML(style.TITLE, padding=False)
            with gr.Row(equal_height=False):
                with gr.Column(scale=0, min_width=330, elem_id="input"):
                    self._lay_out_input()
                with gr.Column(scale=1, min_width=480):
                    self.message = gr.HTML("", elem_id="message", padding=False)
                    self.metrics = gr.HTML(tables.metrics(None), elem_id="metrics", padding=False)
                    self._lay_out_output()
            self._wire()
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

    def _lay_out_input(self) -> None:
        limits = self.limits
        self.upload = gr.File(
            label=f"Image or problem file, up to {limits.max_upload_mb:g} MB",
            height=104,
            elem_id="upload",
        )
        _refuse_addresses(self.upload)
        self.sample = gr.Dropdown(
            list(sample_names()),
            value=sample_names()[0],
            label="… or a sample",
            info="An image to segment, or a graph with costs.",
            elem_id="sample",
        )
        self.member = gr.Dropdown(
            [],
            label="Problem in the file",
            info="The file holds several; one is solved at a time.",
            visible=False,
            elem_id="member",
            filterable=True,
        )
        self.about = gr.HTML(tables.about(None), elem_id="about", padding=False)
        defaults = Choices()
        with gr.Row():
            self.solver = gr.Dropdown(
                offered_solvers(),
                value=defaults.solver,
                label="Solver",
                info="Finds clusters or segments.",
                elem_id="solver",
                min_width=120,
            )
            self.other = gr.Dropdown(
                [("nothing", ""), *((name, name) for name in offered_solvers())],
                value="",
                label="Compare with",
                info="Shown side by side.",
                elem_id="other",
                min_width=120,
            )
        self.solver_note = gr.HTML(
            tables.hint(describe_solver(defaults.solver)), elem_id="solver-note", padding=False
        )
        with gr.Row():
            # Not a number, which in Gradio cannot be empty.
            self.seconds = gr.Textbox(
                "",
                label="Time limit (s)",
                info=f"At most {limits.time_limit:g} in any case.",
                placeholder="none",
                max_lines=1,
                elem_id="seconds",
                min_width=120,
            )
            self.seed = gr.Number(
                defaults.seed,
                label="Seed",
                info="Same seed, same result.",
                precision=0,
                minimum=0,
                elem_id="seed",
                min_width=120,
            )
        self.bound = gr.Checkbox(
            defaults.bound,
            label="Lower bound",
            info="How far from optimal is it? Takes more time.",
            elem_id="bound",
        )
        self.solve = gr.Button("Solve", variant="primary", elem_id="solve", size="md")
        with gr.Group(visible=False, elem_id="image-settings") as self.image_settings:
            self._lay_out_image_settings(defaults.image)

    def _lay_out_image_settings(self, defaults: ImageChoices) -> None:
        with gr.Row():
            self.superpixels = gr.Dropdown(
                offered_superpixels(),
                value=defaults.superpixels,
                label="Superpixels",
                info="How to divide it.",
                elem_id="superpixels",
                min_width=120,
            )
            self.num_superpixels = gr.Number(
                defaults.num_superpixels,
                label="How many, about",
                info="More: finer segments.",
                precision=0,
                minimum=2,
                maximum=MOST_SUPERPIXELS,
                elem_id="num-superpixels",
                min_width=120,
            )
            self.scale = gr.Number(
                defaults.scale,
                label="Scale",
                info="More: larger superpixels.",
                minimum=1,
                maximum=10_000,
                elem_id="scale",
                min_width=120,
                visible=False,
            )
        self.bias = gr.Slider(
            0.02,
            0.98,
            value=defaults.bias,
            step=0.01,
            label="Bias towards cuts",
            info="Higher: more segments.",
            elem_id="bias",
        )
        self.sigma = gr.Slider(
            0.02,
            1.0,
            value=defaults.sigma,
            step=0.01,
            label="Tolerance of colours",
            info="Higher: fewer segments.",
            elem_id="sigma",
        )

    def _lay_out_output(self) -> None:
        with gr.Tabs(elem_id="tabs") as self.tabs:
            with gr.Tab("Result", id="result"):
                gr.HTML(
                    tables.hint("What to look at. The first picture is the result."),
                    padding=False,
                )
                self.view = gr.Radio(
                    [], show_label=False, container=False, elem_id="view", interactive=True
                )
                self.picture = _picture("picture", 470)
                with gr.Row():
                    self.downloads = {
                        kind: gr.DownloadButton(
                            label, size="sm", visible=False, elem_id=f"download-{kind}"
                        )
                        for kind, label in _DOWNLOADS.items()
                    }
            with gr.Tab("Compare", id="compare"):
                with gr.Row():
                    self.pictures = [_picture("first", 330), _picture("second", 330)]
                self.comparison = gr.HTML(
                    tables.comparison(None), elem_id="comparison", padding=False
                )
            with gr.Tab("Network", id="network"):
                with gr.Row(equal_height=False, elem_id="network-choice"):
                    self.model = gr.Dropdown(
                        network.offered_models(),
                        value=network.default_model(),
                        label="Network",
                        info="One of those that come with the package; named by what it learned.",
                        elem_id="model",
                        min_width=220,
                    )
                    self.ask = gr.Button("Look inside", elem_id="ask", scale=0, min_width=140)
                self.insight = gr.HTML("", elem_id="insight", padding=False)
                with gr.Row():
                    self.inside = [
                        _picture("embedding", 330, "Embedding: first two principal axes"),
                        _picture("similarity", 330, "Cosine similarity of nodes"),
                        _picture("probabilities", 330, "Probability of edges to be cut"),
                    ]
                self.inside.append(
                    _picture("prediction", 470, "Edges the network would cut: red; keep: blue")
                )
            with gr.Tab("Details", id="details-tab"):
                self.trace = _picture("trace", 260)
                self.details = gr.Textbox(
                    tables.details(None),
                    show_label=False,
                    lines=9,
                    max_lines=16,
                    interactive=False,
                    elem_id="details",
                )

    def _wire(self) -> None:
        results = [
            self.visit,
            self.message,
            self.about,
            self.member,
            self.image_settings,
            self.metrics,
            self.view,
            self.picture,
            *self.pictures,
            self.comparison,
            self.trace,
            self.details,
            self.insight,
            *self.inside,
            *self.downloads.values(),
            self.tabs,
        ]
        quiet: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
        busy: dict[str, Any] = {"api_visibility": "private", "concurrency_id": "work"}
        first: dict[str, Any] = {**busy, "concurrency_limit": self.limits.concurrency}
        sample = [self.visit, self.sample]
        self._on(
            "Loading", self.blocks.load, self._take_sample, sample, results, **first, **_HIDDEN
        )
        self._on("Loading", self.sample.input, self._take_sample, sample, results, **busy)
        self._on(
            "Reading the file",
            self.upload.upload,
            self._take_upload,
            [self.visit, self.upload],
            [*results, self.sample],
            **busy,
        )
        self._on(
            "Reading the problem",
            self.member.input,
            self._take_member,
            [self.visit, self.member],
            results,
            **busy,
        )
        self._on(
            "Solving",
            self.solve.click,
            self._solve,
            [
                self.visit,
                self.solver,
                self.other,
                self.seconds,
                self.bound,
                self.seed,
                self.superpixels,
                self.num_superpixels,
                self.scale,
                self.bias,
                self.sigma,
            ],
            results,
            show_progress_on=[self.picture, *self.pictures],
            **busy,
        )
        self.solver.change(
            lambda name: tables.hint(describe_solver(name)),
            self.solver,
            self.solver_note,
            **quiet,
        )
        self.superpixels.change(
            lambda name: (
                gr.update(visible=takes(name, "num_regions")),
                gr.update(visible=takes(name, "scale")),
            ),
            self.superpixels,
            [self.num_superpixels, self.scale],
            **quiet,
        )
        pictures = [self.message, self.picture, *self.pictures]
        self._on("Drawing", self.view.input, self._look, [self.visit, self.view], pictures, **quiet)
        inside = [self.message, self.insight, *self.inside]
        asked = [self.visit, self.model]
        self._on("Asking the network", self.ask.click, self._ask_network, asked, inside, **busy)
        self._on(
            "Drawing again",
            self.redraw.click,
            self._redraw,
            [self.visit, self.view, self.model],
            [*pictures, self.trace, *self.inside],
            **quiet,
        )

    def _on(
        self,
        words: str,
        trigger: Callable[..., Any],
        act: Callable[..., Updates],
        inputs: list[Any],
        outputs: list[Any],
        **options: Any,
    ) -> None:
        """Do something on an event, with a sign of work that needs no answer of the server.

        The script that shows the sign also says whether the page is dark, as the last input.
        """
        text = json.dumps(words)
        event = trigger(
            act,
            [*inputs, self.dark],
            outputs,
            js=f"(...values) => multicutPage.begin({text}, values)",
            **options,
        )
        event.then(None, js=f"() => multicutPage.end({text})", **_HIDDEN)

    def _take_sample(
        self,
        visit: Visit | None,
        name: str | None,
        dark: bool = False,
        request: gr.Request | None = None,
    ) -> Updates:
        if not name:
            return {self.message: ""}
        folders = self._folders_of(request)
        return self._step(
            lambda: visits.with_sample(visit or Visit(), name, folders), folders, dark
        )

    def _take_upload(
        self,
        visit: Visit | None,
        path: str | None,
        dark: bool = False,
        request: gr.Request | None = None,
    ) -> Updates:
        if path is None:
            return {self.message: ""}
        folders = self._folders_of(request)
        taken = self._step(
            lambda: visits.with_upload(visit or Visit(), path, self.limits, folders), folders, dark
        )
        return {**taken, self.sample: None}

    def _take_member(
        self,
        visit: Visit | None,
        member: str,
        dark: bool = False,
        request: gr.Request | None = None,
    ) -> Updates:
        folders = self._folders_of(request)
        updates = self._step(
            lambda: visits.with_member(visit or Visit(), member, folders), folders, dark
        )
        # The list stays as it is, with what was chosen.
        return {**updates, self.member: gr.skip()}

    def _solve(
        self,
        visit: Visit | None,
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
        dark: bool = False,
        request: gr.Request | None = None,
        progress: gr.Progress = gr.Progress(),  # noqa: B008  (Gradio finds it there)
    ) -> Updates:
        folders = self._folders_of(request)

        def step() -> Visit:
            image = ImageChoices(superpixels, num_superpixels or 0, scale or 0, bias, sigma)
            limit = self.limits.parse_seconds(seconds)
            choices = Choices(solver, other or None, limit, bound, seed or 0, image)

            def report(share: float, words: str) -> None:
                progress(share, desc=words)

            return visits.with_solution(visit or Visit(), choices, self.limits, folders, report)

        return self._safely(lambda: self._show(step(), folders, dark))

    def _look(
        self,
        visit: Visit | None,
        view: str,
        dark: bool = False,
        request: gr.Request | None = None,
    ) -> Updates:
        if visit is None or visit.subject is None:
            return {self.message: ""}
        folders = self._folders_of(request)
        return self._safely(
            lambda: {self.message: "", **self._pictures(visit, view, folders, dark)}
        )

    def _ask_network(
        self,
        visit: Visit | None,
        model: str,
        dark: bool = False,
        request: gr.Request | None = None,
    ) -> Updates:
        folders = self._folders_of(request)

        def look() -> Updates:
            if visit is None or visit.solved is None:
                raise ValueError("press Solve first: the network is set against a solution")
            return {self.message: "", **self._insight(visit, model, folders, dark)}

        return self._safely(look)

    def _redraw(
        self,
        visit: Visit | None,
        view: str,
        model: str,
        dark: bool = False,
        request: gr.Request | None = None,
    ) -> Updates:
        """Draw again what is shown, as the page has become light or dark."""
        if visit is None or visit.subject is None:
            return {self.message: ""}
        folders = self._folders_of(request)

        def draw() -> Updates:
            updates = {self.message: "", **self._pictures(visit, view, folders, dark)}
            if visit.solved is not None:
                updates[self.trace] = self._trace(visit, folders, dark)
                shown = visit.folder and visit.folder / _file_name(_INSIDE[0], model, not dark)
                if shown is not None and shown.exists():
                    updates |= self._insight(visit, model, folders, dark)
                    del updates[self.insight]
            return updates

        return self._safely(draw)

    def _folders_of(self, request: gr.Request | None) -> VisitorFolders:
        """Return the folders of the visitor who sent a request."""
        client = getattr(request, "client", None)
        return VisitorFolders(self.storage, name_visitor(client.host if client else None))

    def _step(self, step: Callable[[], Visit], folders: VisitorFolders, dark: bool) -> Updates:
        """Load an input and show it; if that fails, show the message and no input."""
        try:
            return self._show(step(), folders, dark)
        except Exception as error:
            shown = self._show(Visit(), folders, dark)
            return {**shown, self.message: tables.message(describe_failure(error))}

    def _safely(self, look: Callable[[], Updates]) -> Updates:
        try:
            return look()
        except Exception as error:
            return {self.message: tables.message(describe_failure(error))}

    def _show(self, visit: Visit, folders: VisitorFolders, dark: bool) -> Updates:
        """Show all there is to see of a visit."""
        subject, solved = visit.subject, visit.solved
        names = view_names(subject, solved)
        members = visit.upload.members[:_MOST_MEMBERS] if visit.upload is not None else []
        updates: Updates = {
            self.visit: visit,
            self.message: "",
            self.about: tables.about(subject),
            self.image_settings: gr.update(visible=isinstance(subject, ImageSubject)),
            self.metrics: tables.metrics(solved),
            self.view: gr.update(choices=names, value=names[0] if names else None),
            self.comparison: tables.comparison(solved),
            self.trace: self._trace(visit, folders, dark) if solved is not None else None,
            self.details: tables.details(solved),
            self.insight: "",
            **dict.fromkeys(self.inside),
            **self._pictures(visit, names[0] if names else "", folders, dark),
        }
        if solved is None:
            updates[self.member] = gr.update(
                choices=members, value=members[0] if members else None, visible=bool(members)
            )
            updates[self.tabs] = gr.update(selected="result")
        else:
            chosen = "compare" if len(solved.results) > 1 else "result"
            updates[self.tabs] = gr.update(selected=chosen)
        files = visit.files or {}
        for kind, button in self.downloads.items():
            path = files.get(kind)
            updates[button] = gr.update(
                value=None if path is None else str(path), visible=path is not None
            )
        return updates

    def _pictures(self, visit: Visit, view: str, folders: VisitorFolders, dark: bool) -> Updates:
        subject, solved = visit.subject, visit.solved
        updates: Updates = dict.fromkeys([self.picture, *self.pictures])
        if subject is None:
            return updates
        # Images look the same on any page.
        dark = dark and not isinstance(subject, ImageSubject)
        names = view_names(subject, solved)
        name = view if view in names else names[0]

        def picture(number: int) -> str | None:
            return self._drawn(
                visit,
                _file_name(name, str(number), dark),
                folders,
                lambda: picture_of(subject, solved, name, number, dark=dark),
            )

        updates[self.picture] = picture(0)
        if solved is not None and len(solved.results) > 1:
            for number, place in enumerate(self.pictures):
                updates[place] = gr.update(value=picture(number), label=solved.names[number])
        return updates

    def _trace(self, visit: Visit, folders: VisitorFolders, dark: bool) -> str | None:
        solved = visit.solved
        assert solved is not None
        name = _file_name("trace", "", dark)
        return self._drawn(visit, name, folders, lambda: picture_of_traces(solved, dark=dark))

    def _insight(self, visit: Visit, model: str, folders: VisitorFolders, dark: bool) -> Updates:
        """Show what a network makes of the problem that was solved."""
        solved = visit.solved
        assert solved is not None
        problem, result = solved.problem, solved.results[0]
        insight = network.ask_network(problem, model)
        painters: list[Callable[[], NDArray[np.uint8] | None]] = [
            lambda: network.picture_of_embedding(problem, insight, result, dark),
            lambda: network.picture_of_similarity(insight, dark),
            lambda: network.picture_of_probabilities(insight, result, dark),
            lambda: network.picture_of_prediction(problem, insight, solved.positions, dark),
        ]
        pictures = [
            self._drawn(visit, _file_name(name, model, dark), folders, paint)
            for name, paint in zip(_INSIDE, painters, strict=True)
        ]
        return {
            self.insight: tables.hint(network.describe_insight(insight, result)),
            **dict(zip(self.inside, pictures, strict=True)),
        }

    def _drawn(
        self,
        visit: Visit,
        name: str,
        folders: VisitorFolders,
        paint: Callable[[], NDArray[Any] | None],
    ) -> str | None:
        """Return the file of a picture of a visit, drawn when it is first asked for.

        Gradio would name it by its content, and others could ask for it.
        """
        assert visit.folder is not None
        path = visit.folder / name
        if not path.exists():
            pixels = paint()
            if pixels is None:
                return None
            folders.storage.restore(folders.visitor, visit.folder)
            write_png(path, pixels)
        return str(path)


def _file_name(name: str, variant: str, dark: bool) -> str:
    parts = [name.replace(" ", "-"), variant, "dark" if dark else "light"]
    return "-".join(part for part in parts if part).lower() + ".png"


def _refuse_addresses(box: gr.File) -> None:
    """Take files from browsers only: Gradio would download what an address leads to.

    A subclass would say it better, but Gradio writes a file beside the module of each.
    """
    keep_file = box.async_move_resource_to_block_cache

    async def keep_upload(path: str | Path | None) -> str | None:
        if "://" in str(path):
            raise gr.Error("upload a file in place of an address", print_exception=False)
        return await keep_file(path)

    setattr(box, "async_move_resource_to_block_cache", keep_upload)  # noqa: B010


def _picture(name: str, height: int, label: str | None = None) -> gr.Image:
    return gr.Image(
        label=label,
        show_label=bool(label) or name in ("first", "second"),
        height=height,
        min_width=240,
        format="png",
        interactive=False,
        alt_text=label or name,
        buttons=["fullscreen", "download"],
        elem_id=name,
        elem_classes="mc-picture",
    )
