"""Benchmarks that can be stopped at any time and resumed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from multicut.cli.console import errors, say
from multicut.cli.failures import InterruptedCommandError

if TYPE_CHECKING:
    from multicut.benchmark.settings import PartwiseSettings

Settings = TypeVar("Settings", bound="PartwiseSettings")

CacheFolder = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        metavar="DIR",
        help="Folder for measurements as JSON; by default inside --output.",
    ),
]


def output_option(page: str) -> Any:
    """Return the option ``--output``: the folder of a page, of its data and of its images."""
    return typer.Option(
        "--output", "-o", metavar="DIR", help=f"Folder for {page}.md, .json and images/."
    )


def measure_and_write(
    settings: Settings,
    measure: Callable[[Settings], None],
    write: Callable[[Settings], Path],
) -> None:
    """Measure and show progress; then write the page, also after Ctrl-C."""
    console = errors()
    started = time.perf_counter()
    with console.status("") as status:
        settings = settings.with_report(status.update if console.is_terminal else say)
        try:
            measure(settings)
        except KeyboardInterrupt:
            page = write(settings)
            raise InterruptedCommandError(f"the measurements so far are in {page}") from None
        page = write(settings)
    say(f"Written to {page} after {time.perf_counter() - started:,.0f} s.")
