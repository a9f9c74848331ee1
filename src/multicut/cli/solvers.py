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
                    "options": {k: plain_value(v) for k, v in record.option_defaults.items()},
                }
                for record in records
            ]
        )
        return
    columns = ("solver", "description", "returns", "options")
    listing = table(None, *columns, left=columns)
    listing.columns[0].no_wrap = True
    for record in records:
        options = [f"{name}={value}" for name, value in record.option_defaults.items()]
        returns = "\n".join(("labels", *record.returns))
        listing.add_row(f"[bold]{record.name}[/]", record.description, returns, "\n".join(options))
    output().print(listing)
