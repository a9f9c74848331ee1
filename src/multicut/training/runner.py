"""Training from a configuration to a model."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from multicut.models import load_model
from multicut.nn.batch import GraphBatch
from multicut.nn.network import MulticutNetwork
from multicut.training._lightning import TensorBoardLogger, Trainer, quiet
from multicut.training.arrays import GraphArrays, as_arrays
from multicut.training.batches import BatchSource, Share, StoredGraphs, TrainingBatch
from multicut.training.config import TrainingConfig
from multicut.training.device_dataset import DeviceDataset
from multicut.training.evaluation import Evaluation, evaluate
from multicut.training.graphs import FRESH, fresh_graphs, named_graphs
from multicut.training.module import CHECKPOINT_KEY, TrainingModule
from multicut.training.recorder import Progress, Recorder
from multicut.training.sampler import Sampler

# What may change between a run and its resumption.
_MAY_CHANGE = {
    "accelerator",
    "checkpoint_every",
    "devices",
    "instances",
    "log_every",
    "output",
    "validate_every",
}


@dataclass(frozen=True, eq=False)
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
    network: MulticutNetwork
    instances: int
    validation: dict[str, Any] | None
    instances_per_second: float | None
    seconds: float
    stopped_by: str

    @property
    def model_path(self) -> Path:
        """The model's weights, for :func:`multicut.load_model`."""
        return self.folder / "model.safetensors"

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
        themselves: a dataset, :class:`GraphArrays` or, for ``loss="polynomial"``, problems.
    """
    started = time.perf_counter()
    given = {
        name: settings.pop(name)
        for name in ("train", "validation")
        if name in settings and not isinstance(settings[name], str)
    }
    config = _as_config(config, {**settings, **dict.fromkeys(given, "given")})
    folder = Path(config.output)
    folder.mkdir(parents=True, exist_ok=True)
    checkpoint = None if restart else _find_checkpoint(folder, config)

    torch.manual_seed(config.seed)
    network = _initial_network(config)
    module = TrainingModule(network, config)
    with quiet():
        trainer = _make_trainer(config, folder)
        device = trainer.strategy.root_device
        share = Share(trainer.global_rank, trainer.world_size)
        source, scale = _training_graphs(given.get("train"), config, device, module, share)
        validate = _validation(given.get("validation"), config, device, network, scale)
        card = {"description": _describe(config)}
        if config.scale_free:
            card["cost_scale"] = scale
        recorder = Recorder(config, folder, validate, card, time_limit, progress)
        trainer.callbacks.append(recorder)
        loader = _Loader(source, trainer)
        with recorder.obeying_interrupts(), _fast_products():
            trainer.fit(module, train_dataloaders=loader, ckpt_path=checkpoint)
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
        (folder / "summary.json").write_text(json.dumps(result.to_dict(), indent=2) + "\n")
    return result
