"""A network that learns: one training step after another."""

from __future__ import annotations

import logging
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from multicut.nn.model import Network
from multicut.training.batches import TrainingBatch
from multicut.training.config import TrainingConfig
from multicut.training.finetuning import freeze, keep_frozen_still
from multicut.training.losses import LOSSES, TERMS
from multicut.training.processes import Processes
from multicut.training.recorded.steps import Capacities, RecordedSteps, why_not_recorded
from multicut.training.sampler import stage_rng
from multicut.training.schedule import LearningRate

_LOGGER = logging.getLogger(__name__)


class Learner:
    """A network with its loss and its optimizer.

    Losses are summed up on the device and read only when they are logged, so that no step waits for
    the device.

    Parameters
    ----------
    network
        The network; it is brought to the device.
    config
        The settings of the run.
    processes
        Which part of each batch this process computes, and where.

    Attributes
    ----------
    steps_done
        How many steps the network has taken, in all sessions together.
    sums
        Shape (terms,): the terms of the loss, summed over steps since they were last read.
    counts
        How many steps each sum is over; terms that were not computed are not in it.
    """

    def __init__(self, network: Network, config: TrainingConfig, processes: Processes) -> None:
        self.config = config
        self.processes = processes
        self.device = processes.device
        self.loss = LOSSES.get(config.loss).from_config(config)
        self.steps_done = 0
        self.sums = torch.zeros(len(TERMS), device=self.device)
        self.counts: dict[str, int] = {}
        self._rate = LearningRate(
            config.learning_rate,
            config.warm_up,
            config.num_steps * config.batch_size,
            decays=config.decay == "cosine",
        )
        freeze(network, config.freeze)
        self.network = network.to(self.device)
        keep_frozen_still(network, config.freeze)
        if processes.world_size > 1 and self.device.type == "cuda":
            # Normalise over the batches of all processes.
            nn.SyncBatchNorm.convert_sync_batchnorm(network)  # type: ignore[no-untyped-call]
        self._trained = [p for p in network.parameters() if p.requires_grad]
        self._optimizer = torch.optim.Adam(
            self._trained,
            lr=self.learning_rate(0),
            weight_decay=config.weight_decay,
            betas=(0.9, 0.999),
            fused=self.device.type == "cuda",
        )
        half = {"bf16-mixed": torch.bfloat16, "16-mixed": torch.float16}.get(config.precision)
        if half is torch.float16 and self.device.type == "cpu":
            half = torch.bfloat16  # a CPU has no other
        self._half = half
        self._scaler = torch.amp.GradScaler(self.device.type, enabled=half is torch.float16)
        self._recorded: RecordedSteps | None = None

    def learning_rate(self, step: int) -> float:
        """Return the learning rate of a step."""
        return self._rate.at(step * self.config.batch_size)

    def cycle_weight(self, step: int) -> float:
        """Return what cycles count in a step."""
        return self.loss.cycle_weight(step * self.config.batch_size)

    def needed_cycle_length(self, step: int) -> int | None:
        """Return up to which length a step needs chordless cycles, if at all."""
        return self.loss.cycle_length(step * self.config.batch_size)

    def prepare_steps(self, capacities: Capacities) -> None:
        """Record steps from here on, if they can be recorded.

        Parameters
        ----------
        capacities
            Tells what room batches need, if that is known.
        """
        config = self.config
        known = capacities(None) is not None
        obstacle = why_not_recorded(config, self.device, self.processes.world_size, known)
        if obstacle is not None and config.cuda_graph == "on":
            raise ValueError(
                f"cuda_graph is 'on', but steps cannot be recorded: {obstacle}; set it to 'auto'"
            )
        if obstacle is None:
            self._recorded = RecordedSteps(
                self._summed_losses,
                self.network,
                self._optimizer,
                self.sums,
                capacities,
                config.max_cycle_length,
                clip=config.clip,
                required=config.cuda_graph == "on",
            )
        elif self.device.type == "cuda":  # elsewhere, nobody expects recordings
            _LOGGER.info("training steps are launched kernel by kernel: %s", obstacle)
        self._settle_optimizer()

    def _settle_optimizer(self) -> None:
        """Let the optimizer compute as is best here; a checkpoint brings what was best elsewhere.

        A recording reads the learning rate from the device: a number would be recorded with it,
        and never change again.
        """
        rate = self.learning_rate(self.steps_done)
        on_gpu = self.device.type == "cuda"
        for group in self._optimizer.param_groups:
            recorded = self._recorded is not None
            group["lr"] = torch.tensor(rate, device=self.device) if recorded else rate
            group["fused"] = on_gpu
        for state in self._optimizer.state.values():
            # Fused kernels count on the device, others in main memory.
            state["step"] = state["step"].to(self.device if on_gpu else "cpu")

    def take_step(self, batch: TrainingBatch) -> None:
        """Learn from one batch."""
        self._set_learning_rate()
        cycle_weight = self.cycle_weight(self.steps_done)
        terms = None if self._recorded is None else self._recorded.step(batch, cycle_weight)
        if terms is None:
            terms = self._plain_step(batch, cycle_weight)
        for name in terms:
            self.counts[name] = self.counts.get(name, 0) + 1
        self.steps_done += 1

    def _set_learning_rate(self) -> None:
        rate = self.learning_rate(self.steps_done)
        for group in self._optimizer.param_groups:
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate)  # recorded steps read it from there
            else:
                group["lr"] = rate

    def _plain_step(self, batch: TrainingBatch, cycle_weight: float) -> tuple[str, ...]:
        enabled = self._half is not None
        # Weights that were cast once for several uses would get their gradients in half precision.
        with torch.autocast(self.device.type, self._half, enabled, cache_enabled=False):
            loss, terms = self._summed_losses(batch, cycle_weight)
        self._optimizer.zero_grad()
        self._scaler.scale(loss).backward()  # type: ignore[no-untyped-call]
        self.processes.sum_gradients(self._trained)
        if self.config.clip:
            self._scaler.unscale_(self._optimizer)
            nn.utils.clip_grad_norm_(self._trained, self.config.clip)
        self._scaler.step(self._optimizer)
        self._scaler.update()
        return terms

    def _summed_losses(
        self, batch: TrainingBatch, cycle_weight: float | Tensor
    ) -> tuple[Tensor, tuple[str, ...]]:
        """Return this process's part of the loss; its terms, whose names come back, are summed."""
        # By step and process, so that a run that is resumed draws what it would have drawn.
        draw = partial(stage_rng, self.config.seed, self.steps_done, self.processes.rank)
        terms = self.loss(self.network, batch, cycle_weight, draw)
        loss = terms["loss"]
        self.sums += torch.stack([terms.get(name, loss.new_zeros(())) for name in TERMS]).detach()
        return loss, tuple(terms)

    def take_means(self) -> dict[str, float]:
        """Return the mean of each term since the last call, over all processes, and start anew."""
        # Processes divide by the size of the whole batch, so their parts add up.
        sums = self.processes.sum(self.sums)
        means = {
            name: total / self.counts[name]
            for name, total in zip(TERMS, sums.tolist(), strict=True)
            if name in self.counts
        }
        self.sums.zero_()
        self.counts = {}
        return means

    def state_dict(self) -> dict[str, Any]:
        """Return what a checkpoint keeps; all processes have to call it.

        The keys are those that Lightning gives them, so that runs which began with it go on.
        """
        on_gpu = self.device.type == "cuda"
        return {
            "global_step": self.steps_done,
            "state_dict": {
                f"network.{name}": value for name, value in self.network.state_dict().items()
            },
            "optimizer_states": [self._optimizer.state_dict()],
            "scaler": self._scaler.state_dict(),
            "multicut": {
                "config": self.config.to_dict(),
                "network": self.network.config.to_dict(),
                # The checkpoint is the first process's, but each has summed up its own part.
                "sums": self.processes.sum(self.sums).tolist(),
                "counts": dict(self.counts),
                "random_state": torch.get_rng_state(),
                "device_random_state": torch.cuda.get_rng_state(self.device) if on_gpu else None,
            },
        }

    def load_state_dict(self, content: dict[str, Any]) -> None:
        """Go on where a checkpoint was written."""
        state = content["multicut"]
        self.steps_done = int(content["global_step"])
        self.network.load_state_dict(
            {name.removeprefix("network."): v for name, v in content["state_dict"].items()}
        )
        self._optimizer.load_state_dict(content["optimizer_states"][0])
        if content.get("scaler"):
            self._scaler.load_state_dict(content["scaler"])
        self.sums.copy_(torch.tensor(state["sums"]) / self.processes.world_size)
        self.counts = dict(state["counts"])
        torch.set_rng_state(state["random_state"])
        if state["device_random_state"] is not None and self.device.type == "cuda":
            torch.cuda.set_rng_state(state["device_random_state"], self.device)
