"""Training from a configuration to a model."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
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
from multicut.training._lightning import (
    Callback,
    TensorBoardLogger,
    Trainer,
    quiet,
)
from multicut.training.config import TrainingConfig
from multicut.training.graphs import (
    fingerprint,
    given_graphs,
)
from multicut.training.module import CHECKPOINT_KEY, TrainingModule
from multicut.training.recorder import Progress, Recorder
from multicut.training.run_graphs import RunGraphs

# What may change between a run and its resumption.
_MAY_CHANGE = {
    "accelerator",
    "checkpoint_every",
    "cuda_graph",
    "devices",
    "instances",
    "log_every",
    "output",
    "validate_every",
}


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
    **settings: Any,
) -> TrainingResult:
    """Train a network.

    If the output folder holds a checkpoint of this run, training goes on from there, exactly as if
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
    checkpoint = _find_checkpoint(folder, config, restart)
    module = TrainingModule(network, config)
    with quiet():
        recorder = Recorder(config, folder, time_limit, progress)
        graphs = RunGraphs(config, given, cost_scale, recorder)
        trainer = _make_trainer(config, checkpoint, [graphs, recorder])
        with obeying_interrupts(recorder.interrupted), _fast_products():
            path = None if checkpoint is None else checkpoint.path
            trainer.fit(module, train_dataloaders=graphs, ckpt_path=path)
    speed = None
    if recorder.steps_timed:
        speed = recorder.steps_timed * config.batch_size / recorder.seconds_timed
    result = TrainingResult(
        folder=folder,
        network=network.eval(),
        instances=trainer.global_step * config.batch_size,
        validation=recorder.last_validation,
        instances_per_second=speed,
        seconds=time.perf_counter() - started,
        stopped_by=recorder.stopped_by,
    )
    if trainer.is_global_zero:
        write_whole(folder / "summary.json", json.dumps(result.to_dict(), indent=2) + "\n")
    return result


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


@dataclass(frozen=True)
class _Checkpoint:
    path: Path
    step: int


def _find_checkpoint(folder: Path, config: TrainingConfig, restart: bool) -> _Checkpoint | None:
    """Return the checkpoint to go on from, after a look at whether it is one of this run."""
    path = folder / "last.ckpt"
    if restart:
        # Or it would come back to life if this run were killed early.
        path.unlink(missing_ok=True)
    if not path.exists():
        return None
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
        before, step = content[CHECKPOINT_KEY]["config"], int(content["global_step"])
    except Exception as error:
        raise ValueError(
            f"{path} is no checkpoint of a training run ({type(error).__name__}); restart, or "
            f"choose another output"
        ) from None
    # A setting that the checkpoint does not know is newer than that run, which was as by default.
    defaults = TrainingConfig().to_dict()
    for name, value in config.to_dict().items():
        old = before.get(name, defaults[name])
        if name not in _MAY_CHANGE and old != value:
            raise ValueError(
                f"{folder} holds a run with {name} = {old!r}, not {value!r}; restart, or "
                f"choose another output"
            )
    return _Checkpoint(path, step)


def _initial_network(config: TrainingConfig) -> tuple[Network, float | None]:
    """Return the network to begin with, and the scale that it wants costs in, if any."""
    if config.finetune:
        model = load_model(config.finetune)
        return model.network, model.cost_scale
    return build_network(config.network), None


def _make_trainer(
    config: TrainingConfig, checkpoint: _Checkpoint | None, callbacks: list[Callback]
) -> Trainer:
    num_gpus = torch.cuda.device_count()
    accelerator = config.accelerator
    if accelerator == "auto":
        # Lightning would also choose others, which lack the double precision that sums need.
        accelerator = "cuda" if num_gpus else "cpu"
    if accelerator == "cuda" and num_gpus < config.devices:
        raise ValueError(f"devices must be at most {num_gpus}, the GPUs here, got {config.devices}")
    logger: Any = False  # the curves are in CSV files as well
    if find_spec("tensorboard") is not None:
        logger = TensorBoardLogger(
            config.output,
            name="",
            version="tensorboard",
            default_hp_metric=False,
            # What was logged after the checkpoint will come again.
            purge_step=None if checkpoint is None else checkpoint.step * config.batch_size + 1,
        )
    return Trainer(
        accelerator=accelerator,
        devices=config.devices,
        strategy="ddp" if config.devices > 1 else "auto",
        precision=config.precision,  # type: ignore[arg-type]
        gradient_clip_val=config.clip or None,
        max_steps=config.num_steps,
        max_epochs=-1,
        callbacks=callbacks,
        logger=logger,
        log_every_n_steps=10**9,  # the recorder logs
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        sync_batchnorm=config.devices > 1 and accelerator == "cuda",
        use_distributed_sampler=False,
    )


@contextmanager
def _fast_products() -> Iterator[None]:
    """Let GPUs multiply single precision in TF32, as long as training lasts."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
