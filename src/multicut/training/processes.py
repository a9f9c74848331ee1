"""The processes that share a run: one, or several that split each batch among them."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, distributed
from torch.nn import Parameter

from multicut.training.config import TrainingConfig
from multicut.training.worker_process import last_words, start_worker

if TYPE_CHECKING:
    from torch.distributed import TCPStore  # type: ignore[attr-defined]

# Set by torchrun.
_RANK, _WORLD_SIZE, _LOCAL_RANK = "RANK", "WORLD_SIZE", "LOCAL_RANK"
# Set for processes that the first one starts: where it listens.
_PORT = "MULTICUT_TRAINING_PORT"
_HOST = "127.0.0.1"
# The number of processes that have found the first one, in its store.
_JOINED = "joined"
# Others wait while the first process validates.
_PATIENCE = timedelta(hours=1)


@dataclass(frozen=True)
class Processes:
    """The place of this process among those of a run.

    Attributes
    ----------
    device
        Where this process computes.
    rank
        Its number; the first, 0, writes files and tells of progress.
    world_size
        How many there are.
    """

    device: torch.device
    rank: int = 0
    world_size: int = 1

    @property
    def is_first(self) -> bool:
        """Whether this is the process that writes files and tells of progress."""
        return self.rank == 0

    def sum(self, values: Tensor) -> Tensor:
        """Add up the values of all processes."""
        total = values.clone()
        if self.world_size > 1:
            distributed.all_reduce(total)
        return total

    def sum_gradients(self, parameters: Sequence[Parameter]) -> None:
        """Replace gradients by their sums over all processes, before an optimiser uses them."""
        if self.world_size == 1:
            return
        gradients = [p.new_zeros(p.shape) if p.grad is None else p.grad for p in parameters]
        sums = self.sum(torch.cat([gradient.flatten() for gradient in gradients]))
        parts = torch.split(sums, [gradient.numel() for gradient in gradients])
        for parameter, part in zip(parameters, parts, strict=True):
            parameter.grad = part.view_as(parameter)

    def any(self, flag: bool) -> bool:
        """Whether a flag is set in one of the processes."""
        if self.world_size == 1:
            return flag
        return bool(self.sum(torch.tensor(float(flag), device=self.device)) > 0)

    def wait(self) -> None:
        """Wait until all processes have come this far."""
        if self.world_size > 1:
            distributed.barrier()


@contextmanager
def processes_of(config: TrainingConfig, job: dict[str, Any]) -> Iterator[Processes]:
    """Start the other processes of a run, unless ``torchrun`` has, and connect to them.

    Parameters
    ----------
    config
        Says how many processes there are and where they compute.
    job
        What the others call :func:`multicut.training.train` with.
    """
    kind = _device_kind(config)
    if config.devices == 1:
        yield Processes(_device(kind, 0))
    elif _RANK not in os.environ:
        with _first_of_all(config, kind, job) as processes:
            yield processes
    else:
        with _one_of_many(config, kind) as processes:
            yield processes


def _device_kind(config: TrainingConfig) -> str:
    num_gpus = torch.cuda.device_count()
    kind = config.accelerator
    if kind == "auto":
        kind = "cuda" if num_gpus else "cpu"
    if kind == "cuda" and num_gpus < config.devices:
        raise ValueError(f"devices must be at most {num_gpus}, the GPUs here, got {config.devices}")
    return kind


def _device(kind: str, number: int) -> torch.device:
    return torch.device(kind, number) if kind == "cuda" else torch.device(kind)


@contextmanager
def _first_of_all(config: TrainingConfig, kind: str, job: dict[str, Any]) -> Iterator[Processes]:
    """Start the other processes; they do not outlive this one."""
    store_type = _store_type()
    world_size = config.devices
    store = store_type(
        _HOST, 0, world_size, is_master=True, timeout=_PATIENCE, wait_for_workers=False
    )
    others = [_OtherProcess(rank, config, store.port, job) for rank in range(1, world_size)]
    try:
        for other in others:
            other.start()
        while store.add(_JOINED, 0) < world_size - 1:
            for other in others:
                other.check()
            time.sleep(0.05)
        with _connected(_device(kind, 0), store, 0, world_size) as processes:
            yield processes
        for other in others:
            other.wait()
    except RuntimeError as error:
        # Where one process ends, the others only see that a connection is closed.
        for other in others:
            other.check(seconds=2, cause=error)
        raise
    finally:
        for other in others:
            other.end()


@contextmanager
def _one_of_many(config: TrainingConfig, kind: str) -> Iterator[Processes]:
    """Join processes that somebody else has started: the first one of the run, or torchrun."""
    rank, world_size = int(os.environ[_RANK]), int(os.environ[_WORLD_SIZE])
    if world_size != config.devices:
        raise ValueError(
            f"devices must be {world_size}, the processes that were started, got {config.devices}"
        )
    store = None
    if _PORT in os.environ:
        store = _store_type()(_HOST, int(os.environ[_PORT]), world_size, timeout=_PATIENCE)
        store.add(_JOINED, 1)
    device = _device(kind, int(os.environ.get(_LOCAL_RANK, rank)))
    with _connected(device, store, rank, world_size) as processes:
        yield processes


def _store_type() -> type[TCPStore]:
    if not distributed.is_available():
        raise ValueError(
            "devices must be 1: the installed torch is built without support for several processes"
        )
    from torch.distributed import TCPStore  # type: ignore[attr-defined]

    return TCPStore


class _OtherProcess:
    """A process of a run that the first one starts."""

    def __init__(self, rank: int, config: TrainingConfig, port: int, job: dict[str, Any]) -> None:
        self._rank = rank
        self._job = job
        self._environment = {
            **os.environ,
            _RANK: str(rank),
            _LOCAL_RANK: str(rank),
            _WORLD_SIZE: str(config.devices),
            _PORT: str(port),
        }
        self._log = Path(config.output) / f"process-{rank}.log"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it."""
        self._process = start_worker(self._job, self._log, self._environment)

    def check(self, seconds: float = 0.0, cause: BaseException | None = None) -> None:
        """Raise if it has failed, with what it said last, or fails within some seconds."""
        if self._process is None:
            return
        try:
            code = self._process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return
        if code != 0:
            said = last_words(self._log)
            raise RuntimeError(f"process {self._rank} of the run failed: {said}") from cause

    def wait(self) -> None:
        """Wait until it has ended, as it does after the same steps."""
        self.check(seconds=_PATIENCE.total_seconds())

    def end(self) -> None:
        """Kill it if it still runs, and drop its log unless it tells of a failure."""
        if self._process is None:
            return
        runs = self._process.poll() is None
        if runs:
            self._process.kill()
        if self._process.wait() == 0 or runs:
            self._log.unlink(missing_ok=True)


@contextmanager
def _connected(
    device: torch.device, store: TCPStore | None, rank: int, world_size: int
) -> Iterator[Processes]:
    """Let processes talk to each other; without a store, torchrun tells where they are."""
    if device.type == "cuda":
        torch.cuda.set_device(device)
    backend = "nccl" if device.type == "cuda" else "gloo"
    with _share_of_threads(world_size):
        distributed.init_process_group(
            backend, timeout=_PATIENCE, store=store, rank=rank, world_size=world_size
        )
        try:
            yield Processes(device, rank, world_size)
        finally:
            distributed.destroy_process_group()


@contextmanager
def _share_of_threads(world_size: int) -> Iterator[None]:
    """Leave processors to the other processes, unless the environment says how many to use."""
    before = torch.get_num_threads()
    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(max(1, before // world_size))
    try:
        yield
    finally:
        torch.set_num_threads(before)
