"""The losses that a run may be trained with, by name: what each needs and how it is computed."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
import torch
from torch import Tensor

from multicut._registry import Registry
from multicut.nn.batch import GraphBatch
from multicut.nn.losses import (
    binary_cross_entropy,
    cycle_consistency,
    decision_loss,
    polynomial_program,
)
from multicut.nn.search.random_contraction import contract_at_random
from multicut.training.batches import TrainingBatch
from multicut.training.schedule import Ramp

if TYPE_CHECKING:
    from multicut.training.config import TrainingConfig

TERMS = ("loss", "bce", "ccl", "objective")
"""What a loss may consist of; ``"loss"`` is what is minimised."""

# Returns one logit per edge.
Predict = Callable[[GraphBatch], Tensor]
# Returns the random numbers of a step.
Draw = Callable[[], np.random.Generator]


@dataclass(frozen=True)
class Loss(ABC):
    """What a network is trained to make small.

    Attributes
    ----------
    name
        What a configuration calls it.
    own_settings
        Settings of a configuration that mean something with this loss alone.
    needs_labels
        Whether graphs need known solutions.
    can_be_recorded
        Whether it is the same sequence of kernels for all batches of one size.
    """

    name: ClassVar[str]
    own_settings: ClassVar[tuple[str, ...]] = ()
    needs_labels: ClassVar[bool] = True
    can_be_recorded: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def from_config(cls, config: TrainingConfig) -> Self:
        """Take what concerns it from the settings of a run."""

    def cycle_weight(self, instances: int) -> float:  # noqa: ARG002
        """Return what cycles count in a step before which so many instances were seen."""
        return 0.0

    def cycle_length(self, instances: int) -> int | None:  # noqa: ARG002
        """Return up to which length such a step needs chordless cycles; None if it needs none."""
        return None

    @abstractmethod
    def __call__(
        self, predict: Predict, batch: TrainingBatch, cycle_weight: float | Tensor, draw: Draw
    ) -> dict[str, Tensor]:
        """Return this process's part of the loss and of the terms that it consists of.

        Parts are divided by sizes of the whole batch, so that those of all processes add up.

        Parameters
        ----------
        predict
            The network.
        batch
            The graphs of this process, with cycles if :meth:`cycle_length` asks for them.
        cycle_weight
            What :meth:`cycle_weight` says, on the device in recorded steps.
        draw
            Returns random numbers that depend on the step and the process alone.
        """


@dataclass(frozen=True)
class CrossEntropy(Loss):
    """Cross entropy to the optimal solutions, plus α times cycle consistency (Eq. 9)."""

    name: ClassVar[str] = "bce"
    can_be_recorded: ClassVar[bool] = True

    alpha: Ramp
    max_cycle_length: int
    ccl_reduction: str = "graph"
    ccl_edges: str = "cut"

    @classmethod
    def from_config(cls, config: TrainingConfig) -> Self:
        """Take α, its course and what it refers to."""
        alpha = Ramp(0.0, config.alpha, config.alpha_start, config.alpha_ramp)
        return cls(alpha, config.max_cycle_length, config.ccl_reduction, config.ccl_edges)

    def cycle_weight(self, instances: int) -> float:
        """Return α."""
        return self.alpha.at(instances)

    def cycle_length(self, instances: int) -> int | None:
        """Return the longest cycle that counts, once α is positive."""
        return self.max_cycle_length if self.alpha.at(instances) > 0 else None

    def __call__(
        self,
        predict: Predict,
        batch: TrainingBatch,
        cycle_weight: float | Tensor,
        draw: Draw,  # noqa: ARG002
    ) -> dict[str, Tensor]:
        """Return the loss, cross entropy and, if the batch has cycles, their consistency."""
        logits = predict(batch.graphs)
        bce = binary_cross_entropy(logits, batch.graphs, reduction="sum") / batch.num_edges
        if batch.cycles is None:
            return {"loss": bce, "bce": bce}
        ccl = cycle_consistency(
            torch.sigmoid(logits.float()),
            batch.graphs,
            batch.cycles,
            threshold=0.0 if self.ccl_edges == "all" else 0.5,
            rounded=self.ccl_edges == "rounded",
            per_length=self.ccl_reduction == "length",
            reduction="sum",
        )
        # What α refers to.
        ccl = ccl / (batch.num_edges if self.ccl_reduction == "edge" else batch.num_graphs)
        return {"loss": bce + cycle_weight * ccl, "bce": bce, "ccl": ccl}


@dataclass(frozen=True)
class PolynomialProgram(Loss):
    """The program of Eq. 3, in units of each graph's costs; it needs no labels."""

    name: ClassVar[str] = "polynomial"
    needs_labels: ClassVar[bool] = False

    penalty: Ramp
    max_cycle_length: int

    @classmethod
    def from_config(cls, config: TrainingConfig) -> Self:
        """Take the price of a violated cycle and its course."""
        penalty = Ramp(
            config.initial_penalty, config.penalty, config.penalty_start, config.penalty_ramp
        )
        return cls(penalty, config.max_cycle_length)

    def cycle_weight(self, instances: int) -> float:
        """Return the price of a violated cycle."""
        return self.penalty.at(instances)

    def cycle_length(self, instances: int) -> int | None:  # noqa: ARG002
        """Return the longest cycle that counts."""
        return self.max_cycle_length

    def __call__(
        self,
        predict: Predict,
        batch: TrainingBatch,
        cycle_weight: float | Tensor,
        draw: Draw,  # noqa: ARG002
    ) -> dict[str, Tensor]:
        """Return the objective, which is the loss."""
        assert batch.cycles is not None
        logits = predict(batch.graphs)
        objective = polynomial_program(
            torch.sigmoid(logits.float()),
            batch.graphs,
            batch.cycles,
            cycle_weight,
            normalise=True,
            reduction="sum",
        )
        objective = objective / batch.num_graphs
        return {"loss": objective, "objective": objective}


@dataclass(frozen=True)
class Decisions(Loss):
    """Cross entropy in which costly edges count more, of graphs at a random stage of a solve."""

    name: ClassVar[str] = "decisions"
    own_settings: ClassVar[tuple[str, ...]] = ("cost_exponent", "contracted")

    cost_exponent: float = 0.0
    contracted: float = 0.0

    @classmethod
    def from_config(cls, config: TrainingConfig) -> Self:
        """Take how much costs count and how many batches are contracted."""
        return cls(config.cost_exponent, config.contracted)

    def __call__(
        self,
        predict: Predict,
        batch: TrainingBatch,
        cycle_weight: float | Tensor,  # noqa: ARG002
        draw: Draw,
    ) -> dict[str, Tensor]:
        """Return the loss; a share of batches is contracted first."""
        graphs = batch.graphs
        random = draw()
        if random.random() < self.contracted:  # nosec B311
            generator = torch.Generator(graphs.device).manual_seed(int(random.integers(2**63)))
            graphs = contract_at_random(graphs, generator)
        total = decision_loss(predict(graphs), graphs, cost_exponent=self.cost_exponent)
        # Near 1 for graphs of equal size, before contraction, and the same in all processes.
        return {"loss": total / math.sqrt(batch.num_graphs * batch.num_edges)}


LOSSES: Registry[type[Loss]] = Registry("loss", (CrossEntropy, Decisions, PolynomialProgram))
