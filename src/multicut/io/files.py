"""Read problems from files and write them."""

# ruff: noqa: A002  (the argument is called format, as everyone expects)

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import SupportsIndex

from multicut.io.build import may_hold
from multicut.io.record import FormatRecord, Loader
from multicut.io.registry import format_for, get_format, recognise
from multicut.io.source import Source, bare_name
from multicut.io.target import open_target
from multicut.problem import Problem

_NAMES_SHOWN = 5


def read(
    path: str | os.PathLike[str],
    format: str | None = None,
    instance: str | SupportsIndex | None = None,
) -> Problem:
    """Read a problem from a file.

    Parameters
    ----------
    path
        The file; it may be compressed with gzip.
    format
        The name of its format, see :func:`multicut.io.list_formats`; by default the content
        tells.
    instance
        Name or index of the problem, for a file that holds several.
    """
    source, loaders = _open(path, format)
    if instance is None and len(loaders) == 1:
        (load,) = loaders.values()
        return load()
    if instance is None:
        raise source.error(
            f"holds {len(loaders)} problems ({_first_names(loaders)}); choose one by name or "
            f"position with instance=..., or take all with read_all"
        )
    return loaders[_choose(source, loaders, instance)]()


def read_all(path: str | os.PathLike[str], format: str | None = None) -> dict[str, Problem]:
    """Read all problems of a file, by name.

    A problem without a name of its own goes by the name of the file, less its endings.

    Parameters
    ----------
    path
        The file; it may be compressed with gzip.
    format
        The name of its format, see :func:`multicut.io.list_formats`; by default the content
        tells.
    """
    _, loaders = _open(path, format)
    return {name: load() for name, load in loaders.items()}


def write(problem: Problem, path: str | os.PathLike[str], format: str | None = None) -> None:
    """Write a problem to a file, which appears only once it is complete.

    Parameters
    ----------
    problem
        The problem.
    path
        The file; an ending ``.gz`` compresses it with gzip.
    format
        The name of the format, see :func:`multicut.io.list_formats`; by default the ending tells.
    """
    if not isinstance(problem, Problem):
        raise TypeError(f"problem must be a Problem, got {type(problem).__name__}")
    stem = Path(bare_name(Path(path))).stem
    write_all({stem: problem}, path, format)


def write_all(
    problems: Mapping[str, Problem] | Iterable[Problem],
    path: str | os.PathLike[str],
    format: str | None = None,
) -> None:
    """Write several problems to one file, in a format that can hold them.

    Parameters
    ----------
    problems
        The problems, by name; without names they are called "0", "1", ….
    path
        The file; an ending ``.gz`` compresses it with gzip.
    format
        The name of the format, see :func:`multicut.io.list_formats`; by default the ending tells.
    """
    target = Path(path)
    record, suffix = _format_to_write(target, format)
    named = (
        dict(problems)
        if isinstance(problems, Mapping)
        else {str(i): problem for i, problem in enumerate(problems)}
    )
    if len(named) != 1 and not record.holds_many:
        raise ValueError(
            f"format {record.name!r} holds one problem per file, got {len(named)}; write 'npz'"
        )
    for name, problem in named.items():
        if not may_hold(problem.num_nodes, problem.num_edges):
            raise ValueError(
                f"problem {name!r} has {problem.num_nodes} nodes but only {problem.num_edges} "
                f"edges, which reading would take for damage; leave out isolated nodes"
            )
    with open_target(target) as stream:
        record.dump(named, stream, suffix)


def _format_to_write(path: Path, format: str | None) -> tuple[FormatRecord, str]:
    if format is None:
        return format_for(path)
    return get_format(format), Path(bare_name(path)).suffix.lower()


def _open(path: str | os.PathLike[str], format: str | None) -> tuple[Source, Mapping[str, Loader]]:
    source = Source(Path(path))
    record = recognise(source) if format is None else get_format(format)
    return source, record.load(source)


def _choose(source: Source, loaders: Mapping[str, Loader], instance: str | SupportsIndex) -> str:
    names = list(loaders)
    if isinstance(instance, str) and instance in loaders:
        return instance
    # A command line cannot tell a position from a name.
    if not isinstance(instance, str) or instance.isdecimal():
        position = int(instance) if isinstance(instance, str) else operator.index(instance)
        if -len(names) <= position < len(names):
            return names[position]
    raise source.error(
        f"holds no problem {instance!r}, but {len(names)}: {_first_names(loaders)}; choose by name "
        f"or position"
    )


def _first_names(loaders: Mapping[str, Loader]) -> str:
    names = list(loaders)[:_NAMES_SHOWN]
    return ", ".join(names) + (", …" if len(loaders) > _NAMES_SHOWN else "")
