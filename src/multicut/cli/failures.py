"""Errors of commands: interruption, and advice that names options."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from multicut.io.errors import AdvisedError


class InterruptedCommandError(Exception):
    """Ctrl-C was pressed; the message tells what there is nevertheless."""


@contextmanager
def advising(**options: str) -> Iterator[None]:
    """Word the advice of errors by options: ``advising(format="--from")``."""
    try:
        yield
    except AdvisedError as error:
        raise ValueError(error.for_options(options)) from error
