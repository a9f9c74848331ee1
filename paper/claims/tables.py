"""The tables of the page, as claims look them up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from paper.section import Record


class NotMeasuredError(Exception):
    """A claim needs what no table of the page has."""


class Tables:
    """All tables of the page by name, as ``results.json`` has them."""

    def __init__(self, tables: Mapping[str, Sequence[Record]]) -> None:
        self._tables = tables

    def find(self, table: str, **where: Any) -> list[Record]:
        """Return the records of a table with these values; there may be none."""
        return [
            record
            for record in self._tables.get(table, ())
            if all(record[key] == value for key, value in where.items())
        ]

    def some(self, table: str, **where: Any) -> list[Record]:
        """Return the records of a table with these values.

        Raises
        ------
        NotMeasuredError
            If there are none.
        """
        found = self.find(table, **where)
        if not found:
            raise NotMeasuredError(f"{table} has nothing with {where}")
        return found

    def one(self, table: str, **where: Any) -> Record:
        """Return the first record of a table with these values."""
        return self.some(table, **where)[0]

    def number(self, table: str, value: str, **where: Any) -> float:
        """Return a value of the first record with these values."""
        found = self.one(table, **where)[value]
        if found is None:
            raise NotMeasuredError(f"{table} has no {value} with {where}")
        return float(found)

    def ratio(self, solver: str, test_set: str) -> float:
        """Return what a row of Table 1 reaches on a test set."""
        return self.number("table1", "ratio", solver=solver, test_set=test_set)

    def error(self, solver: str, test_set: str) -> float:
        """Return the standard error of what a row of Table 1 reaches on a test set."""
        return self.number("table1", "standard_error", solver=solver, test_set=test_set)
