"""Training from a configuration to a model."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from multicut._target import write_whole
from multicut._words import count
from multicut.datasets.dataset import Dataset
from multicut.interrupts import obeying_interrupts
from multicut.models import load_model
from multicut.nn.model import Network, build_network
from multicut.nn.threads import one_thread_after_fork
from multicut.training.checkpoint import find_checkpoint
from multicut.training.config import TrainingConfig
from multicut.training.curves import open_curves
from multicut.training.graph_store import GraphStore
from multicut.training.learner import Learner
from multicut.training.named_graphs import fingerprint, given_graphs
from multicut.training.processes import processes_of
from multicut.training.progress_log import Progress, ProgressLog
from multicut.training.run_data import RunData


@dataclass(frozen=True, eq=False, repr=False)
class TrainingResult:
    """What came of a run.

    Attributes
    ----------
    folder
        Holds ``last.ckpt``, ``training.csv``, ``validation.csv``, ``summary.json`` and the model,
        ``model.safetensors`` and ``model.json``.
    network
        The network as training left it; the model on disk is the one of the best validation.
    instances
        How many instances it has seen, in all sessions together.
    validation
        The last validation's measures; None if there was none.
    instances_per_second
        Speed of this session's steps, validation and checkpoints not counted; None without steps.
    seconds
        How long this session took.
    stopped_by
        ``"finished"``, ``"time limit"`` or ``"interrupt"``.
    """

    folder: Path
    network: Network
    instances: int
    validation: dict[str, Any] | None
    instances_per_second: float | None
    seconds: float
    stopped_by: str

    @property
    def model_path(self) -> Path:
        """The model's weights, for :func:`multicut.load_model`."""
        return self.folder / "model.safetensors"

    def __repr__(self) -> str:
        ratio = None if self.validation is None else self.validation.get("objective_ratio")
        reached = "" if ratio is None else f", objective ratio {ratio:.4f}"
        return (
            f"TrainingResult({self.folder}: {count(self.instances, 'instance')}{reached}, "
            f"{self.seconds:.1f} s, {self.stopped_by})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as ``summary.json`` holds them."""
        return {
            "folder": str(self.folder),
            "instances": self.instances,
            "validation": self.validation,
            "instances_per_second": self.instances_per_second,
            "seconds": self.seconds,
            "stopped_by": self.stopped_by,
        }


@one_thread_after_fork()
def train(
    config: TrainingConfig | str | Path | None = None,
    *,
    restart: bool = False,
    time_limit: float | None = None,
    progress: Progress | None = None,
    store: GraphStore | None = None,
    **settings: Any,
) -> TrainingResult:
    """Train a network.

    If the output folder contains a checkpoint of this run, training resumes from it, exactly as if
    it had not been stopped.

    Parameters
    ----------
    config
        Settings, or a TOML file with settings; by default those of :class:`TrainingConfig`.
    restart
        Begin anew even if there is a checkpoint.
    time_limit
        Stop with a checkpoint after so many seconds; call again to go on.
    progress
        Called as ``progress(instances, values)`` whenever something was logged.
    store
        Where graphs that have a name are kept for several runs of one process and its forks.
    **settings
        Settings that replace those of `config`. `train` and `validation` may also be graphs
        themselves: a :class:`multicut.Dataset` or a list of problems; `validation` may be None.
    """
    started = time.perf_counter()
    if settings.get("validation", "") is None:
        settings["validation"] = ""
    given: dict[str, Dataset] = {
        name: given_graphs(settings.pop(name), name)
        for name in ("train", "validation")
        if name in settings and not isinstance(settings[name], str | Mapping)
    }
    # By their content, so that a run is not taken up with other graphs.
    names = {name: f"given:{fingerprint(graphs)}" for name, graphs in given.items()}
    config = _as_config(config, {**settings, **names})
    folder = Path(config.output)
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(config.seed)
    network, cost_scale = _initial_network(config)
    # What a model was trained with, it is trained further with.
    scale_free = config.scale_free or cost_scale is not None
    config = config.updated({"network": network.config, "scale_free": scale_free})
    checkpoint = find_checkpoint(folder, config, restart)
    log = ProgressLog(config, folder, time_limit, progress)
    job = {"config": config, "restart": restart, **given}
    with (
        obeying_interrupts(log.interrupted),
        _fast_products(),
        processes_of(config, job) as processes,
    ):
        learner = Learner(network, config, processes)
        data = RunData.load(config, given, cost_scale, learner, store)
        if checkpoint is not None:
            learner.load_state_dict(checkpoint)
            log.load_state_dict(checkpoint)
        learner.prepare_steps(data.source.capacity)
        _take_steps(learner, data, log, folder)
    result = TrainingResult(
        folder=folder,
        network=network.cpu().eval(),
        instances=learner.steps_done * config.batch_size,
        validation=log.last_validation,
        instances_per_second=log.instances_per_second,
        seconds=time.perf_counter() - started,
        stopped_by=log.stopped_by,
    )
    if processes.is_first:
        write_whole(folder / "summary.json", json.dumps(result.to_dict(), indent=2) + "\n")
    return result


def _take_steps(learner: Learner, data: RunData, log: ProgressLog, folder: Path) -> None:
    """Train until the configuration, the clock or Ctrl-C says that it is enough."""
    config, step = learner.config, learner.steps_done
    with ExitStack() as stack:
        curves = None
        if learner.processes.is_first:
            curves = stack.enter_context(open_curves(folder, step, config.batch_size))
        log.start(curves, data.validate, data.card)
        if step >= config.num_steps:
            return
        batches = stack.enter_context(closing(data.source.batches(step)))
        for batch in batches:
            learner.take_step(batch)
            if log.after_step(learner):
                return


def _as_config(
    config: TrainingConfig | str | Path | None, settings: dict[str, Any]
) -> TrainingConfig:
    if config is None:
        config = TrainingConfig()
    elif isinstance(config, str | Path):
        config = TrainingConfig.from_file(config)
    elif not isinstance(config, TrainingConfig):
        raise TypeError(f"config must be a TrainingConfig or a file, got {type(config).__name__}")
    return config.updated(settings)


def _initial_network(config: TrainingConfig) -> tuple[Network, float | None]:
    """Return the network to begin with, and the scale that it wants costs in, if any."""
    if config.finetune:
        model = load_model(config.finetune)
        return model.network, model.cost_scale
    return build_network(config.network), None


@contextmanager
def _fast_products() -> Iterator[None]:
    """Let GPUs multiply single precision in TF32, as long as training lasts."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
