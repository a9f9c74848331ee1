"""Progress of work that consists of stages, each of many tasks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from multicut.cli.console import errors, say
from multicut.cli.progress import bar_with_estimate


@contextmanager
def stage_progress(*, shown: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function to be called with a stage, its tasks that are done, and all of them.

    On a terminal there is a bar with an estimate, otherwise one line for each stage.
    """
    console = errors()
    if not shown:
        yield lambda *_: None
        return
    if not console.is_terminal:
        yield _lines()
        return
    with bar_with_estimate(console, width=20) as progress:
        tasks = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = progress.add_task(stage, total=total)
            progress.update(tasks[stage], completed=done)

        yield show


def _lines() -> Callable[[str, int, int], None]:
    begun: dict[str, tuple[float, int]] = {}

    def show(stage: str, done: int, total: int) -> None:
        start, before = begun.setdefault(stage, (time.perf_counter(), done))
        if done < total or total == 0:
            return
        resumed = f", {before:,} of them before" if before else ""
        say(f"{stage}: {total:,} done{resumed}, {time.perf_counter() - start:.1f} s.")

    return show
