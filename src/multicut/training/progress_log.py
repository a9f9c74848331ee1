"""What happens beside the steps: curves, progress, validation, checkpoints, stopping."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from multicut.models import save_model
from multicut.training.checkpoint import save_checkpoint
from multicut.training.config import TrainingConfig
from multicut.training.curves import VALIDATION_COLUMNS, Curves
from multicut.training.evaluation import Evaluation
from multicut.training.learner import Learner

# Called with the instances seen so far and the newest values of the curves.
Progress = Callable[[int, dict[str, float]], None]


class ProgressLog:
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
    stopped_by
        ``"finished"``, ``"time limit"`` or ``"interrupt"``.
    last_validation
        The measures of the last validation, if there was one.
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
        self._curves: Curves | None = None
        self._best: float | None = None
        self._clock = 0.0
        self._steps_on_clock = 0
        self.stopped_by = "finished"
        self.last_validation: dict[str, Any] | None = None
        self._steps_timed = 0
        self._seconds_timed = 0.0

    def load_state_dict(self, content: dict[str, Any]) -> None:
        """Take up what a checkpoint kept."""
        # Where Lightning put it, in runs that began with it.
        state = content.get("callbacks", {}).get("Recorder", content["multicut"])
        # A checkpoint that was carried elsewhere may have come without the best model until then.
        has_model = (self._folder / "model.safetensors").exists()
        self._best = state["best"] if has_model else None
        self.last_validation = state["last_validation"]

    def start(
        self,
        curves: Curves | None,
        validate: Callable[[], Evaluation] | None,
        card: dict[str, Any],
    ) -> None:
        """Start the clock; from here on, steps are taken.

        Parameters
        ----------
        curves
            Where values go; None in all processes but the first.
        validate
            Measures the network on the validation graphs; None if there are none.
        card
            What the model's card says, without the results.
        """
        self._curves = curves
        self._validate = validate
        self._card = card
        self._clock = time.perf_counter()

    @property
    def instances_per_second(self) -> float | None:
        """Speed of this session's steps, validation and checkpoints not counted, if there were."""
        if not self._steps_timed:
            return None
        return self._steps_timed * self._config.batch_size / self._seconds_timed

    def after_step(self, learner: Learner) -> bool:
        """Log, validate and save where it is due; return whether training is over."""
        step = learner.steps_done
        self._steps_on_clock += 1
        is_last = step >= self._config.num_steps
        if step % self._log_steps == 0 or is_last:
            self._log(learner, step)
        stop = self._should_stop(learner, step)
        if step % self._validate_steps == 0 or is_last:
            self._run_validation(learner, step)
        if stop and self._best is None and learner.processes.is_first:
            self._save_model(learner, step)  # better an early model than none
        if step % self._checkpoint_steps == 0 or is_last or stop:
            self._save_checkpoint(learner)
        return stop or is_last

    def _log(self, learner: Learner, step: int) -> None:
        means = learner.take_means()  # waits for the device, so the clock is right
        seconds = time.perf_counter() - self._clock
        self._steps_timed += self._steps_on_clock
        self._seconds_timed += seconds
        row: dict[str, float] = {
            **means,
            "cycle_weight": learner.cycle_weight(step - 1),
            "learning_rate": learner.learning_rate(step - 1),
            "instances_per_second": self._steps_on_clock * self._config.batch_size / seconds,
        }
        if self._curves is not None:
            instances = step * self._config.batch_size
            self._curves.add("training", step, instances, row)
            if self._progress is not None:
                self._progress(instances, row)
        self._steps_on_clock = 0
        self._clock = time.perf_counter()

    def _run_validation(self, learner: Learner, step: int) -> None:
        started = time.perf_counter()
        if learner.processes.is_first:
            # Without validation graphs, the newest network is the best there is.
            score = -1.0
            if self._validate is not None:
                self.last_validation = self._validate().to_dict()
                score = self.last_validation["objective_ratio"]
                self._log_validation(step, self.last_validation)
            if self._best is None or score >= self._best:
                self._best = score
                self._save_model(learner, step)
        learner.processes.wait()
        # Time for validation is not time for training.
        self._clock += time.perf_counter() - started

    def _log_validation(self, step: int, measures: dict[str, Any]) -> None:
        assert self._curves is not None
        instances = step * self._config.batch_size
        values = {name: measures[name] for name in VALIDATION_COLUMNS if name in measures}
        self._curves.add("validation", step, instances, values)
        if self._progress is not None:
            self._progress(instances, {"objective_ratio": measures["objective_ratio"]})

    def _save_model(self, learner: Learner, step: int) -> None:
        trained = {**self._config.to_dict(), "instances": step * self._config.batch_size}
        del trained["network"], trained["output"]  # the card has the one, and nobody the other
        card = {**self._card, "training": trained, "validation": self.last_validation}
        save_model(learner.network, self._folder / "model", card)

    def _should_stop(self, learner: Learner, step: int) -> bool:
        if learner.processes.world_size > 1 and step % self._log_steps != 0:
            return False  # processes must agree, and asking is not free
        stop = self.interrupted.is_set()
        reason = "interrupt"
        if not stop and self._deadline is not None and time.monotonic() >= self._deadline:
            stop, reason = True, "time limit"
        stop = learner.processes.any(stop)
        if stop and step < self._config.num_steps:
            self.stopped_by = reason
        return stop

    def _save_checkpoint(self, learner: Learner) -> None:
        content = learner.state_dict()  # asks all processes
        content["multicut"] |= {"best": self._best, "last_validation": self.last_validation}
        if learner.processes.is_first:
            save_checkpoint(self._folder, content)
        learner.processes.wait()
