"""What a task takes: time and memory."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def measured() -> Iterator[dict[str, float]]:
    """Yield a mapping that holds, once the body is done, what it took.

    `seconds` passed, all threads of this process worked for `processor_seconds`, and
    `peak_memory` is the most bytes that the process has held so far.
    """
    taken: dict[str, float] = {}
    start, work = time.perf_counter(), time.process_time()
    yield taken
    taken["seconds"] = time.perf_counter() - start
    taken["processor_seconds"] = time.process_time() - work
    taken["peak_memory"] = peak_memory()


def peak_memory() -> int:
    """Return the most bytes that this process has held so far, 0 where that is not known."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)
