"""The learned solver of the paper: one forward pass of a network, then rounding."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicut import forks  # noqa: F401 - it takes note of forks from the first import on
from multicut._checks import check_precision
from multicut._extras import NETWORKS, is_installed, needed
from multicut.solvers.protocol import Outcome, SolverRecord

if TYPE_CHECKING:
    from multicut.nn.model import Model
    from multicut.problem import Problem
    from multicut.stop import Stop

# Problems are put side by side until they have so many edges; more would not be faster.
_EDGES_PER_PASS = 2**21


@dataclass(frozen=True)
class GnnOptions:
    """Options of the solver ``gnn``.

    Attributes
    ----------
    model
        The name of a model from :func:`multicut.list_models`, the path of one, or a loaded model;
        by default ``gcn_w_bn-randommp``.
    device
        Where to compute, such as ``"cpu"`` or ``"cuda"``; by default on a GPU, if there is one, or
        where a loaded model is.
    precision
        ``"float32"``, or ``"bfloat16"``: faster, and a little less exact.
    """

    model: str | os.PathLike[str] | Model | None = None
    device: str | None = None
    precision: str = "float32"

    def __post_init__(self) -> None:
        check_precision(self.precision)


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

    if not problems:
        return []
    needed(*NETWORKS, by="the solver 'gnn'")
    outcomes: list[Outcome] = []
    for group in _groups(problems):
        interrupted = bool(outcomes) and outcomes[-1].stopped_by == "interrupt"
        # Only the first of these has anything to load, which counts as part of its time.
        loader = Loader(options.model, options.device, DEFAULT_MODEL)
        outcomes += solve_together(group, loader, options.precision, stop, interrupted=interrupted)
    return outcomes


def _groups(problems: Sequence[Problem]) -> Iterator[list[Problem]]:
    group: list[Problem] = []
    room: float = math.inf
    for problem in problems:
        if problem.num_edges > room:
            yield group
            group, room = [], math.inf
        group.append(problem)
        room = min(room, _EDGES_PER_PASS) - problem.num_edges
    yield group


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
