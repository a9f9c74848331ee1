"""The page: where everything is, and what happens on which event."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import gradio as gr

from multicut.app import network, style, tables, visits
from multicut.app.failures import describe_failure
from multicut.app.limits import AppLimits
from multicut.app.samples import sample_names
from multicut.app.segmenting import MOST_SUPERPIXELS, ImageChoices, offered_superpixels, takes
from multicut.app.solving import (
    Choices,
    describe_solver,
    offered_solvers,
)
from multicut.app.subjects import ImageSubject
from multicut.app.views import picture_of, picture_of_traces, view_names
from multicut.app.visits import Visit

_HOUR = 3600
_MOST_MEMBERS = 500
# Files go after an hour; until then, no more than so many of the largest size are kept.
_UPLOADS_KEPT = 100
_DEFAULT_SECONDS = 5.0
_DOWNLOADS = {
    "png": "Label image (.png)",
    "csv": "Labels (.csv)",
    "npy": "Labels (.npy)",
    "json": "Everything (.json)",
}

Updates = dict[Any, Any]


class Page:
    """The page of one server.

    Parameters
    ----------
    limits
        What visitors may ask for.
    uploads, results
        Folders for files of visitors, and for files to download.
    """

    def __init__(self, limits: AppLimits, uploads: Path, results: Path) -> None:
        self.limits = limits
        self.uploads = uploads
        self.results = results
        with gr.Blocks(
            title="multicut", analytics_enabled=False, delete_cache=(600, _HOUR), fill_width=True
        ) as self.blocks:
            self.visit = gr.State(Visit(), time_to_live=_HOUR, delete_callback=visits.forget)
            gr.HTML(style.TITLE, padding=False)
            with gr.Row(equal_height=False):
                with gr.Column(scale=0, min_width=330, elem_id="input"):
                    self._lay_out_input()
                with gr.Column(scale=1, min_width=480):
                    self.message = gr.HTML("", elem_id="message", padding=False)
                    self.metrics = gr.HTML(tables.metrics(None), elem_id="metrics", padding=False)
                    self._lay_out_output()
            self._wire()
        self.blocks.queue(max_size=32, default_concurrency_limit=limits.concurrency, api_open=False)

    def has_room(self) -> bool:
        """Whether the folder of uploads, pictures included, may hold one more file."""
        taken = 0
        for path in self.uploads.rglob("*"):
            with suppress(OSError):  # it may go while we look
                taken += path.stat().st_size
        return taken < _UPLOADS_KEPT * self.limits.max_upload_bytes

    def _lay_out_input(self) -> None:
        limits = self.limits
        self.upload = gr.File(
            label=f"Image or problem file, up to {limits.max_upload_mb:g} MB",
            height=104,
            elem_id="upload",
        )
        _refuse_addresses(self.upload)
        self.sample = gr.Dropdown(
            list(sample_names()), value=sample_names()[0], label="… or a sample", elem_id="sample"
        )
        self.member = gr.Dropdown(
            [], label="Problem in the file", visible=False, elem_id="member", filterable=True
        )
        self.about = gr.HTML(tables.about(None), elem_id="about", padding=False)
        defaults = ImageChoices()
        with gr.Group(visible=False) as self.image_settings:
            with gr.Row():
                self.superpixels = gr.Dropdown(
                    offered_superpixels(),
                    value=defaults.superpixels,
                    label="Superpixels",
                    elem_id="superpixels",
                    min_width=120,
                )
                self.num_superpixels = gr.Number(
                    defaults.num_superpixels,
                    label="How many, about",
                    precision=0,
                    minimum=2,
                    maximum=MOST_SUPERPIXELS,
                    elem_id="num-superpixels",
                    min_width=120,
                )
                self.scale = gr.Number(
                    defaults.scale,
                    label="Scale",
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
                elem_id="bias",
            )
            self.sigma = gr.Slider(
                0.02,
                0.5,
                value=defaults.sigma,
                step=0.01,
                label="Tolerance of colours",
                elem_id="sigma",
            )
        with gr.Row():
            self.solver = gr.Dropdown(
                offered_solvers(), value="auto", label="Solver", elem_id="solver", min_width=120
            )
            self.other = gr.Dropdown(
                [("nothing", ""), *((name, name) for name in offered_solvers())],
                value="",
                label="Compare with",
                elem_id="other",
                min_width=120,
            )
        self.solver_note = gr.HTML(
            tables.hint(describe_solver("auto")), elem_id="solver-note", padding=False
        )
        self.seconds = gr.Slider(
            0.1,
            limits.time_limit,
            value=min(_DEFAULT_SECONDS, limits.time_limit),
            step=0.1,
            label="Time limit in seconds",
            elem_id="seconds",
        )
        self.solve = gr.Button("Solve", variant="primary", elem_id="solve", size="md")
        with gr.Accordion("More", open=False):
            self.bound = gr.Checkbox(
                True,
                label="Lower bound",
                info="takes up to a third of the time, and tells how good the result is",
                elem_id="bound",
            )
            self.seed = gr.Number(
                0,
                label="Seed",
                info="of solvers that draw random numbers",
                precision=0,
                minimum=0,
                elem_id="seed",
            )

    def _lay_out_output(self) -> None:
        with gr.Tabs(elem_id="tabs") as self.tabs:
            with gr.Tab("Result", id="result"):
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
                with gr.Row(equal_height=True):
                    self.model = gr.Dropdown(
                        network.offered_models(),
                        value=network.default_model(),
                        show_label=False,
                        container=False,
                        elem_id="model",
                    )
                    self.ask = gr.Button("Look inside", elem_id="ask", scale=0, min_width=160)
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
        self.blocks.load(
            self._take_sample, [self.visit, self.sample], results, **first, show_progress="hidden"
        )
        self.sample.input(self._take_sample, [self.visit, self.sample], results, **busy)
        self.upload.upload(
            self._take_upload, [self.visit, self.upload], [*results, self.sample], **busy
        )
        self.member.input(self._take_member, [self.visit, self.member], results, **busy)
        self.solve.click(
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
        self.view.input(
            self._look,
            [self.visit, self.view],
            [self.message, self.picture, *self.pictures],
            **quiet,
        )
        self.ask.click(
            self._ask_network,
            [self.visit, self.model],
            [self.message, self.insight, *self.inside],
            **busy,
        )

    def _take_sample(self, visit: Visit | None, name: str | None) -> Updates:
        if not name:
            return {self.message: ""}
        return self._step(lambda: visits.with_sample(visit or Visit(), name))

    def _take_upload(self, visit: Visit | None, path: str | None) -> Updates:
        if path is None:
            return {self.message: ""}
        taken = self._step(
            lambda: visits.with_upload(visit or Visit(), path, self.uploads, self.limits)
        )
        return {**taken, self.sample: None}

    def _take_member(self, visit: Visit | None, member: str) -> Updates:
        updates = self._step(lambda: visits.with_member(visit or Visit(), member))
        # The list stays as it is, with what was chosen.
        return {**updates, self.member: gr.skip()}

    def _solve(
        self,
        visit: Visit | None,
        solver: str,
        other: str,
        seconds: float,
        bound: bool,
        seed: int | None,
        superpixels: str,
        num_superpixels: int | None,
        scale: float | None,
        bias: float,
        sigma: float,
        progress: gr.Progress = gr.Progress(),  # noqa: B008  (Gradio finds it there)
    ) -> Updates:
        def step() -> Visit:
            image = ImageChoices(superpixels, num_superpixels or 0, scale or 0, bias, sigma)
            choices = Choices(solver, other or None, seconds, bound, seed or 0, image)

            def report(share: float, words: str) -> None:
                progress(share, desc=words)

            return visits.with_solution(
                visit or Visit(), choices, self.limits, self.results, report
            )

        return self._safely(lambda: self._show(step()))

    def _look(self, visit: Visit | None, view: str) -> Updates:
        if visit is None or visit.subject is None:
            return {self.message: ""}
        return self._safely(lambda: {self.message: "", **self._pictures(visit, view)})

    def _ask_network(self, visit: Visit | None, model: str) -> Updates:
        def look() -> Updates:
            if visit is None or visit.solved is None:
                raise ValueError("press Solve first: the network is set against a solution")
            problem, result = visit.solved.problem, visit.solved.results[0]
            insight = network.ask_network(problem, model)
            pictures = (
                network.picture_of_embedding(problem, insight, result),
                network.picture_of_similarity(insight),
                network.picture_of_probabilities(insight, result),
                network.picture_of_prediction(problem, insight, visit.solved.positions),
            )
            return {
                self.message: "",
                self.insight: tables.hint(network.describe_insight(insight, result)),
                **dict(zip(self.inside, pictures, strict=True)),
            }

        return self._safely(look)

    def _step(self, step: Callable[[], Visit]) -> Updates:
        """Take a step to something new; if it fails, there is nothing at hand."""
        try:
            return self._show(step())
        except Exception as error:
            shown = self._show(Visit())
            return {**shown, self.message: tables.message(describe_failure(error))}

    def _safely(self, look: Callable[[], Updates]) -> Updates:
        try:
            return look()
        except Exception as error:
            return {self.message: tables.message(describe_failure(error))}

    def _show(self, visit: Visit) -> Updates:
        """Show all there is to see of a visit."""
        subject, solved = visit.subject, visit.solved
        names = view_names(subject, solved)
        members = visit.upload.members[:_MOST_MEMBERS] if visit.upload is not None else []
        updates: Updates = {
            self.visit: visit,
            self.message: "",
            self.about: tables.about(subject),
            self.image_settings: gr.update(visible=isinstance(subject, ImageSubject)),
            self.metrics: tables.metrics(solved.results[0] if solved is not None else None),
            self.view: gr.update(choices=names, value=names[0] if names else None),
            self.comparison: tables.comparison(solved),
            self.trace: picture_of_traces(solved) if solved is not None else None,
            self.details: tables.details(solved),
            self.insight: "",
            **dict.fromkeys(self.inside),
            **self._pictures(visit, names[0] if names else ""),
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

    def _pictures(self, visit: Visit, view: str) -> Updates:
        subject, solved = visit.subject, visit.solved
        updates: Updates = dict.fromkeys([self.picture, *self.pictures])
        if subject is None:
            return updates
        updates[self.picture] = picture_of(subject, solved, view)
        if solved is not None and len(solved.results) > 1:
            updates[self.pictures[0]] = gr.update(
                value=updates[self.picture], label=solved.results[0].solver
            )
            updates[self.pictures[1]] = gr.update(
                value=picture_of(subject, solved, view, 1), label=solved.results[1].solver
            )
        return updates


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
        format="png",
        interactive=False,
        alt_text=label or name,
        buttons=["fullscreen", "download"],
        elem_id=name,
        elem_classes="mc-picture",
    )
