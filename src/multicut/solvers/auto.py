"""The choice between exact, learned and classical solvers."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from multicut._extras import NETWORKS, is_installed
from multicut._options import Options, device_option, threads_option
from multicut._threads import check_threads
from multicut._words import count
from multicut.solvers import auto_lifted
from multicut.solvers.learned import solver as learned
from multicut.solvers.protocol import Outcome, SolverRecord

if TYPE_CHECKING:
    from multicut.problem import Problem
    from multicut.stop import Stop

# From so many edges on the network of `learned` is asked, if there is a GPU. It has been measured
# at 3.8 million edges, where on a GPU it is both quicker and better than `klj`.
_EDGES_FOR_GPU = 1_000_000
# Importing torch, loading weights and compiling kernels take about as long.
_SECONDS_FOR_GPU = 10.0


@dataclass(frozen=True)
class AutoOptions(Options):
    """Options of the solver ``auto``."""

    device: str | None = device_option(
        "where a network may compute, which large problems are given to; 'cpu' for no network; by "
        "default on a GPU, if there is one"
    )
    num_threads: int | None = threads_option()


def run(problem: Problem, options: AutoOptions, stop: Stop, seed: int) -> Outcome:
    """Solve by ``learned`` what is large, if there is a GPU; everything else stage by stage."""
    if problem.is_lifted:
        return auto_lifted.run(problem, check_threads(options.num_threads), stop, seed)
    if problem.num_edges >= _EDGES_FOR_GPU and stop.seconds >= _SECONDS_FOR_GPU:
        device = _find_gpu(options.device)
        if device is not None:
            return _run_learned(problem, device, options.num_threads, stop, seed)
    from multicut.solvers.staged import StagedAttempt

    return StagedAttempt(problem, stop, seed, check_threads(options.num_threads)).run()


def _run_learned(
    problem: Problem, device: str, num_threads: int | None, stop: Stop, seed: int
) -> Outcome:
    # Fusion moves on so many edges are for those who know how long they want to wait.
    effort = "best" if math.isfinite(stop.seconds) else "fast"
    options = learned.LearnedOptions(
        device=device, effort=effort, use_network=True, num_threads=num_threads
    )
    outcome = learned.run(problem, options, stop, seed)
    reason = f"learned: {count(problem.num_edges, 'edge')} and a GPU"
    details = {"chosen": reason, **outcome.details}
    return replace(outcome, solver=learned.RECORD.name, details=details)


def _find_gpu(device: str | None) -> str | None:
    """Return the GPU that a network can use; where there is none, torch is not even imported."""
    from multicut.models.registry import UNIVERSAL_MODEL, has_model

    if not has_model(UNIVERSAL_MODEL):
        return None
    if not (str(device).startswith("cuda") or all(map(is_installed, NETWORKS))):
        return None
    from multicut.models.devices import ForkedGpuError, as_device, may_have_gpu

    if device is not None:
        return device if as_device(device).type == "cuda" else None
    if not may_have_gpu():
        return None
    import torch

    try:
        return as_device("cuda").type if torch.cuda.is_available() else None
    except ForkedGpuError:  # the processor is there all the same
        return None


RECORD = SolverRecord(
    name="auto",
    description="chooses among the other solvers by size, time limit and device; reports why",
    run=run,
    options=AutoOptions,
    needs=("highspy",),
    uses_seed=True,
    takes_lifted=True,
)
