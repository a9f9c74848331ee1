"""The problems of a file or a folder, by name."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import SupportsIndex

from multicut._words import count
from multicut.io.errors import Advice, FormatError
from multicut.io.record import FormatRecord, Loader
from multicut.io.source import Source
from multicut.problem import Problem

_NAMES_SHOWN = 5


class ProblemCollection(Mapping[str, Problem]):
    """Problems by name, each built when it is first used.

    Attributes
    ----------
    path
        Where they come from.
    format_name
        The name of the file's format; ``"dataset"`` or ``"folder"`` for those.
    format
        The record of the file's format; None for a folder, whose files may have several.
    """

    def __init__(
        self,
        path: Path,
        format_name: str,
        loaders: Mapping[str, Loader],
        record: FormatRecord | None = None,
    ) -> None:
        self.path = path
        self.format_name = format_name
        self.format = record
        self._loaders = loaders

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
            raise FormatError(
                self.path,
                f"holds {count(len(names), 'problem')} ({self._first_names()})",
                advice=Advice(
                    "choose one by name or position", "instance", None, "take all with read_all"
                ),
            )
        if isinstance(instance, str) and instance in self:
            return instance
        # On a command line, a position is a string as well.
        if not isinstance(instance, str) or instance.removeprefix("-").isdecimal():
            position = int(instance) if isinstance(instance, str) else operator.index(instance)
            if -len(names) <= position < len(names):
                return names[position]
        raise FormatError(
            self.path,
            f"contains no problem {instance!r}, but {len(names)}: {self._first_names()}",
            advice=Advice("choose by name or position", "instance", None),
        )

    def _first_names(self) -> str:
        names = list(self)[:_NAMES_SHOWN]
        return ", ".join(names) + (", …" if len(self) > _NAMES_SHOWN else "")


class ProblemFile(ProblemCollection):
    """The problems of a file by name, each built when it is first used."""

    format: FormatRecord

    def __init__(self, source: Source, record: FormatRecord) -> None:
        super().__init__(source.path, record.name, record.load(source), record)
