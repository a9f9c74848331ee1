"""Ctrl-C as a request to stop, not as an exception wherever Python happens to be."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


@contextmanager
def heeding_interrupts() -> Iterator[None]:
    """Raise KeyboardInterrupt at the end of a block in which Ctrl-C was pressed, at the latest.

    An interrupt within an import may become another error, or none at all: some modules catch
    whatever their imports raise.
    """
    before = signal.getsignal(signal.SIGINT)
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not callable(before):
        yield
        return
    seen = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:
        seen.set()
        before(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    except Exception:
        if not seen.is_set():
            raise
    finally:
        signal.signal(signal.SIGINT, before)
    if seen.is_set():
        raise KeyboardInterrupt


class InterruptEvent(threading.Event):
    """Set once Ctrl-C was pressed.

    Attributes
    ----------
    raises
        Whether Ctrl-C raises KeyboardInterrupt as well, where nobody looks at the event.
    """

    raises = False

    @contextmanager
    def raising(self) -> Iterator[None]:
        """Let Ctrl-C raise KeyboardInterrupt within a block of the main thread."""
        is_main = threading.current_thread() is threading.main_thread()
        self.raises = is_main
        try:
            yield
        finally:
            if is_main:
                self.raises = False


@contextmanager
def obeying_interrupts(interrupted: threading.Event) -> Iterator[None]:
    """Let the first Ctrl-C set an event, which somebody looks at often.

    A second one raises KeyboardInterrupt where Python is. Only the main thread ever sees Ctrl-C. A
    handler of the caller's own is called as well.
    """
    before = signal.getsignal(signal.SIGINT)
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or before is None:
        yield
        return

    def request(number: int, frame: FrameType | None) -> None:
        was_set = interrupted.is_set()
        interrupted.set()
        if callable(before) and before is not signal.default_int_handler:
            before(number, frame)
        elif was_set or getattr(interrupted, "raises", False):
            raise KeyboardInterrupt

    try:
        signal.signal(signal.SIGINT, request)
    except ValueError:  # an interpreter within another program, which has the signals
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
