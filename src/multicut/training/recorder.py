"""What happens beside the steps: curves, progress, validation, checkpoints, stopping."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from multicut.models import save_model
from multicut.training._lightning import Callback, LightningModule, Trainer
from multicut.training.config import TrainingConfig
from multicut.training.curves import TRAINING_COLUMNS, VALIDATION_COLUMNS, Curve
from multicut.training.evaluation import Evaluation
from multicut.training.module import TrainingModule

# Called with the instances seen so far and the newest values of the curves.
Progress = Callable[[int, dict[str, float]], None]


class Recorder(Callback):
    """Acts after steps whose number the configuration names; nothing depends on the clock.

    Parameters
    ----------
    config
        The settings of the run.
    folder
        Where curves, checkpoints and the model go.
    time_limit
        Stop, with a checkpoint, after so many seconds.
    progress
        Told how far training is.

    Attributes
    ----------
    interrupted
        Once it is set, training stops after the step, with a checkpoint.
    """

    def __init__(
        self,
        config: TrainingConfig,
        folder: Path,
        time_limit: float | None,
        progress: Progress | None,
    ) -> None:
        self._config = config
        self._folder = folder
        self._validate: Callable[[], Evaluation] | None = None
        self._card: dict[str, Any] = {}
        self._deadline = None if time_limit is None else time.monotonic() + time_limit
        self._progress = progress
        self.interrupted = threading.Event()
        self._log_steps = config.steps(config.log_every)
        self._checkpoint_steps = config.steps(config.checkpoint_every)
        self._validate_steps = config.steps(config.validate_every) or config.num_steps
        self._curves: tuple[Curve, Curve] | None = None
        self._best: float | None = None
        self._clock = 0.0
        self._steps_on_clock = 0
        self._saved_step = -1
        self.stopped_by = "finished"
        self.last_validation: dict[str, Any] | None = None
        self.steps_timed = 0
        self.seconds_timed = 0.0

    def prepare(self, validate: Callable[[], Evaluation] | None, card: dict[str, Any]) -> None:
        """Tell what is known only once the device is.

        Parameters
        ----------
        validate
            Measures the network on the validation graphs; None if there are none.
        card
            What the model's card says, without the results.
        """
        self._validate = validate
        self._card = card

    def state_dict(self) -> dict[str, Any]:
        """Return what a checkpoint keeps of this."""
        return {"best": self._best, "last_validation": self.last_validation}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take up what a checkpoint kept."""
        self._best = state_dict["best"]
        self.last_validation = state_dict["last_validation"]

    def on_train_start(self, trainer: Trainer, _module: LightningModule) -> None:
        """Open the curves, without what was written after the checkpoint."""
        if trainer.is_global_zero:
            step = trainer.global_step
            self._curves = (
                Curve(self._folder / "training.csv", TRAINING_COLUMNS, step),
                Curve(self._folder / "validation.csv", VALIDATION_COLUMNS, step),
            )
        self._clock = time.perf_counter()

    def on_train_batch_end(self, trainer: Trainer, module: LightningModule, *_: Any) -> None:
        """Log, validate and save where it is due; stop where it is time."""
        assert isinstance(module, TrainingModule)
        step = trainer.global_step
        self._steps_on_clock += 1
        is_last = step >= self._config.num_steps
        if step % self._log_steps == 0 or is_last:
            self._log(trainer, module, step)
        stop = self._should_stop(trainer, step)
        if step % self._validate_steps == 0 or is_last:
            self._run_validation(trainer, module, step)
        if stop and self._best is None and trainer.is_global_zero:
            self._save_model(module, step)  # better an early model than none
        if step % self._checkpoint_steps == 0 or is_last or stop:
            self._save_checkpoint(trainer)
        if stop and not is_last:
            trainer.should_stop = True

    def _log(self, trainer: Trainer, module: TrainingModule, step: int) -> None:
        means = module.take_means()  # waits for the device, so the clock is right
        seconds = time.perf_counter() - self._clock
        speed = self._steps_on_clock * self._config.batch_size / seconds
        self.steps_timed += self._steps_on_clock
        self.seconds_timed += seconds
        instances = step * self._config.batch_size
        row: dict[str, float] = {
            **means,
            "cycle_weight": module.cycle_weight(step - 1),
            "learning_rate": module.learning_rate(step - 1),
            "instances_per_second": speed,
        }
        if self._curves is not None:
            self._curves[0].append({"step": step, "instances": instances, **row})
            _log_metrics(
                trainer, {f"training/{key}": value for key, value in row.items()}, instances
            )
            if self._progress is not None:
                self._progress(instances, row)
        self._steps_on_clock = 0
        self._clock = time.perf_counter()

    def _run_validation(self, trainer: Trainer, module: TrainingModule, step: int) -> None:
        started = time.perf_counter()
        if trainer.is_global_zero:
            # Without validation graphs, the newest network is the best there is.
            score = -1.0
            if self._validate is not None:
                self.last_validation = self._validate().to_dict()
                score = self.last_validation["objective_ratio"]
                self._log_validation(trainer, step, self.last_validation)
            if self._best is None or score >= self._best:
                self._best = score
                self._save_model(module, step)
        trainer.strategy.barrier()
        # Time for validation is not time for training.
        self._clock += time.perf_counter() - started

    def _log_validation(self, trainer: Trainer, step: int, measures: dict[str, Any]) -> None:
        assert self._curves is not None
        instances = step * self._config.batch_size
        values = {name: measures[name] for name in VALIDATION_COLUMNS if name in measures}
        self._curves[1].append({"step": step, "instances": instances, **values})
        known = {name: value for name, value in values.items() if value is not None}
        _log_metrics(trainer, {f"validation/{k}": v for k, v in known.items()}, instances)
        if self._progress is not None:
            self._progress(instances, {"objective_ratio": known["objective_ratio"]})

    def _save_model(self, module: TrainingModule, step: int) -> None:
        trained = {**self._config.to_dict(), "instances": step * self._config.batch_size}
        del trained["network"], trained["output"]  # the card has the one, and nobody the other
        card = {**self._card, "training": trained, "validation": self.last_validation}
        save_model(module.network, self._folder / "model", card)

    def _should_stop(self, trainer: Trainer, step: int) -> bool:
        if trainer.world_size > 1 and step % self._log_steps != 0:
            return False  # processes must agree, and asking is not free
        stop = self.interrupted.is_set()
        reason = "interrupt"
        if not stop and self._deadline is not None and time.monotonic() >= self._deadline:
            stop, reason = True, "time limit"
        if trainer.world_size > 1:
            stop = trainer.strategy.reduce_boolean_decision(stop, all=False)
        if stop and step < self._config.num_steps:
            self.stopped_by = reason
        return stop

    def _save_checkpoint(self, trainer: Trainer) -> None:
        """Write a checkpoint, at once or not at all, however training is killed."""
        if trainer.global_step == self._saved_step:
            return
        partial = self._folder / "last.ckpt.partial"
        trainer.save_checkpoint(partial)
        if trainer.is_global_zero:
            partial.replace(self._folder / "last.ckpt")
        self._saved_step = trainer.global_step


def _log_metrics(trainer: Trainer, metrics: dict[str, float], instances: int) -> None:
    for logger in trainer.loggers:
        logger.log_metrics(metrics, step=instances)
