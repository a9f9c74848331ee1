"""The column of inputs: what to solve, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gradio as gr

from multicut.app import tables
from multicut.app.page.widgets import HALF_ROW, control, markup, refuse_addresses
from multicut.app.samples import sample_names
from multicut.app.segmenting import MOST_SUPERPIXELS, ImageChoices, offered_superpixels
from multicut.app.solving import Choices, describe_solver, offered_solvers

if TYPE_CHECKING:
    from multicut.app.limits import AppLimits


class Inputs:
    """The components in which visitors choose, from top to bottom."""

    def __init__(self, limits: AppLimits) -> None:
        defaults = Choices()
        self._lay_out_subject(limits)
        self._lay_out_solvers(defaults, limits)
        self.solve = gr.Button("Solve", variant="primary", elem_id="solve", size="md")
        with gr.Group(visible=False, elem_id="image-settings") as self.image_settings:
            self._lay_out_image_settings(defaults.image)

    @property
    def choices(self) -> list[Any]:
        """The components that hold what :meth:`Events.solve` needs, in its order."""
        return [
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
        ]

    def _lay_out_subject(self, limits: AppLimits) -> None:
        self.upload = gr.File(
            label=f"Image or problem file, up to {limits.max_upload_mb:g} MB",
            height=104,
            elem_id="upload",
        )
        refuse_addresses(self.upload)
        self.sample = control(
            gr.Dropdown,
            "sample",
            "… or a sample",
            "An image to segment, or a graph with costs.",
            choices=list(sample_names()),
            value=sample_names()[0],
        )
        self.member = control(
            gr.Dropdown,
            "member",
            "Problem in the file",
            "The file contains several problems; choose one.",
            choices=[],
            visible=False,
            filterable=True,
        )
        self.about = markup(tables.about(None), "about")

    def _lay_out_solvers(self, defaults: Choices, limits: AppLimits) -> None:
        with gr.Row():
            self.solver = control(
                gr.Dropdown,
                "solver",
                "Solver",
                "Finds clusters or segments.",
                choices=offered_solvers(),
                value=defaults.solver,
                **HALF_ROW,
            )
            self.other = control(
                gr.Dropdown,
                "other",
                "Compare with",
                "Shown side by side.",
                choices=[("nothing", ""), *((name, name) for name in offered_solvers())],
                value="",
                **HALF_ROW,
            )
        self.solver_note = markup(tables.hint(describe_solver(defaults.solver)), "solver-note")
        with gr.Row():
            # Not a number, which in Gradio cannot be empty.
            self.seconds = control(
                gr.Textbox,
                "seconds",
                "Time limit (s)",
                f"At most {limits.time_limit:g} in any case.",
                value="",
                placeholder="none",
                max_lines=1,
                **HALF_ROW,
            )
            self.seed = control(
                gr.Number,
                "seed",
                "Seed",
                "Same seed, same result.",
                value=defaults.seed,
                precision=0,
                minimum=0,
                **HALF_ROW,
            )
        self.bound = control(
            gr.Checkbox,
            "bound",
            "Lower bound",
            "Shows how far from optimal the result can be. Takes more time.",
            value=defaults.bound,
        )

    def _lay_out_image_settings(self, defaults: ImageChoices) -> None:
        with gr.Row():
            self.superpixels = control(
                gr.Dropdown,
                "superpixels",
                "Superpixels",
                "How to divide it.",
                choices=offered_superpixels(),
                value=defaults.superpixels,
                **HALF_ROW,
            )
            self.num_superpixels = control(
                gr.Number,
                "num-superpixels",
                "How many, about",
                "More: finer segments.",
                value=defaults.num_superpixels,
                precision=0,
                minimum=2,
                maximum=MOST_SUPERPIXELS,
                **HALF_ROW,
            )
            self.scale = control(
                gr.Number,
                "scale",
                "Scale",
                "A larger value gives larger superpixels.",
                value=defaults.scale,
                minimum=1,
                maximum=10_000,
                visible=False,
                **HALF_ROW,
            )
        self.bias = control(
            gr.Slider,
            "bias",
            "Bias towards cuts",
            "Higher: more segments.",
            minimum=0.02,
            maximum=0.98,
            value=defaults.bias,
            step=0.01,
        )
        self.sigma = control(
            gr.Slider,
            "sigma",
            "Tolerance of colours",
            "Higher: fewer segments.",
            minimum=0.02,
            maximum=1.0,
            value=defaults.sigma,
            step=0.01,
        )
