"""Records by name: what the registries of solvers and of file formats share."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from typing import Generic, Protocol, TypeVar

# Below this a name is another word, not a slip of the finger: "pickle" does not mean "pace".
_CLOSE = 0.7


class Named(Protocol):
    """Anything that goes by a name."""

    @property
    def name(self) -> str:
        """What it goes by."""


Record = TypeVar("Record", bound=Named)


class Registry(Generic[Record]):
    """Frozen records in a fixed order, found by name.

    Parameters
    ----------
    kind
        What the records are, for messages: ``"solver"``.
    records
        The records; no two have the same name.
    """

    def __init__(self, kind: str, records: Iterable[Record]) -> None:
        self._kind = kind
        self._records = {record.name: record for record in records}

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records.values())

    @property
    def names(self) -> str:
        """All names, for messages."""
        return ", ".join(self._records)

    def matching(self, pattern: str) -> list[Record]:
        """Return the records whose name matches a pattern such as ``"greedy*"``."""
        return [record for record in self if fnmatch(record.name, pattern)]

    def get(self, name: str) -> Record:
        """Return one record; an unknown name is an error that lists the known ones."""
        if not isinstance(name, str) or name not in self._records:
            wanted = str(name).lower().replace("_", "-").replace(" ", "-")
            close = [known for known in self._records if known.startswith(f"{wanted}-")]
            close = close or difflib.get_close_matches(wanted, self._records, 1, cutoff=_CLOSE)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise ValueError(f"unknown {self._kind} {name!r}; {hint}choose from: {self.names}")
        return self._records[name]
