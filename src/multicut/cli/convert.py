"""``multicut convert``: from one file format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multicut.cli.arguments import Instance
from multicut.cli.console import say


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
    """Read the problem in INPUT and write it to OUTPUT, to the last digit."""
    from multicut.io import read, write

    if not target.parent.is_dir():
        raise ValueError(f"OUTPUT {str(target)!r}: there is no folder {str(target.parent)!r}")
    problem = read(source, format=source_format, instance=instance)
    say(f"Read {source}: {problem.num_nodes:,} nodes, {problem.num_edges:,} edges.")
    write(problem, target, format=target_format)
    say(f"Written to {target} ({target.stat().st_size:,} bytes).")
