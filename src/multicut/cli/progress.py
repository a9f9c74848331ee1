"""Live lines about a solver at work, and bars about many tasks."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from multicut.cli.console import errors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console
    from rich.progress import Progress

    import multicut as mc
    from multicut.stop import Callback


@contextmanager
def progress_of(solver: str, *, shown: bool) -> Iterator[Callback | None]:
    """Show one live line with objective, bound and time, on a terminal only."""
    console = errors()
    if not shown or not console.is_terminal:
        yield None
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(solver)

        def report(now: mc.Progress) -> bool:
            progress.update(task, description=f"{solver}  {_describe(now)}")
            return False

        yield report


def _describe(progress: mc.Progress) -> str:
    """Say in one line what a solver has reached."""
    parts = [f"objective {progress.objective:,.8g}"]
    if progress.lower_bound is not None:
        parts.append(f"bound {progress.lower_bound:,.8g}")
        parts.append(f"gap {progress.gap:.3%}")
    for key, value in progress.details.items():
        name = key.replace("_", " ")
        parts.append(f"{name} {value}" if isinstance(value, str) else f"{value:,} {name}")
    return "  ".join(parts)


def bar_with_estimate(console: Console, *, width: int = 0, transient: bool = False) -> Progress:
    """Return bars that count what is done and estimate the time left; descriptions are padded."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn(f"{{task.description:<{width}}}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
        transient=transient,
    )
