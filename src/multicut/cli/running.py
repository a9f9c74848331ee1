"""Running of a command: its exit code and its errors."""

from __future__ import annotations

import io
import os
import shlex
import sys
import traceback
from collections.abc import Callable
from typing import Any

import typer

from multicut.cli.console import errors, replace_closed_streams, say
from multicut.cli.failures import InterruptedCommandError
from multicut.io.errors import AdvisedError

BAD_INPUT = 2
INTERRUPTED = 130

# The options that stand for keywords of the library, unless a command says otherwise.
_OPTIONS = {"format": "--format", "instance": "--instance"}


_TRACEBACK = "--traceback"
_NO_MEMORY = b"error: not enough memory for this problem\n"

# torch reads it when it makes its first tensor.
_LARGE_PAGES = "THP_MEM_ALLOC_ENABLE"


def run_command(command: Callable[..., None], name: str, arguments: list[str] | None) -> int:
    """Run a program that is a single command; parameters and result as for :func:`run_program`."""
    program = typer.Typer(
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,
    )
    program.command()(command)
    return run_program(program, name, arguments)


def run_program(program: typer.Typer, name: str, arguments: list[str] | None) -> int:
    """Run one command and return the exit code: 0, 2 for bad input, 130 after Ctrl-C, else 1.

    Parameters
    ----------
    program
        The commands.
    name
        The name it is called by, such as ``"multicut"``.
    arguments
        None for those of the process.
    """
    given = sys.argv[1:] if arguments is None else arguments
    if arguments is None:  # the process is this command
        # A pass of a network asks the system for all of its memory anew, and is faster in pages of
        # 2 MB in place of 4 kB; benchmarks/processor_training.py measures by how much.
        os.environ.setdefault(_LARGE_PAGES, "1")
    replace_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # Where the terminal lacks a character, a question mark is better than an error.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = int(_run(program, name, given) or 0)
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
        # The reader, such as `head`, has closed the pipe. Python flushes stdout once more at exit.
        sys.stdout = None
        return 1
    except Exception as error:
        if _TRACEBACK in given:
            traceback.print_exc()
        try:
            message, code = _describe(error, name)
            errors().print(f"error: {message}", markup=False, highlight=False, soft_wrap=True)
        except MemoryError:  # the console has to be imported first, for which there is no room
            os.write(2, _NO_MEMORY)
            return 1
        return code


def _run(program: typer.Typer, name: str, arguments: list[str]) -> Any:
    typed = f"{name} {shlex.join(arguments)}".rstrip()
    # Only this module reads it, so that it may stand before or after the name of a command.
    arguments = [argument for argument in arguments if argument != _TRACEBACK]
    return program(arguments, prog_name=name, standalone_mode=False, obj={"command": typed})


def _describe(error: Exception, program: str) -> tuple[str, int]:
    """Return a message of one line, and the exit code."""
    # What typer raises is not public in all of its versions, but always has this method.
    format_message: Any = getattr(error, "format_message", None)
    if format_message is not None:
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else program
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
    kind = type(error).__name__
    return f"{kind}: {_one_line(str(error))}; this is a bug, {_TRACEBACK} shows where", 1


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if line.endswith("...") else line.removesuffix(".")
