"""How the solver ``gnn`` applies a model to problems; ``learned`` shares some of it."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from multicut._arrays import FloatArray, IntArray
from multicut.models.loading import Loader, is_shortage
from multicut.partition import labels_of_cut, objective
from multicut.solvers.gnn.plain_problem import PlainProblem
from multicut.solvers.protocol import Outcome
from multicut.stop import StopReason
from multicut.watch import Watch

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from multicut.nn.batch import GraphBatch
    from multicut.nn.model import Model
    from multicut.problem import Problem
    from multicut.solvers.gnn.solver import GnnOptions
    from multicut.stop import Stop

# The memory of a pass, measured at 75,659 edges: 1.6 kB for each at width 128.
_BYTES_PER_NUMBER = 12
# For each edge, what comes after a pass: rounding to a partition, and what that costs.
_SECONDS_TO_ROUND = 5e-7


class Stopped(Exception):  # noqa: N818 - not an error
    """The pass has to end."""


@dataclass(frozen=True, eq=False)
class _Prediction:
    labels: IntArray
    logits: FloatArray | None
    num_infeasible: int


def solve_together(
    problems: Sequence[Problem],
    loader: Loader,
    options: GnnOptions,
    stop: Stop,
    *,
    interrupted: bool = False,
) -> list[Outcome]:
    """Solve problems in one forward pass.

    Each begins with the best partition that needs no search, such as all nodes apart. These stay
    where the pass is stopped, or where the network finds nothing better.
    """
    progress = [Watch(stop) for _ in problems]
    clock = progress[0]
    if interrupted:
        clock.stop(StopReason.INTERRUPT)
    plain: list[PlainProblem] = []
    predictions: list[_Prediction] | None = None
    trivial = [Outcome.without_search(problem) for problem in problems]
    model = None
    try:
        for problem, mine in zip(problems, progress, strict=True):
            mine.improved(_cost_of_extremes(problem))
        model = loader.load(clock, clock.should_stop)
        if model is not None and not clock.should_stop():
            num_edges = sum(problem.num_edges for problem in problems)
            clock.reserve = _SECONDS_TO_ROUND * num_edges
            if not fits(model, num_edges, clock.seconds_left):
                raise Stopped
            if clock.seconds_left < sum(map(PlainProblem.seconds_to_make, problems)):
                raise Stopped
            plain = [PlainProblem.of(problem, model.is_scale_free) for problem in problems]
            predictions = _predict(plain, model, options, clock, math.isfinite(stop.seconds))
    except Stopped:
        clock.stop(StopReason.TIME_LIMIT)
    except KeyboardInterrupt:
        clock.stop(StopReason.INTERRUPT)
    except (MemoryError, RuntimeError) as error:
        if model is None or not is_shortage(error):
            raise
        raise MemoryError(_shortage(problems, model)) from None
    outcomes = []
    known = loader.details(model)
    for i, (problem, mine) in enumerate(zip(problems, progress, strict=True)):
        details = dict(known)
        outcome = trivial[i]
        if predictions is not None:
            labels, logits = predictions[i].labels, predictions[i].logits
            details["infeasible_edges"] = predictions[i].num_infeasible
            if logits is not None:
                labels, details["split_clusters"] = plain[i].repaired(labels, logits)
            found = Outcome.of_labels(
                problem, plain[i].lift(labels), trace=mine.trace, is_sound=True
            )
            # What a network finds counts by itself, also where attractive edges alone tell more.
            if found.objective < mine.best:
                mine.improved(found.objective)
                outcome = found
        details["found_by"] = "network"
        if outcome is trivial[i]:
            details["found_by"] = "trivial partition"
            details["fallback"] = _reason(model, predictions)
            mine.finish(outcome.objective)
        outcomes.append(
            replace(
                outcome,
                trace=mine.trace,
                # A callback may have ended the solve with the last report, which all share.
                stopped_by=mine.stopped_by if mine.is_stopped else clock.stopped_by,
                details=details,
            )
        )
    return outcomes


def _cost_of_extremes(problem: Problem) -> float:
    """Return the less of what all nodes apart and all together cost, as constraints allow it."""
    costs = problem.costs
    # Each pass over the costs of a large problem takes milliseconds.
    has_cannot_links = bool(costs.min(initial=0.0) == -np.inf)
    if costs.max(initial=0.0) == np.inf:
        apart = objective(problem, labels_of_cut(problem, costs != np.inf))
    else:
        apart = float(costs.sum(where=costs != -np.inf) if has_cannot_links else costs.sum())
    return apart if has_cannot_links else min(apart, 0.0)


def _reason(model: Model | None, predictions: list[_Prediction] | None) -> str:
    """Say why the result is a trivial partition."""
    if model is None:
        return "a trivial partition: torch was not loaded in time"
    if predictions is None:
        return "a trivial partition: the network was stopped"
    return "a trivial partition: the network found none better"


def _shortage(problems: Sequence[Problem], model: Model) -> str:
    num_edges = sum(problem.num_edges for problem in problems)
    need = _BYTES_PER_NUMBER * model.width * num_edges // 2**20 + 1
    advice = "a solver without a network, such as 'fusion'"
    if model.device.type != "cpu":
        advice = "precision='bfloat16' or device='cpu'"
    return (
        f"{num_edges} edges do not fit the memory of {model.device}: the network takes about "
        f"{need:,} MB for them; use {advice}"
    )


def batch_of(plain: Sequence[PlainProblem], model: Model) -> GraphBatch:
    """Put problems side by side, where and in what type the model computes."""
    from multicut.nn.batch import GraphBatch

    return GraphBatch.from_arrays(
        [one.problem.edges for one in plain],
        [one.costs for one in plain],
        [one.problem.num_nodes for one in plain],
        device=model.device,
        dtype=model.dtype,
    )


def fits(model: Model, num_edges: int, seconds: float) -> bool:
    """Whether all layers of a network may be done with so many edges in so many seconds.

    On a CPU that is told from the size of the pass, for a machine faster than most. A single layer
    may take seconds there, and cannot be stopped: one that has no chance must not be begun.
    """
    if model.device.type != "cpu":
        return True
    network = model.network
    return seconds >= network.seconds_per_number * num_edges * model.width * network.config.depth


def stop_check(
    device: torch.device,
    has_deadline: bool,
    is_over: Callable[[], bool],
    seconds_left: Callable[[], float],
) -> Callable[[], None]:
    """Return what to call between steps of work on a device; raises `Stopped` when time is up.

    On a CPU it does so, too, when less time is left than the last step took: the next one would
    take as long, and end too late.
    """
    import torch

    last = time.perf_counter()

    def check() -> None:
        nonlocal last
        if has_deadline and device.type == "cuda":
            # What is under way on the GPU counts, too.
            torch.cuda.synchronize(device)
        if is_over():
            raise Stopped
        before, last = last, time.perf_counter()
        if device.type == "cpu" and seconds_left() < last - before:
            raise Stopped

    return check


def _predict(
    plain: Sequence[PlainProblem],
    model: Model,
    options: GnnOptions,
    clock: Watch,
    has_deadline: bool,
) -> list[_Prediction]:
    import torch

    from multicut.nn.rounding import round_scores
    from multicut.nn.threads import threads_for

    device = model.device
    check = stop_check(device, has_deadline, clock.should_stop, lambda: clock.seconds_left)
    cannot_links = np.concatenate([one.cannot_links for one in plain])
    size = (len(cannot_links), model.width, device)
    with threads_for(*size, options.num_threads), torch.inference_mode():
        batch = batch_of(plain, model)
        logits = predict(model, batch, options.precision, after_step=check)
        if cannot_links.any():
            logits = logits.masked_fill(torch.from_numpy(cannot_links).to(device), math.inf)
        rounded = round_scores(batch, logits, threshold=0.0)
    node_borders = np.cumsum([one.problem.num_nodes for one in plain])[:-1]
    edge_borders = np.cumsum([one.problem.num_edges for one in plain])[:-1]
    labels = np.split(rounded.labels.cpu().numpy(), node_borders)
    values: list[FloatArray | None] = [None] * len(plain)
    if cannot_links.any():
        values = list(np.split(logits.double().cpu().numpy(), edge_borders))
    counts = rounded.num_infeasible.tolist()
    return [_Prediction(*each) for each in zip(labels, values, counts, strict=True)]


def predict(
    model: Model,
    batch: GraphBatch,
    precision: str = "float32",
    after_step: Callable[[], object] | None = None,
) -> Tensor:
    """Return logits, one per edge, in evaluation mode and without a record for gradients.

    Parameters
    ----------
    model
        The model.
    batch
        Graphs on the device of the model.
    precision
        ``"float32"`` or ``"bfloat16"``.
    after_step
        Called after each layer and each piece of the classifier; an exception in it ends the pass.
    """
    import torch

    network = model.network
    if any(module.training for module in network.modules()):
        # The caller's network keeps its modes, also while other threads use it.
        network = copy.deepcopy(network).eval()
    with (
        torch.inference_mode(),
        torch.autocast(batch.device.type, torch.bfloat16, enabled=precision == "bfloat16"),
    ):
        scaled = model.scaled(batch)
        nodes, edges = network.represent(scaled, after_layer=after_step)
        return network.classify(scaled, nodes, edges, after_chunk=after_step)  # type: ignore[arg-type]
