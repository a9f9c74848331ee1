"""The command ``multicut``: its commands put together, and how errors reach the user."""

from __future__ import annotations

import io
import sys
import traceback
from typing import Annotated, Any

import typer

from multicut._version import __version__
from multicut.cli import (
    bench,
    convert,
    demo,
    evaluate,
    formats,
    generate,
    info,
    models,
    page,
    plot,
    segment,
    solve,
    solvers,
    train,
)
from multicut.cli.console import errors, output, replace_closed_streams, say
from multicut.cli.ending import not_waiting_for_imports
from multicut.cli.failures import InterruptedCommandError
from multicut.io.errors import AdvisedError

BAD_INPUT = 2
INTERRUPTED = 130

# What the keywords of the library are called here, in commands that do not say otherwise.
_OPTIONS = {"format": "--format", "instance": "--instance"}

app = typer.Typer(
    name="multicut",
    help="State, solve and look at minimum cost multicut problems.",
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
app.command()(generate.generators)
app.command()(demo.demo)
app.command()(train.train)
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
        bool, typer.Option("--traceback", help="On an error, show where in the code it happened.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@not_waiting_for_imports
def main(arguments: list[str] | None = None) -> int:
    """Run one command and return the exit code: 0, 2 for bad input, 130 after Ctrl-C, else 1."""
    given = sys.argv[1:] if arguments is None else arguments
    replace_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # Where the terminal lacks a character, a question mark is better than an error.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = int(_run(given) or 0)
        if code == INTERRUPTED:  # some versions of typer turn Ctrl-C into this code, silently
            say("interrupted")
        return code
    except (typer.Abort, KeyboardInterrupt):
        say("interrupted")
        return INTERRUPTED
    except InterruptedCommandError as error:
        say(f"interrupted: {error}")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough. Python flushes stdout once more at exit.
        sys.stdout = None
        return 1
    except Exception as error:
        if "--traceback" in given:
            traceback.print_exc()
        message, code = _describe(error)
        errors().print(f"error: {message}", markup=False, highlight=False, soft_wrap=True)
        return code


def _run(arguments: list[str]) -> Any:
    return app(arguments, prog_name="multicut", standalone_mode=False, obj={"arguments": arguments})


def _describe(error: Exception) -> tuple[str, int]:
    """One line that tells the user what was wrong, and the exit code."""
    # What typer raises is not public in all of its versions, but always has this method.
    format_message: Any = getattr(error, "format_message", None)
    if format_message is not None:
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "multicut"
        return f"{_one_line(format_message())}; see {command} --help", BAD_INPUT
    if isinstance(error, AdvisedError):
        return _one_line(error.for_options(_OPTIONS)), BAD_INPUT
    if isinstance(error, OSError) and error.strerror is not None:
        place = f"{error.filename}: " if error.filename is not None else ""
        return f"{place}{error.strerror}", BAD_INPUT
    if isinstance(error, ValueError | TypeError | OSError | ImportError):
        return _one_line(str(error)), BAD_INPUT
    if isinstance(error, MemoryError):
        # The native core and Python say no more than that; our own errors say what to do.
        told = str(error) if type(error) is MemoryError else ""
        is_telling = told and "bad_alloc" not in told
        return (_one_line(told) if is_telling else "not enough memory for this problem"), 1
    name = type(error).__name__
    return f"{name}: {_one_line(str(error))}; this is a bug, --traceback shows where", 1


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if line.endswith("...") else line.removesuffix(".")
