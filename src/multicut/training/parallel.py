"""Several runs side by side, each in a process of its own."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from multicut._target import write_whole
from multicut.training.config import TrainingConfig
from multicut.training.curves import read_curve
from multicut.training.worker_process import last_words, start_worker

# Told which run, the instances it has seen and the newest values of its curves.
ParallelProgress = Callable[[int, int, dict[str, float]], None]

_SECONDS_BETWEEN_LOOKS = 1.0


def train_side_by_side(
    configs: Sequence[TrainingConfig],
    *,
    time_limit: float | None = None,
    restart: bool = False,
    progress: ParallelProgress | None = None,
) -> list[dict[str, Any]]:
    """Train several networks at the same time, on one device or several.

    A small network leaves most of a GPU idle, so several runs together take less time than one
    after the other. Each writes to its own output folder, what it says to ``log.txt`` there.

    Parameters
    ----------
    configs
        The runs, with different output folders.
    time_limit, restart
        As for :func:`multicut.training.train`, for each run.
    progress
        Called as ``progress(which, instances, values)`` now and then.

    Returns
    -------
    list of dict
        The content of each run's ``summary.json``.
    """
    runs = [_Run(config, time_limit, restart) for config in configs]
    try:
        while any(run.process.poll() is None for run in runs):
            try:
                time.sleep(_SECONDS_BETWEEN_LOOKS)
                for which, run in enumerate(runs):
                    if progress is not None and (news := run.news()) is not None:
                        progress(which, *news)
            except KeyboardInterrupt:
                # They save a checkpoint and end; a second Ctrl-C ends them at once.
                for run in runs:
                    run.interrupt()
    finally:
        for run in runs:
            run.process.kill()  # only those that an error has left running
    failures = [text for run in runs if (text := run.failure()) is not None]
    if failures:
        raise RuntimeError("; ".join(failures))
    return [run.summary() for run in runs]


class _Run:
    """A process that trains one network."""

    def __init__(self, config: TrainingConfig, time_limit: float | None, restart: bool) -> None:
        self.folder = Path(config.output)
        self.folder.mkdir(parents=True, exist_ok=True)
        write_whole(self.folder / "config.json", json.dumps(config.to_dict(), indent=2) + "\n")
        job = {"config": config, "time_limit": time_limit, "restart": restart}
        self.process = start_worker(job, self.folder / "log.txt")

    def interrupt(self) -> None:
        """Pass Ctrl-C on."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)

    def news(self) -> tuple[int, dict[str, float]] | None:
        """Return how far the run is."""
        rows = read_curve(self.folder / "training.csv")[-1:]
        values = {}
        for row in rows + read_curve(self.folder / "validation.csv")[-1:]:
            values.update({key: float(value) for key, value in row.items() if value})
        return (int(values["instances"]), values) if rows else None

    def failure(self) -> str | None:
        """Return what went wrong, once the process has ended."""
        if self.process.wait() == 0:
            return None
        return f"{self.folder}: {last_words(self.folder / 'log.txt')}"

    def summary(self) -> dict[str, Any]:
        """Return what came of the run."""
        summary: dict[str, Any] = json.loads((self.folder / "summary.json").read_text())
        return summary
