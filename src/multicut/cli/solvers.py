"""``multicut solvers``: what can solve, and how it is tuned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicut.cli.arguments import Json
from multicut.cli.console import output, print_json
from multicut.cli.option_lists import option_table, plain_options

if TYPE_CHECKING:
    from multicut.solvers import SolverRecord


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
                    "takes_lifted": record.takes_lifted,
                    "options": plain_options(record),
                }
                for record in records
            ]
        )
        return
    output().print(option_table("solver", records, _describe))


def _describe(record: SolverRecord) -> str:
    lifted = "; takes lifted edges" if record.takes_lifted else ""
    return f"{record.description}; returns {', '.join(('labels', *record.returns))}{lifted}"
