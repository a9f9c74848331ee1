"""What both benchmarks beside another package do in the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multicut.cli.console import output, say, table
from multicut.cli.failures import InterruptedCommandError

if TYPE_CHECKING:
    from rich.table import Table


def beside_peer(environment: Mapping[str, Any], columns: tuple[str, ...]) -> Table:
    """Return an empty table whose title names both packages."""
    from multicut.benchmark.contests import PEER

    title = f"multicut {environment['multicut']} and {PEER} {environment[PEER]}"
    return table(title, *columns, left=("instances", "solver"))


def finish(
    shown: Table,
    folder: Path | None,
    write: Callable[[Path], tuple[Path, Path]],
    *,
    interrupted: bool,
) -> None:
    """Print the table and, if there is a folder, write the files; say so after Ctrl-C."""
    output().print(shown)
    if folder is not None:
        page, document = write(folder)
        say(f"Written to {page} and {document}.")
    if interrupted:
        raise InterruptedCommandError("these are the measurements so far")
