"""Untrusted files of visitors: their format and their content.

A file is read once, from the folder of uploads and from nowhere else, up to the limit of its size.
After that only bytes in memory are used, so that a file cannot refer to another one. Readers of
problems refuse files that unpack to too much, pickles, and HDF5 that refers to other files.
"""

from __future__ import annotations

import io
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from multicut.app.failures import VisitorError
from multicut.app.images import decode_image, image_kind, other_image_kind
from multicut.app.subjects import GraphSubject, ImageSubject, Subject
from multicut.io import ProblemCollection, open_file

if TYPE_CHECKING:
    from multicut.app.limits import AppLimits

_LONGEST_NAME = 60
# Bytes as they are, without following a link or waiting for a pipe, as far as the system knows
# these flags: Windows has the first one, other systems the last two.
_SAFELY = sum(getattr(os, flag, 0) for flag in ("O_BINARY", "O_NOFOLLOW", "O_NONBLOCK"))


@dataclass(frozen=True, eq=False)
class Upload:
    """A file that was taken: an image, or one problem or more.

    Attributes
    ----------
    name
        The file's own name.
    format
        What kind of file it is.
    content
        The image, or the problems by name, each built when it is asked for.
    """

    name: str
    format: str
    content: ImageSubject | ProblemCollection

    @property
    def members(self) -> list[str]:
        """The names of the problems in it, if it holds more than one."""
        if isinstance(self.content, ImageSubject) or len(self.content) < 2:
            return []
        return list(self.content)

    def subject(self, member: str | None = None) -> Subject:
        """Return the image or a problem, by default the first one."""
        if isinstance(self.content, ImageSubject):
            return self.content
        names = list(self.content)
        if not names:
            raise VisitorError(f"{self.name}: contains no problem")
        chosen = names[0] if member is None else self.content.choose(member)
        name = self.name if len(names) == 1 else f"{self.name}: {chosen}"
        return GraphSubject(name, self.content[chosen])


class _NamedBytes(io.BytesIO):
    """Bytes under the name that messages use for them."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data)
        self.name = name


def take_upload(path: str | os.PathLike[str], folder: Path, limits: AppLimits) -> Upload:
    """Read an uploaded file and find out what it is.

    Parameters
    ----------
    path
        Where the server says the upload lies.
    folder
        The folder of uploads; a path outside of it is refused.
    limits
        What is too large.
    """
    name = short_name(Path(path).name)
    data = read_inside(Path(path), folder, limits.max_upload_bytes, name)
    kind = image_kind(data)
    if kind is not None:
        image = decode_image(data, kind, name, limits.max_pixels)
        return Upload(name, kind, ImageSubject(name, image))
    other = other_image_kind(data)
    if other is not None:
        raise VisitorError(f"{name}: {other} cannot be read here; save it as PNG, JPEG or TIFF")
    problems = open_file(_NamedBytes(data, name), limits=limits.of_problems)
    return Upload(name, problems.format_name, problems)


def read_inside(path: Path, folder: Path, most: int, name: str) -> bytes:
    """Read a plain file of a folder, without following links out of it."""
    inside = folder.resolve()
    try:
        # The folder of the file may be reached by links; the file itself must not be one.
        real = path.parent.resolve(strict=True) / path.name
        if not real.is_relative_to(inside) or ".." in real.parts:
            raise VisitorError(f"{name}: not an uploaded file; upload it again")
        descriptor = os.open(real, os.O_RDONLY | _SAFELY)
    except OSError:
        raise VisitorError(f"{name}: the upload is no longer there; upload it again") from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise VisitorError(f"{name}: not an uploaded file; upload it again")
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            data = stream.read(most + 1)
    finally:
        os.close(descriptor)
    if len(data) > most:
        raise VisitorError(
            f"{name}: {status.st_size:,} bytes are more than the limit of {most:,} per upload"
        )
    return data


def short_name(name: str) -> str:
    """Return the name of a file as it is shown: printable, and not too long."""
    printable = "".join(c if c.isprintable() else "_" for c in name)
    if len(printable) <= _LONGEST_NAME:
        return printable
    return f"{printable[: _LONGEST_NAME - 13]}…{printable[-12:]}"
