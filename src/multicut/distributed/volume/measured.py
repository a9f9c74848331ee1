"""What tasks tell about the time and the memory that they took."""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from multicut.distributed.stages import Summary
from multicut.distributed.volume.job import Job


def measured(task: Callable[..., Summary]) -> Callable[..., Summary]:
    """Turn a function of a folder, its job and more arguments into a task of a stage."""

    @functools.wraps(task)
    def run(folder: str, *arguments: Any) -> Summary:
        start, work = time.perf_counter(), time.process_time()
        summary = task(Path(folder), Job.load(folder), *arguments)
        return {
            **summary,
            "seconds": time.perf_counter() - start,
            "processor_seconds": time.process_time() - work,
            "peak_memory": peak_memory(),
        }

    return run


def peak_memory() -> int:
    """Return the most bytes that this process has held so far, 0 where that is not known."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)
