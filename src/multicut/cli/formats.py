"""``multicut formats``: what can be read and written."""

from __future__ import annotations

from multicut.cli.arguments import Json
from multicut.cli.console import output, print_json, table


def formats(as_json: Json = False) -> None:
    """List all file formats."""
    from multicut.io import list_formats

    records = list_formats()
    if as_json:
        print_json(
            [
                {"name": r.name, "description": r.description, "suffixes": list(r.suffixes)}
                for r in records
            ]
        )
        return
    columns = ("format", "description", "suffixes")
    listing = table(None, *columns, left=columns)
    listing.columns[0].no_wrap = True
    for record in records:
        listing.add_row(f"[bold]{record.name}[/]", record.description, " ".join(record.suffixes))
    output().print(listing)
