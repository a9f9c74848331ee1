"""One training step, as Lightning wants it."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from multicut.nn.losses import (
    binary_cross_entropy,
    cycle_consistency,
    decision_loss,
    polynomial_program,
)
from multicut.nn.model import Network
from multicut.nn.search.random_contraction import contract_at_random
from multicut.training._lightning import LightningModule
from multicut.training.batches import TrainingBatch
from multicut.training.config import TrainingConfig
from multicut.training.finetuning import freeze, keep_frozen_still
from multicut.training.graphed_step import Capacities, GraphedSteps, why_not_recorded
from multicut.training.sampler import stage_rng
from multicut.training.schedule import LearningRate, Ramp

TERMS = ("loss", "bce", "ccl", "objective")
CHECKPOINT_KEY = "multicut"

_LOGGER = logging.getLogger(__name__)


class TrainingModule(LightningModule):
    """A network and the loss it is trained with.

    Losses are summed up on the device and read only when they are logged, so that no step waits for
    the device.

    Parameters
    ----------
    network
        The network.
    config
        The settings of the run.
    """

    def __init__(self, network: Network, config: TrainingConfig) -> None:
        super().__init__()
        self.network = network
        self.config = config
        self._alpha = Ramp(0.0, config.alpha, config.alpha_start, config.alpha_ramp)
        self._penalty = Ramp(
            config.initial_penalty, config.penalty, config.penalty_start, config.penalty_ramp
        )
        self._rate = LearningRate(
            config.learning_rate,
            config.warm_up,
            config.num_steps * config.batch_size,
            decays=config.decay == "cosine",
        )
        freeze(network, config.freeze)
        # No buffer of the module: those of the first process overwrite those of the others.
        self.sums = torch.zeros(len(TERMS))
        # How many steps each sum is over; terms that were not computed are not in it.
        self.counts: dict[str, int] = {}
        # What room batches need; without it, steps are not recorded.
        self.capacities: Capacities | None = None
        self.graphed: GraphedSteps | None = None
        self._step_was_replayed = False

    def needed_cycle_length(self, step: int) -> int | None:
        """Return up to which length a step needs chordless cycles, if at all."""
        if self.config.loss == "polynomial" or (self.config.loss == "bce" and self.alpha(step) > 0):
            return self.config.max_cycle_length
        return None

    def learning_rate(self, step: int) -> float:
        """Return the learning rate of a step."""
        return self._rate.at(step * self.config.batch_size)

    def alpha(self, step: int) -> float:
        """Return the weight of cycle consistency in a step."""
        return self._alpha.at(step * self.config.batch_size)

    def penalty(self, step: int) -> float:
        """Return the price of a violated cycle in a step of the polynomial program."""
        return self._penalty.at(step * self.config.batch_size)

    def cycle_weight(self, step: int) -> float:
        """Return whichever of the two this run uses, if any."""
        if self.config.loss == "decisions":
            return 0.0
        return self.penalty(step) if self.config.loss == "polynomial" else self.alpha(step)

    def on_train_batch_start(self, _batch: TrainingBatch, _batch_idx: int) -> None:
        """Set the learning rate, a function of the step alone."""
        rate = self.learning_rate(self.trainer.global_step)
        for group in self.trainer.optimizers[0].param_groups:
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate)  # recorded steps read it from there
            else:
                group["lr"] = rate

    def training_step(self, batch: TrainingBatch, _batch_idx: int) -> Tensor:
        """Return the loss of this process's share, such that the mean over processes is right.

        Where steps are recorded, this is the whole step, and the loss has no gradient.
        """
        cycle_weight = self.cycle_weight(self.trainer.global_step)
        replayed = None if self.graphed is None else self.graphed.step(batch, cycle_weight)
        self._step_was_replayed = replayed is not None
        if replayed is not None:
            self._count(replayed.terms)
            return replayed.loss
        loss, terms = self._summed_losses(batch, cycle_weight)
        self._count(terms)
        return loss * self.trainer.world_size

    def _count(self, terms: tuple[str, ...]) -> None:
        for name in terms:
            self.counts[name] = self.counts.get(name, 0) + 1

    def _summed_losses(
        self, batch: TrainingBatch, cycle_weight: float | Tensor
    ) -> tuple[Tensor, tuple[str, ...]]:
        """Return this process's part of the loss; its terms, whose names come back, are summed."""
        if self.config.loss == "decisions":
            loss = self._decision_loss(batch)
            terms = {"loss": loss}
        else:
            loss, terms = self._losses(self.network(batch.graphs), batch, cycle_weight)
        self.sums += torch.stack([terms.get(name, loss.new_zeros(())) for name in TERMS]).detach()
        return loss, tuple(terms)

    def _decision_loss(self, batch: TrainingBatch) -> Tensor:
        """Return this process's part of the loss of graphs at a random stage of a solve."""
        graphs = batch.graphs
        # By step and process, so that a run that is resumed draws what it would have drawn.
        rng = stage_rng(self.config.seed, self.trainer.global_step, self.trainer.global_rank)
        if rng.random() < self.config.contracted:
            generator = torch.Generator(self.device).manual_seed(int(rng.integers(2**63)))
            graphs = contract_at_random(graphs, generator)
        total = decision_loss(self.network(graphs), graphs, cost_exponent=self.config.cost_exponent)
        # Near 1 for graphs of equal size, before contraction, and the same in all processes.
        return total / math.sqrt(batch.num_graphs * batch.num_edges)

    def _losses(
        self, logits: Tensor, batch: TrainingBatch, cycle_weight: float | Tensor
    ) -> tuple[Tensor, dict[str, Tensor]]:
        """Return this process's part of the loss, and of each of its terms."""
        if self.config.loss == "polynomial":
            assert batch.cycles is not None
            loss = polynomial_program(
                torch.sigmoid(logits.float()),
                batch.graphs,
                batch.cycles,
                cycle_weight,
                normalise=True,
                reduction="sum",
            )
            loss = loss / batch.num_graphs
            return loss, {"loss": loss, "objective": loss}
        bce = binary_cross_entropy(logits, batch.graphs, reduction="sum") / batch.num_edges
        if batch.cycles is None:
            return bce, {"loss": bce, "bce": bce}
        ccl = self._cycle_unit(batch) * cycle_consistency(
            torch.sigmoid(logits.float()), batch.graphs, batch.cycles, reduction="sum"
        )
        ccl = ccl / batch.num_graphs
        loss = bce + cycle_weight * ccl
        return loss, {"loss": loss, "bce": bce, "ccl": ccl}

    def _cycle_unit(self, batch: TrainingBatch) -> float | Tensor:
        """Return what turns a mean over graphs into what `alpha` refers to."""
        if self.config.ccl_reduction == "graph":
            return 1.0
        return batch.num_graphs / batch.num_edges

    def take_means(self) -> dict[str, float]:
        """Return the mean of each term since the last call, over all processes, and start anew."""
        # Processes divide by the size of the whole batch, so their parts add up.
        sums: Tensor = self.trainer.strategy.reduce(self.sums.clone(), reduce_op="sum")
        means = {
            name: total / self.counts[name]
            for name, total in zip(TERMS, sums.tolist(), strict=True)
            if name in self.counts
        }
        self.sums.zero_()
        self.counts = {}
        return means

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Return Adam as in the paper."""
        trained = [p for p in self.network.parameters() if p.requires_grad]
        return torch.optim.Adam(
            trained,
            lr=self.learning_rate(0),
            weight_decay=self.config.weight_decay,
            betas=(0.9, 0.999),
            fused=self.device.type == "cuda",
        )

    def on_train_start(self) -> None:
        """Bring sums to the device, and layers that are not trained into evaluation mode."""
        self.sums = self.sums.to(self.device)
        keep_frozen_still(self.network, self.config.freeze)
        self.graphed = self._recorded_steps()
        self._settle_optimizer()

    def _recorded_steps(self) -> GraphedSteps | None:
        """Return what records steps, if they can be recorded."""
        config, capacities = self.config, self.capacities
        known = capacities is not None and capacities(None) is not None
        obstacle = why_not_recorded(config, self.device, self.trainer.world_size, known)
        if obstacle is not None and config.cuda_graph == "on":
            raise ValueError(
                f"cuda_graph is 'on', but steps cannot be recorded: {obstacle}; set it to 'auto'"
            )
        if obstacle is not None or capacities is None:
            # Elsewhere, nobody expects recordings.
            if self.device.type == "cuda":
                _LOGGER.info("training steps are launched kernel by kernel: %s", obstacle)
            return None
        return GraphedSteps(
            self._summed_losses,
            self.network,
            self.trainer.optimizers[0],
            self.sums,
            capacities,
            config.max_cycle_length,
            required=config.cuda_graph == "on",
        )

    def _settle_optimizer(self) -> None:
        """Let the optimizer compute as is best here; a checkpoint brings what was best elsewhere.

        A recording reads the learning rate from the device: a number would be recorded with it,
        and never change again.
        """
        optimizer = self.trainer.optimizers[0]
        rate = self.learning_rate(self.trainer.global_step)
        on_gpu = self.device.type == "cuda"
        for group in optimizer.param_groups:
            recorded = self.graphed is not None
            group["lr"] = torch.tensor(rate, device=self.device) if recorded else rate
            group["fused"] = on_gpu
        for state in optimizer.state.values():
            # Fused kernels count on the device, others in main memory.
            state["step"] = state["step"].to(self.device if on_gpu else "cpu")

    def backward(self, loss: Tensor, *arguments: Any, **options: Any) -> None:
        """Compute gradients, unless the step was a recording that did."""
        if not self._step_was_replayed:
            super().backward(loss, *arguments, **options)

    def optimizer_step(
        self,
        epoch: int,
        batch_idx: int,
        optimizer: Any,
        optimizer_closure: Callable[[], Any] | None = None,
    ) -> None:
        """Update weights, unless the step was a recording that did."""
        if self.graphed is None or optimizer_closure is None:
            super().optimizer_step(epoch, batch_idx, optimizer, optimizer_closure)
            return
        optimizer_closure()
        if not self._step_was_replayed:
            optimizer.step()

    def transfer_batch_to_device(
        self, batch: TrainingBatch, _device: torch.device, _dataloader_idx: int
    ) -> TrainingBatch:
        """Leave the batch where it is: it was put together on the device."""
        return batch

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Add what is needed to rebuild the network and to go on as if nothing had happened."""
        checkpoint[CHECKPOINT_KEY] = {
            "config": self.config.to_dict(),
            "network": self.network.config.to_dict(),
            # The checkpoint is the first process's, but each has summed up its own part.
            "sums": self.trainer.strategy.reduce(self.sums.clone(), reduce_op="sum").tolist(),
            "counts": dict(self.counts),
            "random_state": torch.get_rng_state(),
            "device_random_state": torch.cuda.get_rng_state(self.device)
            if self.device.type == "cuda"
            else None,
        }

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Take up the sums and the random numbers where they were left."""
        state = checkpoint[CHECKPOINT_KEY]
        self.sums = torch.tensor(state["sums"]) / self.trainer.world_size
        self.counts = dict(state["counts"])
        torch.set_rng_state(state["random_state"].cpu())
        if state["device_random_state"] is not None and self.device.type == "cuda":
            torch.cuda.set_rng_state(state["device_random_state"].cpu(), self.device)
