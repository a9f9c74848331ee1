"""From an exception to the one line that a visitor reads."""

from __future__ import annotations

import logging

from multicut._extras import MissingExtraError
from multicut.io.errors import AdvisedError

_LOG = logging.getLogger(__name__)
# What keywords of the library are called on the page.
_OPTIONS = {"instance": "“Problem in the file”"}


class VisitorError(ValueError):
    """Something that the visitor can put right; the message is for them."""


def describe_failure(error: Exception) -> str:
    """Return one line for the page; unexpected errors go to the log of the server."""
    if isinstance(error, AdvisedError):
        return _one_line(error.problem)
    if isinstance(error, MemoryError):
        return "not enough memory for this input; try a smaller one"
    if isinstance(error, ValueError | TypeError | MissingExtraError):
        return _one_line(str(error))
    _LOG.error("the page could not answer", exc_info=error)
    # The text of other errors may name files of this machine.
    return f"internal error ({type(error).__name__}); see the server log"


def _one_line(text: str) -> str:
    return " ".join(text.split()).removesuffix(".")
