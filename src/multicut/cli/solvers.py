"""``multicut solvers``: what can solve, and how it is tuned."""

from __future__ import annotations

from multicut.cli.arguments import Json
from multicut.cli.console import output, plain_value, print_json, table


def solvers(as_json: Json = False) -> None:
    """List all solvers with what they return, their options and defaults."""
    from multicut.solvers import list_solvers

    records = list_solvers()
    if as_json:
        print_json(
            [
                {
                    "name": record.name,
                    "description": record.description,
                    "returns": ["labels", *record.returns],
                    "needs": list(record.needs),
                    "uses_seed": record.uses_seed,
                    "options": {
                        name: {
                            "default": plain_value(record.option_defaults[name]),
                            "meaning": meaning,
                        }
                        for name, meaning in record.option_meanings.items()
                    },
                }
                for record in records
            ]
        )
        return
    columns = ("solver", "description", "option", "meaning")
    listing = table(None, *columns, left=columns)
    listing.columns[0].no_wrap = listing.columns[2].no_wrap = True
    for record in records:
        returns = ", ".join(("labels", *record.returns))
        about = (f"[bold]{record.name}[/]", f"{record.description}; returns {returns}")
        defaults = record.option_defaults
        rows = [(f"{name}={defaults[name]}", text) for name, text in record.option_meanings.items()]
        for i, row in enumerate(rows or [("", "")]):
            listing.add_row(*(about if i == 0 else ("", "")), *row)
        listing.add_section()
    output().print(listing)
