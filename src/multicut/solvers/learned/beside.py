"""Solvers of the processor that work in a thread, while a GPU does something else."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from multicut import _core

# Seconds between looks at what may end the solve before its deadline.
_PAUSE = 0.02


class Beside:
    """Runs tasks in a thread of its own.

    Parameters
    ----------
    tasks
        What to run.
    num_threads
        How many of them at a time.
    seconds
        How long all of them may take.
    """

    def __init__(self, tasks: Sequence[_core.Task], num_threads: int, seconds: float) -> None:
        self._solutions: list[_core.Solution] = []
        self._error: BaseException | None = None
        self._is_stopped = False
        self._done = threading.Event()
        arguments = (list(tasks), num_threads, seconds)
        self._thread = threading.Thread(
            target=self._run, args=arguments, name="multicut: solving beside a GPU"
        )
        self._thread.start()

    @property
    def is_done(self) -> bool:
        """Whether all tasks have ended."""
        return self._done.is_set()

    def wait(self, is_over: Callable[[], bool]) -> list[_core.Solution]:
        """Return what the tasks have found; as soon as it can be had once `is_over` says so."""
        while not self._done.wait(_PAUSE):
            if is_over():
                self.stop()
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._solutions

    def stop(self) -> None:
        """Let tasks end early, for want of time or because nobody needs them any more."""
        self._is_stopped = True

    def _run(self, tasks: list[_core.Task], num_threads: int, seconds: float) -> None:
        try:
            self._solutions = _core.run_all(
                tasks,
                num_threads=num_threads,
                total_time_limit=seconds,
                callback=lambda *_: self._is_stopped,
            )
        except BaseException as error:
            self._error = error
        finally:
            self._done.set()
