"""A network on many graphs: objectives as rounded, without any fallback, and times."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from multicut.nn.batch import GraphBatch
from multicut.nn.rounding import round_scores

if TYPE_CHECKING:
    from multicut.nn.model import Model
    from multicut.problem import Problem

# States of more edges fit no cache of a processor; a GPU has room for them.
_EDGES_PER_BATCH = {"cpu": 2**17, "cuda": 2**21}


@dataclass(frozen=True)
class Prediction:
    """Objectives in double precision, seconds of forward passes, and seconds of everything."""

    objectives: list[float]
    forward_seconds: float
    total_seconds: float


@torch.no_grad()
def predict(model: Model, problems: Sequence[Problem]) -> Prediction:
    """Solve as the paper does: one forward pass over batches of graphs, then rounding.

    Total time goes from problems to labels, both in the memory of the host, so the way to a GPU and
    back counts. One graph is passed before the clock starts, since libraries initialise themselves
    then.
    """
    batches = _batches(problems, _EDGES_PER_BATCH[model.device.type])
    if batches:
        model.logits(GraphBatch.from_problems(batches[0][:1], device=model.device))
    objectives: list[float] = []
    forward = 0.0
    start = time.perf_counter()
    for some in batches:
        batch = GraphBatch.from_problems(some, device=model.device)
        _wait(model)
        before = time.perf_counter()
        logits = model.logits(batch)
        _wait(model)
        forward += time.perf_counter() - before
        rounding = round_scores(batch, torch.sigmoid(logits.float()))
        rounding.labels.cpu()
        objectives += batch.objectives(rounding.cut).tolist()
    return Prediction(objectives, forward, time.perf_counter() - start)


def _wait(model: Model) -> None:
    if model.device.type == "cuda":
        torch.cuda.synchronize(model.device)


def _batches(problems: Sequence[Problem], most: int) -> list[list[Problem]]:
    batches: list[list[Problem]] = []
    room = 0
    for problem in problems:
        if not batches or problem.num_edges > room:
            batches.append([])
            room = most
        batches[-1].append(problem)
        room -= problem.num_edges
    return batches
