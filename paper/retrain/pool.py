"""Several training processes at a time, forked from one that holds all graphs."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multicut._target import write_whole
from multicut.datasets.shipped import SHIPPED
from multicut.training.config import TrainingConfig
from multicut.training.graph_store import GraphStore
from paper.retrain.jobs import Job

if TYPE_CHECKING:
    from multicut.nn.model import Network

_SECONDS_BETWEEN_LOOKS = 0.2
# A run that cannot even load its graphs before the deadline is not started.
_LEAST_SECONDS = 15.0
# How long after the deadline a process may still write and measure.
_PATIENCE = 15.0


@dataclass
class _Running:
    job: Job
    process: Any


def fill_store(configs: Sequence[TrainingConfig]) -> GraphStore:
    """Load all graphs that have a name, and list the cycles that any run needs."""
    store = GraphStore()
    for config in configs:
        if isinstance(config.train, str) and config.train in SHIPPED and not config.num_train:
            store.graphs(config.train, "train")
            if config.alpha > 0:
                store.cycles(config.train, "train", config.max_cycle_length)
        if isinstance(config.validation, str) and config.validation in SHIPPED:
            store.graphs(config.validation, "valid")
            if not config.num_validation:
                store.cycles(config.validation, "valid", config.max_cycle_length)
    for name in SHIPPED:
        store.graphs(name, "test")
    return store


def run_jobs(
    jobs: Sequence[Job],
    store: GraphStore,
    *,
    slots: int,
    deadline: float | None = None,
    say: Callable[[str], None] = print,
) -> None:
    """Run jobs, at most so many at a time, the first that is ready first.

    Parameters
    ----------
    jobs
        What to run, the most urgent first.
    store
        The graphs.
    slots
        The number of processes.
    deadline
        When to stop, by ``time.monotonic()``; all runs then write a checkpoint.
    say
        Told what begins and ends.
    """
    running: list[_Running] = []
    started = time.monotonic()
    try:
        while True:
            for each in [each for each in running if not each.process.is_alive()]:
                running.remove(each)
                _end(each, say, time.monotonic() - started)
            left = None if deadline is None else deadline - time.monotonic()
            may_start = left is None or left > _LEAST_SECONDS
            ready = [job for job in jobs if job.is_ready]
            if not running and not (ready and may_start):
                return
            if left is not None and left < -_PATIENCE:
                say(f"not ended in time: {', '.join(each.job.name for each in running)}")
                return
            while may_start and ready and len(running) < slots:
                running.append(_start(ready.pop(0), store, left))
            time.sleep(_SECONDS_BETWEEN_LOOKS)
    finally:
        for each in running:
            each.process.terminate()


def _start(job: Job, store: GraphStore, left: float | None) -> _Running:
    job.prepare()
    job.folder.mkdir(parents=True, exist_ok=True)
    job.state = "running"
    context = multiprocessing.get_context("fork")
    process = context.Process(target=_work, args=(job, store, left))
    process.start()
    return _Running(job, process)


def _end(each: _Running, say: Callable[[str], None], seconds: float) -> None:
    job = each.job
    stopped_by = "error"
    if each.process.exitcode == 0:
        with suppress(OSError, ValueError):
            stopped_by = json.loads((job.folder / "summary.json").read_text())["stopped_by"]
    if stopped_by == "finished":
        job.finish()
    else:
        job.state = stopped_by
    say(f"{seconds:6.1f} s  {job.name}: {stopped_by}")


def _work(job: Job, store: GraphStore, left: float | None) -> None:
    """Train, in a process of its own, and measure what came of it."""
    with (job.folder / "log.txt").open("ab", buffering=0) as log:
        os.dup2(log.fileno(), sys.stdout.fileno())
        os.dup2(log.fileno(), sys.stderr.fileno())
    _end_with(os.getppid())
    try:
        from multicut.training.runner import train

        result = train(job.config, time_limit=left, store=store)
        if result.stopped_by == "finished" and not job.is_trunk:
            measure(job.folder, store, result.network)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


def _end_with(parent: int) -> None:
    """Stop with a checkpoint, as after Ctrl-C, when the process that started this one has ended."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=watch, daemon=True).start()


def measure(folder: Path, store: GraphStore, last: Network) -> None:
    """Measure the model that a run kept, the best in validation, and its last one on test sets."""
    import torch

    from multicut.models.files import load_model
    from multicut.training.device_dataset import DeviceDataset
    from multicut.training.evaluation import cut_finder, evaluate

    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = load_model(folder / "model").to(device)
    tests = {name: DeviceDataset(store.graphs(name, "test").arrays(), device) for name in SHIPPED}
    found: dict[str, dict[str, Any]] = {}
    for which in ("best", "last"):
        if which == "last":
            model.network.load_state_dict(last.state_dict())
        found[which] = {
            name: evaluate(model.logits, each, find_cut=cut_finder(model.network)).to_dict()
            for name, each in tests.items()
        }
    write_whole(folder / "tests.json", json.dumps(found, indent=2) + "\n")
