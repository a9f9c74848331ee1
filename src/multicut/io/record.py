"""The frozen record of a file format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import IO

from multicut.io.source import Source
from multicut.problem import Problem

#: Builds one problem of a file.
Loader = Callable[[], Problem]


@dataclass(frozen=True)
class FormatRecord:
    """One registered file format.

    Attributes
    ----------
    name
        The value of ``format`` in :func:`multicut.read` and :func:`multicut.write`.
    description
        One line.
    suffixes
        Endings of file names; the first format that claims one is written under it.
    holds_many
        Whether one file may hold several problems.
    recognises
        ``recognises(source)`` returns whether a file has this format, by the beginning of its
        content.
    load
        ``load(source)`` returns the problems of a file by name, each as a function that builds it.
    dump
        ``dump(problems, stream, suffix)`` writes named problems: exactly one, unless `holds_many`.
        The stream can be read and sought.
    holds_lifted
        Whether it stores lifted edges.
    """

    name: str
    description: str
    suffixes: tuple[str, ...]
    holds_many: bool
    recognises: Callable[[Source], bool]
    load: Callable[[Source], Mapping[str, Loader]]
    dump: Callable[[Mapping[str, Problem], IO[bytes], str], None]
    holds_lifted: bool = False


def single(
    *,
    name: str,
    description: str,
    suffixes: tuple[str, ...],
    recognises: Callable[[Source], bool],
    read: Callable[[Source], Problem],
    write: Callable[[Problem, IO[bytes], str], None],
    holds_lifted: bool = False,
) -> FormatRecord:
    """Make the record of a format whose files hold one problem, named by the file."""

    def load(source: Source) -> Mapping[str, Loader]:
        return {source.stem: lambda: read(source)}

    def dump(problems: Mapping[str, Problem], stream: IO[bytes], suffix: str) -> None:
        (problem,) = problems.values()
        write(problem, stream, suffix)

    return FormatRecord(name, description, suffixes, False, recognises, load, dump, holds_lifted)
