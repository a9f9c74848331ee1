"""Lists of what has options, as tables and as plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from rich.table import Table

from multicut.cli.console import plain_value, table


class Listed(Protocol):
    """A record of something that has options."""

    @property
    def name(self) -> str:
        """What it goes by."""

    @property
    def option_defaults(self) -> dict[str, Any]:
        """Names of the options, with their defaults."""

    @property
    def option_meanings(self) -> dict[str, str]:
        """Names of the options, each with what it means."""


def plain_options(record: Listed) -> dict[str, dict[str, Any]]:
    """Return default and meaning of each option, as plain values."""
    defaults = record.option_defaults
    return {
        name: {"default": plain_value(defaults[name]), "meaning": meaning}
        for name, meaning in record.option_meanings.items()
    }


def option_table(kind: str, records: Iterable[Any], describe: Callable[[Any], str]) -> Table:
    """Return a table of records with a row for each option."""
    columns = (kind, "description", "option", "meaning")
    listing = table(None, *columns, left=columns)
    listing.columns[0].no_wrap = listing.columns[2].no_wrap = True
    for record in records:
        defaults = record.option_defaults
        rows = [(f"{name}={defaults[name]}", text) for name, text in record.option_meanings.items()]
        for i, row in enumerate(rows or [("", "")]):
            about = (f"[bold]{record.name}[/]", describe(record)) if i == 0 else ("", "")
            listing.add_row(*about, *row)
        listing.add_section()
    return listing
