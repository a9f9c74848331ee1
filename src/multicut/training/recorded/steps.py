"""Training steps through recordings, where a batch fits into one."""

from __future__ import annotations

import logging
from collections.abc import Callable

import torch
from torch import Tensor, nn

from multicut.training.batches import TrainingBatch
from multicut.training.config import TrainingConfig
from multicut.training.losses import LOSSES
from multicut.training.recorded import cuda_graph
from multicut.training.recorded.capacity import Capacity
from multicut.training.recorded.fixed_size_batch import FixedSizeBatch

_LOGGER = logging.getLogger(__name__)

# Computes the loss of a batch, given the weight of cycles, adds its terms to the sums that are
# logged, and returns it with the names of these terms.
Losses = Callable[[TrainingBatch, Tensor | float], tuple[Tensor, tuple[str, ...]]]
# Tells the room that batches need, if it is known; with cycles up to a length.
Capacities = Callable[[int | None], Capacity | None]


def why_not_recorded(
    config: TrainingConfig, device: torch.device, world_size: int, source_has_capacity: bool
) -> str | None:
    """Return what keeps the steps of a run from being recorded; None if nothing does."""
    if config.cuda_graph == "off":
        return "cuda_graph is off"
    if device.type != "cuda":
        return f"{device.type} is no GPU"
    if world_size > 1:
        return "there are several processes"
    if config.precision != "32-true":
        return f"precision is {config.precision}"
    if not LOSSES.get(config.loss).can_be_recorded:
        return f"loss is {config.loss}"
    if not source_has_capacity:
        return "the sizes of fresh graphs are not known beforehand"
    return None


class PaddedStep:
    """One step on batches of fixed size: forward, loss, backward and update of the weights.

    Parameters
    ----------
    losses
        Computes the loss.
    network, optimizer
        What is trained. Only the optimizer's parameters get gradients.
    static
        Where batches are copied to.
    clip
        The greatest norm of the gradient; 0 for any.
    """

    def __init__(
        self,
        losses: Losses,
        network: nn.Module,
        optimizer: torch.optim.Optimizer,
        static: FixedSizeBatch,
        clip: float,
    ) -> None:
        self._losses = losses
        self._clip = clip
        self._parameters = [p for p in network.parameters() if p.requires_grad]
        self._optimizer = optimizer
        self._static = static
        self.terms: tuple[str, ...] = ()

    def __call__(self) -> Tensor:
        """Take a step with the batch that was copied last."""
        batch, cycle_weight = self._static.padded()
        with torch.enable_grad():
            loss, self.terms = self._losses(batch, cycle_weight)
            gradients = torch.autograd.grad(loss, self._parameters, allow_unused=True)
        for parameter, gradient in zip(self._parameters, gradients, strict=True):
            parameter.grad = gradient
        if self._clip:
            nn.utils.clip_grad_norm_(self._parameters, self._clip)
        self._optimizer.step()
        for parameter in self._parameters:
            parameter.grad = None
        return loss.detach()


class _Recorded:
    """A step for batches of one kind."""

    def __init__(self, capacity: Capacity, static: FixedSizeBatch) -> None:
        self.capacity = capacity
        self.static = static
        self.replay: cuda_graph.Step
        self.terms: tuple[str, ...] = ()


class RecordedSteps:
    """Takes training steps by recordings: one of batches with cycles, one of those without.

    Each is made when the first such batch comes. What does not fit, or cannot be recorded, is left
    to the caller.

    Parameters
    ----------
    losses
        Computes the loss.
    network, optimizer
        What is trained.
    sums
        What `losses` adds to; like weights, a recording must leave it as it was.
    capacities
        The room that batches need.
    max_cycle_length
        Up to which length batches have cycles, if they have.
    clip
        The greatest norm of the gradient; 0 for any.
    required
        Whether a step that cannot be recorded is an error. A batch that does not fit is none.
    """

    def __init__(
        self,
        losses: Losses,
        network: nn.Module,
        optimizer: torch.optim.Optimizer,
        sums: Tensor,
        capacities: Capacities,
        max_cycle_length: int,
        *,
        clip: float,
        required: bool = False,
    ) -> None:
        self._losses = losses
        self._clip = clip
        self._network = network
        self._optimizer = optimizer
        self._sums = sums
        self._capacities = capacities
        self._max_cycle_length = max_cycle_length
        self._required = required
        # By whether there are cycles; None where recording failed.
        self._recorded: dict[bool, _Recorded | None] = {}
        self._room: dict[bool, Capacity | None] = {}
        self.num_replayed = 0
        self.num_left = 0

    def step(self, batch: TrainingBatch, cycle_weight: float) -> tuple[str, ...] | None:
        """Take a step and return the names of its terms, or None and leave everything as it is."""
        with_cycles = batch.cycles is not None
        if with_cycles not in self._room:
            length = self._max_cycle_length if with_cycles else None
            self._room[with_cycles] = self._capacities(length)
        capacity = self._room[with_cycles]
        if capacity is None or not capacity.holds(batch.graphs, batch.cycles):
            self.num_left += 1
            return None
        if with_cycles not in self._recorded:
            self._recorded[with_cycles] = self._record(capacity, batch, cycle_weight)
        recorded = self._recorded[with_cycles]
        if recorded is None:
            self.num_left += 1
            return None
        recorded.static.fill(batch, cycle_weight)
        self.num_replayed += 1
        recorded.replay()
        return recorded.terms

    def _record(
        self, capacity: Capacity, batch: TrainingBatch, cycle_weight: float
    ) -> _Recorded | None:
        state = cuda_graph.TrainingState(self._network, self._optimizer, [self._sums])
        try:
            static = FixedSizeBatch(capacity, batch)
            static.fill(batch, cycle_weight)
            step = PaddedStep(self._losses, self._network, self._optimizer, static, self._clip)
            recorded = _Recorded(capacity, static)
            recorded.replay = cuda_graph.record(step, state, self._optimizer, batch.graphs.device)
            recorded.terms = step.terms
        except Exception as error:
            first = _first_of_all(error)
            message = str(first).strip().split("\n", 1)[0]
            cause = f"{type(first).__name__}: {message}"
            if self._required:
                raise RuntimeError(
                    f"cuda_graph is 'on', but recording a step failed with {cause}; set it to "
                    f"'auto' to train without it"
                ) from error
            _LOGGER.warning(
                "steps are launched kernel by kernel, which is slower: recording one as a CUDA "
                "graph failed with %s",
                cause,
            )
            _LOGGER.debug("where it failed", exc_info=True)
            state.restore()
            return None
        _LOGGER.info(
            "training step recorded as a CUDA graph, with room for %d nodes, %d edges, %s cycles",
            capacity.nodes,
            capacity.edges,
            capacity.cycles or "no",
        )
        return recorded


def _first_of_all(error: BaseException) -> BaseException:
    """Return what went wrong first: the end of a broken recording fails, too, and says less."""
    while error.__context__ is not None:
        error = error.__context__
    return error
