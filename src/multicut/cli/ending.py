"""The end of the process of a command."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import NoReturn, TypeVar, cast

Main = TypeVar("Main", bound=Callable[..., int])
# Seconds between a signal and the forced end of the process.
_GRACE = 10


def not_waiting_for_imports(main: Main) -> Main:
    """End the process at once if torch is still being imported for a solve that is over.

    Python would wait for the import for seconds. If arguments are given, another program called
    `main`, and its process continues.
    """

    @wraps(main)
    def ending(arguments: list[str] | None = None) -> int:
        code = main(arguments)
        loading = sys.modules.get("multicut.models.loading")
        if arguments is None and loading is not None and loading.is_loading():
            end_at_once(code)
        return code

    return cast("Main", ending)


def end_at_once(code: int) -> NoReturn:
    """End the process without waiting for its threads."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(code)


@contextmanager
def stopped_by_signals() -> Iterator[threading.Event]:
    """Raise KeyboardInterrupt on the first SIGTERM or SIGINT, and set the event that is yielded.

    Code that a signal interrupts may drop the exception; the event remains. Further signals are
    ignored, so that they do not interrupt the cleaning up. If it takes too long, the operating
    system ends the process, even where no Python code can run any more.
    """
    stopping = threading.Event()

    def stop(*_: object) -> None:
        if stopping.is_set():
            return
        stopping.set()
        if hasattr(signal, "alarm"):  # not on Windows
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(_GRACE)
        raise KeyboardInterrupt

    # Shells start commands in the background with SIGINT ignored.
    chosen = [signal.SIGTERM]
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        chosen.append(signal.SIGINT)
    before = {number: signal.signal(number, stop) for number in chosen}
    try:
        yield stopping
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
