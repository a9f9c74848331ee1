"""The column of outputs: numbers, and tabs with pictures."""

from __future__ import annotations

import gradio as gr

from multicut.app import network, tables
from multicut.app.page.proof_tab import ProofTab
from multicut.app.page.widgets import control, markup, picture

_DOWNLOADS = {
    "png": "Label image (.png)",
    "csv": "Labels (.csv)",
    "npy": "Labels (.npy)",
    "json": "Everything (.json)",
}


class Outputs:
    """The components that show results, from top to bottom."""

    def __init__(self) -> None:
        self.message = markup("", "message")
        self.metrics = markup(tables.metrics(None), "metrics")
        with gr.Tabs(elem_id="tabs") as self.tabs:
            with gr.Tab("Result", id="result"):
                self._lay_out_result()
            with gr.Tab("Compare", id="compare"):
                self._lay_out_comparison()
            with gr.Tab("Proofread", id="proofread") as self.proof_tab:
                self.proof = ProofTab()
            with gr.Tab("Network", id="network"):
                self._lay_out_network()
            with gr.Tab("Details", id="details-tab"):
                self._lay_out_details()

    def _lay_out_result(self) -> None:
        markup(tables.hint("What to show. The first picture is the result."))
        self.view = gr.Radio(
            [], show_label=False, container=False, elem_id="view", interactive=True
        )
        self.picture = picture("picture", 470)
        with gr.Row():
            self.downloads = {
                kind: gr.DownloadButton(label, size="sm", visible=False, elem_id=f"download-{kind}")
                for kind, label in _DOWNLOADS.items()
            }

    def _lay_out_comparison(self) -> None:
        with gr.Row():
            # Their labels come with the results: the names of the solvers.
            self.compared = [picture(name, 330, show_label=True) for name in ("first", "second")]
        self.comparison = markup(tables.comparison(None), "comparison")

    def _lay_out_network(self) -> None:
        with gr.Row(equal_height=False, elem_id="network-choice"):
            self.model = control(
                gr.Dropdown,
                "model",
                "Network",
                "A model of the package, named after its training data.",
                choices=network.offered_models(),
                value=network.default_model(),
                min_width=220,
            )
            self.ask = gr.Button("Look inside", elem_id="ask", scale=0, min_width=140)
        self.insight = markup("", "insight")
        with gr.Row():
            self.inside = {
                "embedding": picture("embedding", 330, "Embedding: first two principal axes"),
                "similarity": picture("similarity", 330, "Cosine similarity of nodes"),
                "probabilities": picture("probabilities", 330, "Predicted probability of a cut"),
            }
        self.inside["prediction"] = picture(
            "prediction", 470, "Edges that the network would cut (red) or keep (blue)"
        )

    def _lay_out_details(self) -> None:
        self.trace = picture("trace", 260)
        self.details = gr.Textbox(
            tables.details(None),
            show_label=False,
            lines=9,
            max_lines=16,
            interactive=False,
            elem_id="details",
        )
