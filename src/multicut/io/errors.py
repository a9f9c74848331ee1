"""Errors of reading and writing, and the advice they carry."""

from __future__ import annotations

import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_LONGEST_MESSAGE = 600

#: What reading a damaged archive or array of numpy may raise, beside ValueError.
DAMAGE = (
    zipfile.BadZipFile,
    EOFError,
    KeyError,
    NotImplementedError,
    OSError,
    RuntimeError,
    SyntaxError,  # numpy evaluates some names of types as Python code would be
    tokenize.TokenError,
    zlib.error,
)


@dataclass(frozen=True)
class Advice:
    """Advice to pass an argument.

    The library names the keyword, ``name its format with format=...``; a command line names the
    option: ``name its format with --format NAME``.

    Attributes
    ----------
    action
        What to do, up to the word *with*.
    keyword
        The argument of :func:`multicut.read` or :func:`multicut.write` that does it.
    value
        What to pass, where that is known.
    in_python
        An alternative in Python.
    """

    action: str
    keyword: str
    value: str | None = None
    in_python: str | None = None

    def __str__(self) -> str:
        value = "..." if self.value is None else repr(self.value)
        other = "" if self.in_python is None else f", or {self.in_python}"
        return f"{self.action} with {self.keyword}={value}{other}"

    def for_options(self, options: Mapping[str, str]) -> str:
        """Word it for a command line whose `options` stand for keywords."""
        return f"{self.action} with {options[self.keyword]} {self.value or 'NAME'}"


def shortened(text: str, most: int = _LONGEST_MESSAGE) -> str:
    """Return a text as one line, its middle left out where it is too long."""
    line = " ".join(text.splitlines())
    if len(line) <= most:
        return line
    return f"{line[: most - most // 4]} … {line[-most // 4 :]}"


class AdvisedError(ValueError):
    """An error whose message may end with advice."""

    def __init__(self, problem: str, advice: Advice | None = None) -> None:
        # Texts of other libraries, and names in files, may have line breaks and be of any length.
        self.problem = shortened(problem)
        self.advice = advice
        super().__init__(self.problem if advice is None else f"{self.problem}; {advice}")

    def for_options(self, options: Mapping[str, str]) -> str:
        """Word the message for a command line whose `options` stand for keywords."""
        if self.advice is None or self.advice.keyword not in options:
            return str(self)
        return f"{self.problem}; {self.advice.for_options(options)}"


class FormatError(AdvisedError):
    """A file that does not follow its format.

    The message is one line that begins with ``path:line:``, or ``path:`` for binary formats.
    """

    def __init__(
        self, path: Path, message: str, line: int | None = None, advice: Advice | None = None
    ) -> None:
        place = f"{path}:" if line is None else f"{path}:{line}:"
        super().__init__(f"{place} {message}", advice)
        self.path = path
        self.line = line
        self.message = message

    def __reduce__(self) -> tuple[type[FormatError], tuple[object, ...]]:
        return FormatError, (self.path, self.message, self.line, self.advice)
