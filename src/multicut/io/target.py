"""A file to write to: all of it, or nothing."""

from __future__ import annotations

import gzip
import io
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def open_target(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that takes its place only once it is complete; ``.gz`` compresses."""
    if path.is_dir():
        raise IsADirectoryError(f"{path}: is a folder; name a file in it")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: the folder {path.parent} does not exist; make it first")
    with _complete_or_absent(path) as file:
        if path.suffix.lower() != ".gz":
            yield file
            return
        buffer = io.BytesIO()
        yield buffer
        buffer.seek(0)
        # Without name and time, equal problems give equal files.
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as compressed:
            shutil.copyfileobj(buffer, compressed)


@contextmanager
def _complete_or_absent(path: Path) -> Iterator[IO[bytes]]:
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():  # a device or a pipe
        buffer = io.BytesIO()
        yield buffer
        path.write_bytes(buffer.getbuffer())
        return
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("x+b") as file:
            yield file
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
