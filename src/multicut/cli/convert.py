"""``multicut convert``: from one file format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multicut.cli.arguments import Instance
from multicut.cli.console import count_parts, say


def convert(
    source: Annotated[Path, typer.Argument(metavar="INPUT", help="The file to read.")],
    target: Annotated[Path, typer.Argument(metavar="OUTPUT", help="The file to write.")],
    source_format: Annotated[
        str | None,
        typer.Option("--from", metavar="NAME", help="Format of INPUT; recognised by default."),
    ] = None,
    target_format: Annotated[
        str | None,
        typer.Option("--to", metavar="NAME", help="Format of OUTPUT; by default from its suffix."),
    ] = None,
    instance: Instance = None,
) -> None:
    """Read the problem, or all problems, in INPUT and write to OUTPUT, to the last digit."""
    from multicut.io import get_format, read, read_all, write, write_all
    from multicut.io.registry import format_for

    # Mistakes in the arguments come to light before a large file is read.
    if target_format is None:
        format_for(target)
    else:
        get_format(target_format)
    if not target.parent.is_dir():
        raise ValueError(f"OUTPUT {str(target)!r}: there is no folder {str(target.parent)!r}")
    if instance is not None:
        problem = read(source, format=source_format, instance=instance)
        say(f"Read {source}, {instance}: {count_parts(problem)}.")
        write(problem, target, format=target_format)
    else:
        problems = read_all(source, format=source_format)
        several = f"{len(problems):,} problems" if len(problems) != 1 else ""
        say(f"Read {source}: {several or count_parts(next(iter(problems.values())))}.")
        write_all(problems, target, format=target_format)
    say(f"Written to {target} ({target.stat().st_size:,} bytes).")
