"""Training from a configuration to a model."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from multicut.datasets.dataset import Dataset
from multicut.models import load_model
from multicut.nn.batch import GraphBatch
from multicut.nn.network import MulticutNetwork
from multicut.training._lightning import (
    Callback,
    LightningModule,
    TensorBoardLogger,
    Trainer,
    quiet,
)
from multicut.training.batches import (
    BatchSource,
    FreshGraphs,
    Share,
    StoredGraphs,
    TrainingBatch,
)
from multicut.training.config import TrainingConfig
from multicut.training.device_dataset import DeviceDataset
from multicut.training.evaluation import Evaluation, evaluate
from multicut.training.graphs import (
    fingerprint,
    fresh_graphs,
    given_graphs,
    is_fresh,
    labelled_by,
    mean_absolute_cost,
    named_graphs,
    with_cost_scale,
)
from multicut.training.module import CHECKPOINT_KEY, TrainingModule
from multicut.training.recorder import Progress, Recorder
from multicut.training.sampler import Sampler

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
        themselves: a :class:`multicut.Dataset` or a list of problems; `validation` may be None.
    """
    started = time.perf_counter()
    if settings.get("validation", "") is None:
        settings["validation"] = ""
    given: dict[str, Dataset] = {
        name: given_graphs(settings.pop(name), name)
        for name in ("train", "validation")
        if name in settings and not isinstance(settings[name], str)
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
        graphs = _Graphs(config, given, cost_scale, recorder)
        trainer = _make_trainer(config, checkpoint, [graphs, recorder])
        with recorder.obeying_interrupts(), _fast_products():
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
        (folder / "summary.json").write_text(json.dumps(result.to_dict(), indent=2) + "\n")
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


def _initial_network(config: TrainingConfig) -> tuple[MulticutNetwork, float | None]:
    """Return the network to begin with, and the scale that it wants costs in, if any."""
    if config.finetune:
        model = load_model(config.finetune)
        if not isinstance(model.network, MulticutNetwork):
            raise ValueError(
                f"finetune must name a network of the paper, got {config.finetune!r}, a "
                f"contraction network; those cannot be trained further yet"
            )
        return model.network, model.cost_scale
    return MulticutNetwork(config.network), None


def _make_trainer(
    config: TrainingConfig, checkpoint: _Checkpoint | None, callbacks: list[Callback]
) -> Trainer:
    num_gpus = torch.cuda.device_count()
    accelerator = config.accelerator
    if accelerator == "auto":
        # Lightning would also choose others, which lack the double precision that sums need.
        accelerator = "cuda" if num_gpus else "cpu"
    if accelerator == "cuda" and num_gpus < config.devices:
        raise ValueError(f"devices must be at most the {num_gpus} GPUs here, got {config.devices}")
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


class _Graphs(Callback):
    """The graphs of a run, brought to the device once each process knows its own."""

    def __init__(
        self,
        config: TrainingConfig,
        given: dict[str, Dataset],
        cost_scale: float | None,
        recorder: Recorder,
    ) -> None:
        self._config = config
        self._given = given
        self._cost_scale = cost_scale
        self._recorder = recorder
        self._trainer: Trainer | None = None
        self._source: BatchSource | None = None

    def setup(self, trainer: Trainer, pl_module: LightningModule, stage: str) -> None:  # noqa: ARG002
        """Load graphs; Lightning calls this when processes and devices are settled."""
        assert isinstance(pl_module, TrainingModule)
        config = self._config
        device = trainer.strategy.root_device
        share = Share(trainer.global_rank, trainer.world_size)
        self._trainer = trainer
        self._source, scale = _training_graphs(
            self._given.get("train"), self._cost_scale, config, device, pl_module, share
        )
        pl_module.capacities = self._source.capacity
        validate = _validation(
            self._given.get("validation"), config, device, pl_module.network, scale
        )
        self._recorder.prepare(validate, _card(config, scale))

    def __iter__(self) -> Iterator[TrainingBatch]:
        """Yield batches from the step that training is at."""
        assert self._trainer is not None
        assert self._source is not None
        return self._source.batches(self._trainer.global_step)


def _training_graphs(
    given: Dataset | None,
    scale: float | None,
    config: TrainingConfig,
    device: torch.device,
    module: TrainingModule,
    share: Share,
) -> tuple[BatchSource, float]:
    """Return where batches come from, and the scale of costs: by default, that of their graphs."""
    need = module.needed_cycle_length
    if given is None and is_fresh(config.train):
        if config.loss == "bce" and not config.labels:
            raise ValueError(
                f"{config.train!r} has no labels; name a solver in labels, such as 'ilp', or set "
                f"loss = 'polynomial'"
            )
        draw = fresh_graphs(config.train, config.seed)
        scale = scale or mean_absolute_cost(draw(0, config.batch_size).arrays())
        label = labelled_by(config.labels) if config.labels else None
        own_scale = scale if config.scale_free else None
        return FreshGraphs(draw, label, own_scale, config.batch_size, device, need, share), scale
    graphs = named_graphs(config.train, "train") if given is None else given
    arrays = graphs[: config.num_train or None].arrays()
    if len(arrays.costs) == 0:
        raise ValueError("train must hold graphs with edges, got none; there is nothing to learn")
    scale = scale or mean_absolute_cost(arrays)
    if config.scale_free:
        arrays = with_cost_scale(arrays, scale)
    dataset = DeviceDataset(arrays, device)
    if config.loss == "bce" and not dataset.has_cuts:
        raise ValueError(
            "the training graphs have no labels; solve them first or set loss = 'polynomial'"
        )
    # What the last step needs is listed now: a graph with too many cycles must not come to light
    # hours later.
    if (max_length := need(config.num_steps - 1)) is not None:
        dataset.list_cycles(max_length)
    sampler = Sampler(dataset.num_graphs, config.batch_size, config.seed)
    return StoredGraphs(dataset, sampler, need, share), scale


def _validation(
    given: Dataset | None,
    config: TrainingConfig,
    device: torch.device,
    network: MulticutNetwork,
    scale: float,
) -> Callable[[], Evaluation] | None:
    if given is None and not config.validation:
        return None
    graphs = named_graphs(config.validation, "valid") if given is None else given
    arrays = graphs[: config.num_validation or None].arrays()
    if config.scale_free:
        arrays = with_cost_scale(arrays, scale)
    dataset = DeviceDataset(arrays, device)
    if not dataset.has_objectives:
        raise ValueError("the validation graphs have no labels; solve them first")
    dataset.list_cycles(config.max_cycle_length)

    def predict(batch: GraphBatch) -> torch.Tensor:
        logits: torch.Tensor = network(batch)
        return logits

    def validate() -> Evaluation:
        modes = {module: module.training for module in network.modules()}
        network.eval()
        result = evaluate(predict, dataset, max_cycle_length=config.max_cycle_length)
        for module, mode in modes.items():
            module.training = mode
        return result

    return validate


def _card(config: TrainingConfig, scale: float) -> dict[str, Any]:
    norm = "_bn" if config.network.batch_norm else ""
    ending = f", finetuned from {config.finetune}" if config.finetune else ""
    description = f"{config.network.architecture}{norm} trained on {config.train}{ending}"
    return {"description": description, **({"cost_scale": scale} if config.scale_free else {})}


@contextmanager
def _fast_products() -> Iterator[None]:
    """Let GPUs multiply single precision in TF32, as long as training lasts."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
