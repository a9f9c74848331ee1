"""A file to write to: all of it, or nothing."""

from __future__ import annotations

import gzip
import io
import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_DESCRIPTOR = re.compile(r"(?:/dev|/proc/(\d+)(?:/task/\d+)?)/fd/(\d+)")
_MAX_LINKS = 40


def check_target(path: Path) -> None:
    """Refuse a path that could not be written, before any work is put into its content."""
    if descriptor_of(path) is not None:
        return
    if path.is_dir():
        raise IsADirectoryError(f"{path}: is a folder; name a file in it")
    folder = path.parent
    if not folder.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {str(folder)!r}; make it first")
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(f"{path}: may not be written; change its rights or choose another")
    if not path.exists() and not os.access(folder, os.W_OK):
        raise PermissionError(f"{path}: the folder {str(folder)!r} may not be written to")


@contextmanager
def open_target(target: Path | IO[bytes]) -> Iterator[IO[bytes]]:
    """Open a file that takes its place only once it is complete; ``.gz`` compresses.

    What is no file of its own, such as a pipe, a terminal or the output of this process, is written
    to in one go at the end. A stream that was opened by the caller is, too, and stays open.
    """
    if not isinstance(target, Path):
        with _buffered(target) as buffer:
            yield buffer
        return
    check_target(target)
    with _complete_or_absent(target) as file:
        if target.suffix.lower() != ".gz":
            yield file
            return
        buffer = io.BytesIO()
        yield buffer
        buffer.seek(0)
        # Without name and time, equal problems give equal files. Digits of costs hardly compress:
        # the lowest level comes within a tenth of the highest in a fourteenth of its time.
        with gzip.GzipFile("", "wb", compresslevel=1, fileobj=file, mtime=0) as compressed:
            shutil.copyfileobj(buffer, compressed)


@contextmanager
def _complete_or_absent(path: Path) -> Iterator[IO[bytes]]:
    descriptor = descriptor_of(path)
    if descriptor is not None or (path.exists() and not path.is_file()):
        with _open_special(path, descriptor) as stream, _buffered(stream) as buffer:
            yield buffer
        return
    path = Path(os.path.realpath(path))
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("x+b") as file:
            yield file
        if path.exists():
            shutil.copymode(path, part)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _buffered(stream: IO[bytes]) -> Iterator[IO[bytes]]:
    """Collect in memory what is to be read and sought while it is written."""
    buffer = io.BytesIO()
    yield buffer
    stream.write(buffer.getbuffer())
    stream.flush()


def _open_special(path: Path, descriptor: int | None) -> IO[bytes]:
    if descriptor is None:  # a device or a pipe
        return os.fdopen(os.open(path, os.O_WRONLY), "wb")
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()  # what was printed before comes before
    return os.fdopen(os.dup(descriptor), "wb")


def descriptor_of(path: Path) -> int | None:
    """Return the descriptor of this process that a path such as ``/dev/stdout`` stands for.

    It is a link to wherever a shell has redirected it, maybe to a file that is appended to. To
    empty or replace that file would be wrong; the descriptor itself has to be written to.
    """
    for _ in range(_MAX_LINKS):
        path = path.parent.resolve() / path.name
        found = _DESCRIPTOR.fullmatch(str(path))
        if found is not None and found[1] in (None, str(os.getpid())):
            return int(found[2])
        if not path.is_symlink():
            break
        path = path.parent / path.readlink()
    return None
