"""Several training processes at a time, with graphs that are made once."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from multicut.datasets.shipped import SHIPPED
from multicut.interrupts import obeying_interrupts
from multicut.training.config import TrainingConfig
from multicut.training.graph_store import GraphStore
from paper.retrain.jobs import Job
from paper.retrain.processes import STOPPING, start

_SECONDS_BETWEEN_LOOKS = 0.2
# A run that cannot even load its graphs before the deadline is not started.
_LEAST_SECONDS = 15.0
# How long after the deadline, or after an interruption, a process may still write and measure.
_PATIENCE = 15.0

# A split of a dataset, or its cycles up to a length.
Need = tuple[str, str, int | None]


@dataclass
class _Running:
    job: Job
    process: Any


def needs(config: TrainingConfig) -> Iterator[Need]:
    """Yield what a run needs of the store."""
    trains_on, validated_on = config.train, config.validation
    if isinstance(trains_on, str) and trains_on in SHIPPED:
        yield trains_on, "train", None
        if config.alpha > 0 and not config.num_train:
            yield trains_on, "train", config.max_cycle_length
    if isinstance(validated_on, str) and validated_on in SHIPPED:
        yield validated_on, "valid", None
        if not config.num_validation:
            yield validated_on, "valid", config.max_cycle_length


def start_making(jobs: Sequence[Job], folder: Path, tests: Sequence[str]) -> list[Any]:
    """Start to make what jobs need, one process for each dataset, what is urgent first."""
    wanted: dict[str, list[Need]] = {}
    for job in jobs:
        for need in needs(job.config):
            wanted.setdefault(need[0], []).append(need)
    for name in tests:
        wanted.setdefault(name, []).append((name, "test", None))
    context = multiprocessing.get_context("spawn")
    processes = []
    for some in wanted.values():
        # Cycles of training graphs take longest, and are not needed at once.
        order = sorted(dict.fromkeys(some), key=lambda need: need[1] == "train" and bool(need[2]))
        process = context.Process(target=_make, args=(order, folder))
        process.start()
        processes.append(process)
    return processes


def _make(wanted: Sequence[Need], folder: Path) -> None:
    for number in STOPPING:
        signal.signal(number, signal.SIG_IGN)  # the process that started this one ends it
    store = GraphStore(folder)
    for name, split, max_length in wanted:
        if store.has(name, split, max_length):
            continue
        if max_length is None:
            store.graphs(name, split)
        else:
            store.cycles(name, split, max_length)


def run_jobs(
    jobs: Sequence[Job],
    store: Path,
    *,
    slots: int,
    deadline: float | None = None,
    tests: Sequence[str] = tuple(SHIPPED),
    keep_going: bool = False,
    say: Callable[[str], None] = print,
    after: Callable[[], None] = lambda: None,
) -> bool:
    """Run jobs, at most so many at a time, the first that is ready first.

    The first that fails ends all others, which write a checkpoint. So does Ctrl-C; a second one
    ends them at once.

    Parameters
    ----------
    jobs
        What to run, the most urgent first.
    store
        The folder with the graphs.
    slots
        The number of processes.
    deadline
        When runs stop, by ``time.time()``; all of them then write a checkpoint.
    tests
        The datasets that finished runs are measured on.
    keep_going
        Let others go on when one has failed, except those that need it.
    say
        Told what ends.
    after
        Called whenever a run has ended.

    Returns
    -------
    bool
        Whether nothing failed.
    """
    running: list[_Running] = []
    started = time.time()
    kept = GraphStore(store)
    makers = start_making([job for job in jobs if job.state != "done"], store, tests)
    # Where processes share a GPU through MPS, the first runs and what they wait for go first.
    most_urgent = [job for job in jobs if not job.is_trunk][: max(1, slots // 4)]
    urgent = _with_all_they_need(most_urgent)
    went_well = True
    failed = False

    def stop(reason: str = "") -> None:
        nonlocal went_well, deadline
        if reason:
            say(reason)
        went_well, deadline = False, time.time()
        for each in running:
            with suppress(ProcessLookupError):
                os.kill(each.process.pid, signal.SIGINT)

    def note_failure() -> None:
        nonlocal failed
        failed = True
        if went_well and not keep_going:
            stop()

    def look() -> bool:
        """Note what has ended and start what can be; return whether all is over."""
        for each in [each for each in running if not each.process.is_alive()]:
            running.remove(each)
            if not _end(each, say, time.time() - started):
                note_failure()
            if not each.job.is_trunk:
                after()
        if went_well and any(maker.exitcode not in (None, 0) for maker in makers):
            stop("graphs could not be made")
        left = None if deadline is None else deadline - time.time()
        may_start = went_well and (left is None or left > _LEAST_SECONDS)
        waiting = [job for job in jobs if may_start and job.is_ready]
        if not running and not waiting:
            return True
        if left is not None and left < -_PATIENCE:
            say(f"not ended in time: {', '.join(each.job.name for each in running)}")
            return True
        ready = [job for job in waiting if all(kept.has(*need) for need in needs(job.config))]
        chosen = ready[: slots - len(running)]
        for job in chosen:
            is_urgent = job.name in urgent
            try:
                process = start(job, store, deadline=deadline, tests=tests, is_urgent=is_urgent)
            except Exception as error:
                _fail(job, say, time.time() - started, f"{type(error).__name__}: {error}")
                note_failure()
                break
            job.state = "running"
            running.append(_Running(job, process))
        return False

    interrupted = threading.Event()
    try:
        with suppress(KeyboardInterrupt), obeying_interrupts(interrupted):
            while not look():
                time.sleep(_SECONDS_BETWEEN_LOOKS)
                if interrupted.is_set() and went_well:
                    stop("interrupted; runs write their checkpoints")
    finally:
        for process in [*makers, *(each.process for each in running)]:
            process.kill()
            process.join()
        after()
    return went_well and not failed


def _with_all_they_need(runs: Sequence[Job]) -> set[str]:
    names = set()
    for run in runs:
        each: Job | None = run
        while each is not None:
            names.add(each.name)
            each = each.needs
    return names


def _end(each: _Running, say: Callable[[str], None], seconds: float) -> bool:
    """Note how a job has ended; return whether it has not failed."""
    job = each.job
    stopped_by = "error"
    if each.process.exitcode == 0:
        with suppress(OSError, ValueError):
            stopped_by = json.loads((job.folder / "summary.json").read_text())["stopped_by"]
    if stopped_by == "error":
        log = job.folder / "log.txt"
        text = log.read_text(errors="replace")[-3_000:] if log.exists() else "no message"
        return _fail(job, say, seconds, text)
    job.state = stopped_by
    if stopped_by == "finished":
        try:
            job.finish()
        except Exception as error:
            return _fail(job, say, seconds, f"{type(error).__name__}: {error}")
    say(f"{seconds:6.1f} s  {job.name}: {stopped_by}")
    return True


def _fail(job: Job, say: Callable[[str], None], seconds: float, reason: str) -> bool:
    """Note that a job has failed, say why, and return that it has."""
    job.state = "error"
    say(f"{seconds:6.1f} s  {job.name}: error")
    say(reason)
    return False
