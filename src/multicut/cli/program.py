"""The program ``multicut`` with all of its commands."""

from __future__ import annotations

from typing import Annotated

import typer

from multicut._version import __version__
from multicut.cli import app as page
from multicut.cli import convert, demo, evaluate, formats, generate, info, models, solvers, warmup
from multicut.cli.bench import command as bench
from multicut.cli.console import output
from multicut.cli.ending import not_waiting_for_imports
from multicut.cli.plot import command as plot
from multicut.cli.running import run_program
from multicut.cli.segment import command as segment
from multicut.cli.solve import command as solve
from multicut.cli.train import command as train

app = typer.Typer(
    name="multicut",
    help="State, solve and view minimum cost multicut problems.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    invoke_without_command=True,
)
app.command()(solve.solve)
app.command()(info.info)
app.command()(convert.convert)
app.command()(segment.segment)
app.command()(generate.generate)
app.command()(solvers.solvers)
app.command()(formats.formats)
app.command()(models.models)
app.command()(warmup.warmup)
app.command()(generate.generators)
app.command()(demo.demo)
app.add_typer(train.app, name="train")
app.command()(evaluate.evaluate)
app.command()(page.app)
app.add_typer(bench.app, name="bench")
app.add_typer(plot.app, name="plot")


def _print_version(wanted: bool) -> None:
    if wanted:
        output().print(f"multicut {__version__}", highlight=False)
        raise typer.Exit


@app.callback()
def _multicut(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    traceback: Annotated[  # noqa: ARG001
        bool, typer.Option("--traceback", help="Show the traceback of an error.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@not_waiting_for_imports
def main(arguments: list[str] | None = None) -> int:
    """Run one command and return the exit code: 0, 2 for bad input, 130 after Ctrl-C, else 1."""
    return run_program(app, "multicut", arguments)
