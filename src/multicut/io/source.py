"""A file to read: its bytes, decompressed if necessary."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import IO

from multicut.io.errors import Advice, FormatError
from multicut.io.limits import ReadLimits

_GZIP_MAGIC = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_CONTROL_BYTES = bytes(set(range(32)) - set(b"\t\n\v\f\r")) + b"\x7f"
_HEAD_SIZE = 4096
_LINE = re.compile(rb"([^\r\n]*)(?:\r\n?|\n|\Z)")


def bare_name(path: Path) -> str:
    """Return the file's name without ``.gz``."""
    return path.name[:-3] if path.suffix.lower() == ".gz" else path.name


def check_file(path: Path) -> None:
    """Raise an error of one line if a path does not lead to a file."""
    if path.is_dir():
        raise IsADirectoryError(f"{path}: is a folder; name a file in it")
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file{_advice_on(path)}")


def _advice_on(path: Path) -> str:
    """Return advice on a path that looks like an address or begins with ``~``."""
    if path.parts[:1] and path.parts[0] in ("http:", "https:", "ftp:", "s3:"):
        return "; download it first"
    if path.parts[:1] and path.parts[0].startswith("~"):
        return f"; write the whole path, or Path({str(path)!r}).expanduser()"
    return ""


class Source:
    """A file whose format is recognised before it is read.

    Parameters
    ----------
    origin
        The path of the file, or a stream of bytes, which is read once and to its end.
    limits
        Limits on its size.
    """

    def __init__(self, origin: Path | IO[bytes], limits: ReadLimits | None = None) -> None:
        self.limits = limits or ReadLimits()
        self._stream: IO[bytes] | None = None
        if not isinstance(origin, Path):
            self._stream = origin
            name = getattr(origin, "name", None)
            self.path = Path(name if isinstance(name, str) else "<stream>")
            return
        check_file(origin)
        self.path = origin

    @property
    def stem(self) -> str:
        """The file's name without its endings."""
        return Path(bare_name(self.path)).stem.strip("<>")

    @cached_property
    def _is_plain(self) -> bool:
        """Whether parts of the file can be read from disk as they are."""
        if self._stream is not None or not self.path.is_file():
            return False
        with self.path.open("rb") as stream:
            return stream.read(len(_GZIP_MAGIC)) != _GZIP_MAGIC

    @cached_property
    def data(self) -> bytes:
        """All bytes of the file."""
        data = self.path.read_bytes() if self._stream is None else self._stream.read()
        if data.startswith(_GZIP_MAGIC):
            data = self._unzip(data)
        self.check_size(bytes=len(data))
        return data

    def _unzip(self, data: bytes) -> bytes:
        most = self.limits.max_bytes
        try:
            # One byte more than allowed is enough to detect an excess.
            return gzip.GzipFile(fileobj=io.BytesIO(data)).read(-1 if most is None else most + 1)
        except (EOFError, OSError, zlib.error) as error:
            raise self.error(f"the gzip data is damaged or cut short ({error})") from None

    def check_size(self, line: int | None = None, **counts: int) -> None:
        """Raise an error if a count of ``bytes``, ``nodes`` or ``edges`` exceeds the limits."""
        excess = self.limits.excess(**counts)
        if excess is not None:
            raise self.error(excess, line)

    @cached_property
    def head(self) -> bytes:
        """The first bytes of the file, enough to recognise the format."""
        if not self._is_plain:
            return self.data[:_HEAD_SIZE]
        with self.path.open("rb") as stream:
            return stream.read(_HEAD_SIZE)

    @cached_property
    def text(self) -> bytes:
        """All bytes of the file without a byte-order mark."""
        if self.data.startswith(_BYTE_ORDER_MARK):
            return self.data[len(_BYTE_ORDER_MARK) :]
        return self.data

    @property
    def is_text(self) -> bool:
        """Whether the file begins like a text."""
        return len(self.head.translate(None, delete=_CONTROL_BYTES)) == len(self.head)

    @property
    def is_utf16(self) -> bool:
        """Whether the file is a text of two-byte characters."""
        return self.head.startswith(_UTF16_MARKS)

    def rows(self, comment_marks: str) -> Iterator[tuple[int, str]]:
        """Yield line number and content of each line that is neither empty nor a comment."""
        marks = tuple(mark.encode() for mark in comment_marks)
        for line, found in enumerate(_LINE.finditer(self.text), start=1):
            row = found[1].strip()
            if row and not row.startswith(marks):
                yield line, row.decode("utf-8", errors="replace")

    def line_of_row(self, comment_marks: str, position: int) -> int:
        """Return the line number of one of :meth:`rows`."""
        line, _ = next(islice(self.rows(comment_marks), position, None))
        return line

    def first_row(self, comment_marks: str) -> tuple[int, str] | None:
        """Return the first of :meth:`rows`."""
        return next(self.rows(comment_marks), None)

    def handle(self) -> Path | IO[bytes]:
        """Return the file or its bytes in memory, for libraries that read binary formats."""
        return self.path if self._is_plain else io.BytesIO(self.data)

    def error(
        self, message: str, line: int | None = None, advice: Advice | None = None
    ) -> FormatError:
        """Make the error that names this file."""
        return FormatError(self.path, message, line, advice)
