"""Benchmarks that can be stopped at any time and resumed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from multicut.cli.console import errors, say
from multicut.cli.failures import InterruptedCommandError

if TYPE_CHECKING:
    from multicut.benchmark.settings import PartwiseSettings

Settings = TypeVar("Settings", bound="PartwiseSettings")


def measure_and_write(
    settings: Settings,
    measure: Callable[[Settings], None],
    write: Callable[[Settings], Path],
) -> None:
    """Measure and show progress; then write the page, also after Ctrl-C."""
    console = errors()
    with console.status("") as status:
        settings = settings.with_report(status.update if console.is_terminal else say)
        try:
            measure(settings)
        except KeyboardInterrupt:
            page = write(settings)
            raise InterruptedCommandError(f"the measurements so far are in {page}") from None
        page = write(settings)
    say(f"Written to {page}.")
