"""A network on many graphs: objectives as rounded, without any fallback, and times."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from multicut._groups import grouped
from multicut.nn.batch import GraphBatch
from multicut.nn.rounding import round_scores

if TYPE_CHECKING:
    from multicut.nn.model import Model
    from multicut.problem import Problem

# States of more edges fit no cache of a processor: with eight times as many, networks with states
# of edges take twice as long. A GPU has room for them.
_EDGES_PER_BATCH = {"cpu": 2**14, "cuda": 2**21}


@dataclass(frozen=True)
class Prediction:
    """Objectives in double precision, and seconds.

    Of putting graphs side by side on the device, of forward passes, and of everything.
    """

    objectives: list[float]
    transfer_seconds: float
    forward_seconds: float
    total_seconds: float


@torch.no_grad()
def predict(model: Model, problems: Sequence[Problem]) -> Prediction:
    """Solve as the paper does: one forward pass over batches of graphs, then rounding.

    Total time goes from problems to labels, both in the memory of the host, so the way to a GPU and
    back counts. One graph is passed before the clock starts, since libraries initialise themselves
    then.
    """
    batches = in_batches(problems, model.device)
    if batches:
        model.logits(GraphBatch.from_problems(batches[0][:1], device=model.device))
    objectives: list[float] = []
    transfer = forward = 0.0
    start = time.perf_counter()
    for some in batches:
        begin = time.perf_counter()
        batch = GraphBatch.from_problems(some, device=model.device)
        wait_for(model.device)
        before = time.perf_counter()
        transfer += before - begin
        logits = model.logits(batch)
        wait_for(model.device)
        forward += time.perf_counter() - before
        rounding = round_scores(batch, torch.sigmoid(logits.float()))
        rounding.labels.cpu()
        objectives += batch.objectives(rounding.cut).tolist()
    return Prediction(objectives, transfer, forward, time.perf_counter() - start)


def wait_for(device: torch.device) -> None:
    """Let a device finish what it has been given."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def in_batches(problems: Sequence[Problem], device: torch.device) -> list[list[Problem]]:
    """Divide graphs into batches of as many edges as a device takes well."""
    return list(grouped(problems, lambda problem: problem.num_edges, _EDGES_PER_BATCH[device.type]))
