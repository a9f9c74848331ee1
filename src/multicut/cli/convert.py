"""``multicut convert``: from one file format to another."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from multicut._words import count
from multicut.cli.arguments import STANDARD_STREAM, Instance, check_not_read, input_of, name_of
from multicut.cli.console import check_reader, count_parts, is_stdout_closed, say, working
from multicut.cli.failures import advising


def convert(
    source: Annotated[
        Path, typer.Argument(metavar="INPUT", help="The file or dataset to read; - is stdin.")
    ],
    target: Annotated[
        Path,
        typer.Argument(metavar="OUTPUT", help="The file to write; - is stdout, and needs --to."),
    ],
    source_format: Annotated[
        str | None,
        typer.Option("--from", metavar="NAME", help="Format of INPUT; detected by default."),
    ] = None,
    target_format: Annotated[
        str | None,
        typer.Option("--to", metavar="NAME", help="Format of OUTPUT; by default from its suffix."),
    ] = None,
    instance: Instance = None,
) -> None:
    """Convert the problem, or all problems, in INPUT to the format of OUTPUT, without loss."""
    from multicut._target import check_target, descriptor_of
    from multicut.io import open_file, write_all
    from multicut.io.registry import format_to_write

    if target == STANDARD_STREAM and is_stdout_closed():
        raise ValueError("stdout is closed; name a file instead of -")
    destination = sys.stdout.buffer if target == STANDARD_STREAM else target
    # Mistakes in the arguments come to light before a large file is read.
    with advising(format="--to"):
        record, _ = format_to_write(destination, target_format)
    if target != STANDARD_STREAM:
        check_target(target)
        check_not_read(target, "OUTPUT", source)
    with (
        advising(format="--from", instance="--instance"),
        working(f"reading {name_of(source)}"),
    ):
        opened = open_file(input_of(source), source_format)
        names = list(opened) if instance is None else [opened.choose(instance)]
        problems = {name: opened[name] for name in names}
    if len(names) > 1 and not record.holds_many:
        raise ValueError(
            f"format {record.name!r} stores one problem per file, {name_of(source)} has "
            f"{len(names):,}; choose one with --instance, or write all with --to npz"
        )
    chosen = "" if instance is None else f", {names[0]}"
    several = count(len(problems), "problem") if len(problems) != 1 else ""
    say(f"Read {name_of(source)}{chosen}: {several or count_parts(problems[names[0]])}.")
    if any(getattr(problem, "objective", None) is not None for problem in problems.values()):
        say("Solutions are not written: problem files cannot hold them.")
    with advising(format="--to"), working(f"writing {name_of(target, 'stdout')}"):
        write_all(problems, destination, target_format)
    if target == STANDARD_STREAM:
        check_reader()
    is_file = target.is_file() and descriptor_of(target) is None
    size = f" ({count(target.stat().st_size, 'byte')})" if is_file else ""
    say(f"Written to {name_of(target, 'stdout')}{size}.")
