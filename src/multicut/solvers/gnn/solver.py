"""The learned solver of the paper: one forward pass of a network, then rounding."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicut import forks  # noqa: F401 - it takes note of forks from the first import on
from multicut._extras import NETWORKS, is_installed, needed
from multicut._groups import grouped
from multicut._options import (
    Options,
    device_option,
    model_option,
    precision_option,
    threads_option,
)
from multicut.solvers.protocol import EDGES_PER_PASS, Outcome, SolverRecord
from multicut.stop import StopReason

if TYPE_CHECKING:
    from multicut.nn.model import Model
    from multicut.problem import Problem
    from multicut.stop import Stop


@dataclass(frozen=True)
class GnnOptions(Options):
    """Options of the solver ``gnn``."""

    model: str | os.PathLike[str] | Model | None = model_option("`gcn_w_bn-general`")
    device: str | None = device_option(
        "where to compute; by default on a GPU, if there is one, or where a loaded model is"
    )
    precision: str = precision_option(
        "float32", "numbers to compute with; bfloat16 is faster and a little less exact"
    )
    num_threads: int | None = threads_option(
        "most threads on a processor; by default as many as a pass is worth"
    )


def run(problem: Problem, options: GnnOptions, stop: Stop, seed: int) -> Outcome:
    """Predict which edges are cut and round the prediction to a partition."""
    return run_batch([problem], options, stop, seed)[0]


def run_batch(
    problems: Sequence[Problem],
    options: GnnOptions,
    stop: Stop,
    seed: int,  # noqa: ARG001 - nothing is drawn
) -> list[Outcome]:
    """Solve many problems in few passes."""
    from multicut.models.loading import Loader
    from multicut.models.registry import DEFAULT_MODEL
    from multicut.solvers.gnn.inference import solve_together

    if problems:
        needed(*NETWORKS, by="the solver 'gnn'")
    outcomes: list[Outcome] = []
    for group in grouped(problems, lambda problem: problem.num_edges, EDGES_PER_PASS):
        interrupted = bool(outcomes) and outcomes[-1].stopped_by is StopReason.INTERRUPT
        # Only the first of these has anything to load, which counts as part of its time.
        loader = Loader(options.model, options.device, DEFAULT_MODEL)
        outcomes += solve_together(group, loader, options, stop, interrupted=interrupted)
    return outcomes


def can_run() -> bool:
    """Whether the default model comes with this version, and its packages are installed."""
    from multicut.models.registry import DEFAULT_MODEL, has_model

    return has_model(DEFAULT_MODEL) and all(map(is_installed, NETWORKS))


RECORD = SolverRecord(
    name="gnn",
    description="the learned solver: one pass of a graph neural network, then rounding",
    run=run,
    options=GnnOptions,
    needs=NETWORKS,
    run_batch=run_batch,
    is_ready=can_run,
)
