"""A file that has been opened: its format, and its problems by name."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from typing import SupportsIndex

from multicut.io.errors import Advice
from multicut.io.record import FormatRecord
from multicut.io.source import Source
from multicut.problem import Problem

_NAMES_SHOWN = 5


class ProblemFile(Mapping[str, Problem]):
    """The problems of a file by name, each built when it is asked for.

    Attributes
    ----------
    format
        The record of the file's format.
    """

    def __init__(self, source: Source, record: FormatRecord) -> None:
        self.format = record
        self._source = source
        self._loaders = record.load(source)

    def __getitem__(self, name: str) -> Problem:
        return self._loaders[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._loaders)

    def __len__(self) -> int:
        return len(self._loaders)

    def __contains__(self, name: object) -> bool:
        return name in self._loaders

    def choose(self, instance: str | SupportsIndex | None = None) -> str:
        """Return the name of one problem, by its name or position; None means the only one."""
        names = list(self)
        if instance is None:
            if len(names) == 1:
                return names[0]
            raise self._source.error(
                f"holds {len(names)} problems ({self._first_names()})",
                advice=Advice(
                    "choose one by name or position", "instance", None, "take all with read_all"
                ),
            )
        if isinstance(instance, str) and instance in self:
            return instance
        # A command line cannot tell a position from a name.
        if not isinstance(instance, str) or instance.isdecimal():
            position = int(instance) if isinstance(instance, str) else operator.index(instance)
            if -len(names) <= position < len(names):
                return names[position]
        raise self._source.error(
            f"holds no problem {instance!r}, but {len(names)}: {self._first_names()}; choose by "
            f"name or position"
        )

    def _first_names(self) -> str:
        names = list(self)[:_NAMES_SHOWN]
        return ", ".join(names) + (", …" if len(self) > _NAMES_SHOWN else "")
