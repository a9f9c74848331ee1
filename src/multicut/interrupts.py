"""Ctrl-C as a wish to stop, not as an exception wherever Python happens to be."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


@contextmanager
def obeying_interrupts(interrupted: threading.Event) -> Iterator[None]:
    """Let the first Ctrl-C set an event, which somebody looks at often; a second one raises.

    Only the main thread ever sees Ctrl-C, and a handler of the caller's own stays in place.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return

    def request(_number: int, _frame: FrameType | None) -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt
        interrupted.set()

    signal.signal(signal.SIGINT, request)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
