"""The choice between exact, learned and classical solvers."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from multicut._extras import NETWORKS, is_installed
from multicut._options import Options, device_option, initial_option, threads_option
from multicut._threads import check_threads
from multicut._words import count
from multicut.models.loading import is_warm
from multicut.solvers import auto_lifted
from multicut.solvers.learned import solver as learned
from multicut.solvers.protocol import Outcome, SolverRecord, check_device_of_lifted, check_labels

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from multicut.nn.batch import GraphBatch
    from multicut.nn.device_result import DeviceResult
    from multicut.problem import Problem
    from multicut.stop import Stop

# From so many edges on `learned` leaves the work to a GPU, if there is one, which is both quicker
# and better there than all that a processor does.
_EDGES_FOR_GPU = 1_000_000
# Importing torch and compiling kernels takes about as long, where that has not been done yet.
_SECONDS_FOR_GPU = 10.0


@dataclass(frozen=True)
class AutoOptions(Options):
    """Options of the solver ``auto``."""

    device: str | None = device_option(
        "where large problems are solved if it is a GPU; 'cpu' for none; by default on a GPU, if "
        "there is one; of lifted problems only 'cpu'"
    )
    initial: ArrayLike | None = initial_option("those that `gaec` finds")
    num_threads: int | None = threads_option()


def run(problem: Problem, options: AutoOptions, stop: Stop, seed: int) -> Outcome:
    """Solve by ``learned`` what is large, if there is a GPU; everything else stage by stage."""
    num_threads = check_threads(options.num_threads)
    initial = check_labels(problem, options.initial)
    if problem.is_lifted:
        check_device_of_lifted(options.device, "auto")
        return auto_lifted.run(problem, initial, num_threads, stop, seed)
    if problem.num_edges >= _EDGES_FOR_GPU:
        device = _find_gpu(options.device, stop.seconds)
        if device is not None:
            return _run_learned(problem, device, options, stop, seed)
    from multicut.solvers.staged import StagedAttempt

    return StagedAttempt(problem, stop, seed, num_threads, initial).run()


def _run_learned(
    problem: Problem, device: str, given: AutoOptions, stop: Stop, seed: int
) -> Outcome:
    effort = "best" if math.isfinite(stop.seconds) else "balanced"
    options = learned.LearnedOptions(
        device=device,
        effort=effort,
        initial=given.initial,
        num_threads=given.num_threads,
    )
    outcome = learned.run(problem, options, stop, seed)
    reason = f"learned: {count(problem.num_edges, 'edge')} and a GPU"
    details = {"chosen": reason, **outcome.details}
    return replace(outcome, solver=learned.RECORD.name, details=details)


def run_on_device(batch: GraphBatch, options: AutoOptions, stop: Stop, seed: int) -> DeviceResult:
    """Let ``learned`` partition graphs that are on a device."""
    own = learned.LearnedOptions(device=options.device, num_threads=options.num_threads)
    return learned.run_on_device(batch, own, stop, seed)


def _find_gpu(device: str | None, seconds: float) -> str | None:
    """Return the GPU that can be used in time; where there is none, torch is not even imported."""
    if seconds < _SECONDS_FOR_GPU and not is_warm(device or "cuda"):
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
    run_on_device=run_on_device,
)
