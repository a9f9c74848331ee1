"""Read problems from files and write them."""

# ruff: noqa: A002  (the argument is called format, as everyone expects)

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, SupportsIndex

from multicut._provided import provided
from multicut._target import open_target
from multicut.io.build import may_hold
from multicut.io.errors import Advice, AdvisedError
from multicut.io.limits import ReadLimits
from multicut.io.opened import ProblemCollection, ProblemFile
from multicut.io.registry import format_to_write, get_format, recognise
from multicut.io.source import Source, bare_name
from multicut.problem import Problem, check_problem

#: A path, or a stream of bytes such as ``sys.stdin.buffer``.
File = str | os.PathLike[str] | IO[bytes]


def open_file(
    path: File, format: str | None = None, limits: ReadLimits | None = None
) -> ProblemCollection:
    """Return the problems of a file or a folder, a mapping by name that also holds the format.

    The file is opened once, so it may be a pipe.

    Parameters
    ----------
    path
        The file, or a stream of bytes; it may be compressed with gzip. A folder is a dataset, as
        ``multicut generate`` and :meth:`multicut.Dataset.save` write it, or holds files.
    format
        The name of its format, see :func:`multicut.io.list_formats`; by default it is
        recognised by content.
    limits
        What is refused as too large, for untrusted files; folders are then refused.
    """
    record = None if format is None else get_format(format)
    origin = _as_origin(path)
    if isinstance(origin, Path) and origin.is_dir() and limits is None:
        if record is not None:
            raise ValueError(f"{origin}: is a folder, which has no format; omit {format!r}")
        problems: ProblemCollection = provided("open_folder")(origin)
        return problems
    source = Source(origin, limits)
    return ProblemFile(source, recognise(source) if record is None else record)


def read(
    path: File,
    format: str | None = None,
    instance: str | SupportsIndex | None = None,
) -> Problem:
    """Read a problem from a file, or one of a dataset.

    Parameters
    ----------
    path
        The file, or a stream of bytes; it may be compressed with gzip. Or a folder: one that holds
        files, or a dataset, whose problems know their best solution, see
        :class:`multicut.datasets.LabelledProblem`.
    format
        The name of its format, see :func:`multicut.io.list_formats`; by default it is
        recognised by content.
    instance
        Name or index of the problem, where there are several.
    """
    problems = open_file(path, format)
    return problems[problems.choose(instance)]


def read_all(path: File, format: str | None = None) -> dict[str, Problem]:
    """Read all problems of a file or a folder, by name.

    A problem without a name is called like the file, without its endings.

    Parameters
    ----------
    path
        The file, or a stream of bytes; it may be compressed with gzip. Or a folder, as for
        :func:`multicut.read`.
    format
        The name of its format, see :func:`multicut.io.list_formats`; by default it is
        recognised by content.
    """
    return dict(open_file(path, format))


def write(problem: Problem, path: File, format: str | None = None) -> None:
    """Write a problem to a file, which is replaced only when the new one is complete.

    Parameters
    ----------
    problem
        The problem.
    path
        The file, or a stream of bytes; an ending ``.gz`` compresses it with gzip.
    format
        The name of the format, see :func:`multicut.io.list_formats`; by default the ending
        of the name decides. It is required for streams.
    """
    if isinstance(path, Problem):
        raise TypeError("the problem comes first: mc.write(problem, path)")
    check_problem(problem, several="mc.io.write_all")
    target = _as_origin(path)
    stem = Path(bare_name(target)).stem if isinstance(target, Path) else "problem"
    write_all({stem: problem}, path, format)


def write_all(
    problems: Mapping[str, Problem] | Iterable[Problem],
    path: File,
    format: str | None = None,
) -> None:
    """Write several problems to one file, in a format that can hold them.

    Parameters
    ----------
    problems
        The problems, by name; without names they are called "0", "1", ….
    path
        The file, or a stream of bytes; an ending ``.gz`` compresses it with gzip.
    format
        The name of the format, see :func:`multicut.io.list_formats`; by default the ending
        of the name decides. It is required for streams.
    """
    target = _as_origin(path)
    record, suffix = format_to_write(target, format)
    named = (
        dict(problems)
        if isinstance(problems, Mapping)
        else {str(i): problem for i, problem in enumerate(problems)}
    )
    if len(named) != 1 and not record.holds_many:
        raise AdvisedError(
            f"format {record.name!r} stores one problem per file, got {len(named)}",
            Advice("write them", "format", "npz"),
        )
    for name, problem in named.items():
        if problem.is_lifted and not record.holds_lifted:
            raise AdvisedError(
                f"format {record.name!r} stores no lifted edges, got {problem.num_lifted_edges}",
                Advice("write", "format", "npz"),
            )
        if not may_hold(problem.num_nodes, problem.num_edges + problem.num_lifted_edges):
            raise ValueError(
                f"problem {name!r} has {problem.num_nodes} nodes but only {problem.num_edges} "
                f"edges, so a reader would consider the file damaged; leave out isolated nodes"
            )
    with open_target(target) as stream:
        record.dump(named, stream, suffix)


def _as_origin(path: File) -> Path | IO[bytes]:
    if isinstance(path, str | os.PathLike):
        return Path(path)
    if isinstance(path, io.TextIOBase):
        raise TypeError(
            "path must be a stream of bytes, got one of text; open it in mode 'rb' or 'wb'"
        )
    if not hasattr(path, "read") and not hasattr(path, "write"):
        raise TypeError(f"path must be a path or a stream of bytes, got {type(path).__name__}")
    return path
