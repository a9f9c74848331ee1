"""The error that a broken file raises."""

from __future__ import annotations

from pathlib import Path


class FormatError(ValueError):
    """A file that breaks its format.

    The message is one line that begins with ``path:line:``, or ``path:`` where lines mean nothing.
    """

    def __init__(self, path: Path, message: str, line: int | None = None) -> None:
        place = f"{path}:" if line is None else f"{path}:{line}:"
        super().__init__(f"{place} {message}")
        self.path = path
        self.line = line
        self.message = message

    def __reduce__(self) -> tuple[type[FormatError], tuple[Path, str, int | None]]:
        return FormatError, (self.path, self.message, self.line)
