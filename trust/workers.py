"""Work in processes that may hang or crash: that becomes a fault, and the rest goes on."""

from __future__ import annotations

import math
import multiprocessing
import multiprocessing.connection
import os
import resource
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from trust.tally import Tally

# Of one problem; all take milliseconds. And of one process, in bytes.
MOST_SECONDS = 60.0
MOST_MEMORY = 4 * 2**30
_SECONDS_BETWEEN_LOOKS = 1.0

Task = Callable[[range, Any], Tally]


def run_apart(
    task: Task,
    parts: list[range],
    jobs: int,
    most_seconds: float = MOST_SECONDS,
    deadline: float = math.inf,
) -> Iterator[Tally]:
    """Yield ``task(part, current)`` of all parts, from several new processes.

    The task writes the number at hand to ``current.value``. If it hangs there or crashes, a tally
    with a fault is yielded for this number, and the others of its part are begun anew. After the
    deadline, by ``time.time()``, no part is begun.
    """
    todo = parts[::-1]
    workers = [Worker(task) for _ in range(jobs)]
    try:
        while True:
            for worker in workers:
                if worker.part is None and todo and time.time() < deadline:
                    worker.begin(todo.pop())
            pipes = [worker.pipe for worker in workers if worker.part is not None]
            if not pipes:
                break
            multiprocessing.connection.wait(pipes, _SECONDS_BETWEEN_LOOKS)
            for i, worker in enumerate(workers):
                if worker.part is None:
                    continue
                found = worker.look(most_seconds)
                if isinstance(found, Tally):
                    yield found
                elif found is not None:
                    seed, part = worker.current.value, worker.part
                    worker.end()
                    workers[i] = Worker(task)
                    if seed not in part:
                        raise RuntimeError(f"a process ends before it begins: {found}")
                    yield Tally(
                        Counter(problems=1), 0, [f"seed {seed}: {found}"], [(seed, seed + 1)]
                    )
                    rest = (range(part.start, seed), range(seed + 1, part.stop))
                    todo += [piece for piece in rest if piece]
    finally:
        for worker in workers:
            worker.end()


class Worker:
    """A process, and the part that it works on."""

    def __init__(self, task: Task) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.current = context.Value("q", -1, lock=False)
        self.part: range | None = None
        self._process = context.Process(target=_work, args=(other, self.current, task), daemon=True)
        self._process.start()
        other.close()

    def begin(self, part: range) -> None:
        """Let it work on a part."""
        self.part = part
        self.current.value = -1
        self._seen, self._since = -1, self._seconds()
        self.pipe.send(part)

    def look(self, most_seconds: float) -> Tally | str | None:
        """Return what it has found, or what is wrong with it; None if it is still at work."""
        if self.pipe.poll():
            try:
                tally: Tally = self.pipe.recv()
            except (EOFError, OSError):
                self._process.join()
                return f"ends with status {self._process.exitcode}"
            self.part = None
            return tally
        seconds = self._seconds()
        if self.current.value != self._seen:
            self._seen, self._since = self.current.value, seconds
        is_late = seconds - self._since > most_seconds
        return f"does not end within {most_seconds:.0f} s" if is_late else None

    def _seconds(self) -> float:
        """Return how long it has computed: other programs may take all processors meanwhile."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) / os.sysconf("SC_CLK_TCK")

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.join()
        self.pipe.close()


def _work(pipe: Any, current: Any, task: Task) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, -1))
    with suppress(EOFError, KeyboardInterrupt):
        while True:
            pipe.send(task(pipe.recv(), current))
