"""A training process of its own, which a signal stops with a checkpoint."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multicut._target import write_whole
from multicut.datasets.shipped import SHIPPED
from multicut.training.config import TrainingConfig
from multicut.training.graph_store import GraphStore
from paper.retrain.jobs import Job

if TYPE_CHECKING:
    from multicut.nn.model import Network

#: Where processes share a GPU through MPS, 0 goes before 1.
PRIORITY = "CUDA_MPS_CLIENTPRIORITY"
#: What stops a call of the command; processes that it starts get it, too.
STOPPING = (signal.SIGINT, signal.SIGTERM)


def start(
    job: Job,
    store: Path,
    *,
    deadline: float | None = None,
    tests: Sequence[str] = tuple(SHIPPED),
    is_urgent: bool = False,
) -> Any:
    """Start to train a job, and return the process.

    Parameters
    ----------
    job
        What to train; it begins with the end of the job that it needs.
    store
        The folder with the graphs.
    deadline
        When it stops with a checkpoint, by ``time.time()``.
    tests
        The datasets that it is measured on if it is a run and comes to its end.
    is_urgent
        Whether it goes before others where processes share a GPU through MPS. A priority in the
        environment stays as it is.
    """
    job.prepare()
    job.folder.mkdir(parents=True, exist_ok=True)
    # Not forked: whatever has looked for a GPU before would keep the fork from using it.
    context = multiprocessing.get_context("spawn")
    arguments = (job.config, job.is_trunk, store, deadline, tuple(tests), os.getpid(), is_urgent)
    process = context.Process(target=_work, args=arguments)
    with _signals_wait():
        process.start()
    return process


@contextmanager
def _signals_wait() -> Iterator[None]:
    """Let a process that is started here get no signal to stop before it is able to obey one."""
    resource_tracker.ensure_running()  # or the first process starts it, which lets signals in
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(
    config: TrainingConfig,
    is_trunk: bool,
    store: Path,
    deadline: float | None,
    tests: Sequence[str],
    parent: int,
    is_urgent: bool,
) -> None:
    """Train, and measure what came of it."""
    set_priority(is_urgent)
    folder = Path(config.output)
    with (folder / "log.txt").open("ab", buffering=0) as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    _stop_when_told_or_left(parent)
    try:
        from multicut.training.runner import train

        graphs = GraphStore(store)
        # Counted from here: to start a process and to load graphs may take long.
        left = None if deadline is None else max(0.001, deadline - time.time())
        result = train(config, time_limit=left, store=graphs)
        if result.stopped_by == "finished" and not is_trunk:
            measure(folder, graphs, result.network, tests)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


def set_priority(is_urgent: bool) -> None:
    """Let this process go before or after others on a GPU; called before it uses one."""
    os.environ.setdefault(PRIORITY, "0" if is_urgent else "1")


def _stop_when_told_or_left(parent: int) -> None:
    """Let training stop with a checkpoint after a signal, or when its parent has ended.

    A signal to the whole group reaches this process twice, since its parent passes it on. So no
    number of them raises an exception; and none is lost, although training listens only after it
    has loaded its graphs.
    """
    told = threading.Event()

    def watch() -> None:
        while os.getppid() == parent and not told.wait(1.0):
            pass
        while True:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1.0)

    for number in STOPPING:
        signal.signal(number, lambda *_: told.set())
    threading.Thread(target=watch, daemon=True).start()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)


def measure(folder: Path, store: GraphStore, last: Network, tests: Sequence[str]) -> None:
    """Measure the model that a run kept, the best in validation, and its last one on test sets."""
    import torch

    from multicut.models.files import load_model
    from multicut.training.device_dataset import DeviceDataset
    from multicut.training.evaluation import cut_finder, evaluate

    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = load_model(folder / "model").to(device)
    sets = {name: DeviceDataset(store.graphs(name, "test").arrays(), device) for name in tests}
    found: dict[str, dict[str, Any]] = {}
    for which in ("best", "last"):
        if which == "last":
            model.network.load_state_dict(last.state_dict())
        found[which] = {
            name: evaluate(model.logits, each, find_cut=cut_finder(model.network)).to_dict()
            for name, each in sets.items()
        }
    write_whole(folder / "tests.json", json.dumps(found, indent=2) + "\n")
