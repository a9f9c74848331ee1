"""``multicut plot``: figures."""

from __future__ import annotations

import typer

from multicut.cli.plot.dataset import plot_dataset_command
from multicut.cli.plot.embedding import plot_embedding_command
from multicut.cli.plot.frontier import plot_frontier_command
from multicut.cli.plot.graph import plot_problem_command, plot_solution_command
from multicut.cli.plot.segmentation import plot_segmentation_command
from multicut.cli.plot.trace import plot_trace_command

app = typer.Typer(help="Draw figures.")
app.command("problem")(plot_problem_command)
app.command("solution")(plot_solution_command)
app.command("trace")(plot_trace_command)
app.command("embedding")(plot_embedding_command)
app.command("segmentation")(plot_segmentation_command)
app.command("frontier")(plot_frontier_command)
app.command("dataset")(plot_dataset_command)


@app.callback()
def _plot() -> None:
    """Draw figures."""
